// SPDX-License-Identifier: Apache-2.0
// EXPECT: these_arguments_do_not_match_the_parameters_of_the_handler.*double.*int.*double
// ERRORS: 1
#include <roam/roam.hpp>

#include <span>

void add(std::span<double> landed, int number) { landed[0] += number; }

void bad(roam::Runtime& rt, roam::remote_ptr<double> there, std::span<const double> from) {
  (void)rt.memory().put_op<&add>(there, from, 2.7);
}
