// SPDX-License-Identifier: Apache-2.0
// EXPECT: a task.s body is a plain function, not a coroutine
// ERRORS: 1
#include <roam/roam.hpp>

#include <roam/flow/flow.hpp>

roam::Task<> waits(const double&);

void bad(roam::flow::Flow& fl) {
  auto x = fl.data(1.0);
  fl.work<&waits>(x);
}
