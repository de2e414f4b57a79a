// SPDX-License-Identifier: Apache-2.0
// EXPECT: this_operation_has_state_which_other_ranks_do_not_see
// An operator of a reduction that captures something.
#include <roam/roam.hpp>

roam::Task<> program(roam::Runtime& rt) {
  const int factor = rt.size();
  const int product = co_await rt.allreduce(1, [factor](int a, int b) { return factor * a * b; });
  static_cast<void>(product);
}
