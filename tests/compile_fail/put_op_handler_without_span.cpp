// SPDX-License-Identifier: Apache-2.0
// EXPECT: this_handler_must_take_a_std_span_of_the_element_first.*float.*double
// ERRORS: 1
#include <roam/roam.hpp>

#include <span>

void add(std::span<float> landed, int number) { landed[0] += static_cast<float>(number); }

void bad(roam::Runtime& rt, roam::remote_ptr<double> there, std::span<const double> from) {
  (void)rt.memory().put_op<&add>(there, from, 1);
}
