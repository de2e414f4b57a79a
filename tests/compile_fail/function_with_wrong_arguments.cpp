// SPDX-License-Identifier: Apache-2.0
// EXPECT: these_arguments_do_not_match_the_parameters_of_the_handler.*double
#include <roam/roam.hpp>

#include <string>

double half(double x) { return x / 2; }

auto bad(roam::Runtime& rt) { return rt.request<&half>(1, std::string("seven")); }
