// SPDX-License-Identifier: Apache-2.0
// EXPECT: this_operation_does_not_combine_two_values_of_the_type_into_one
// An operator of a reduction that does not take the values.
#include <roam/roam.hpp>
#include <string>

int longer(const std::string& a, const std::string& b) {
  return static_cast<int>(a.size() + b.size());
}

roam::Task<> program(roam::Runtime& rt) {
  const std::string text = "text";
  static_cast<void>(co_await rt.reduce<&longer>(0, text));
}
