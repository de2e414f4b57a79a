// SPDX-License-Identifier: Apache-2.0
// EXPECT: give_this_argument_a_name_because_gcc_12_would_destroy_a_temporary_twice.*lambda
// ERRORS: 1
#include <roam/roam.hpp>

#include <string>

void note(const std::string& text) { static_cast<void>(text); }

roam::Task<> bad(roam::Runtime& rt, std::string text) {
  co_await rt.run_epoch([&] { rt.send<&note>(1, text); });  // captures no string
  co_await rt.run_epoch([&rt, text] { rt.send<&note>(1, text); });
}
