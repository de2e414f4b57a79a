// SPDX-License-Identifier: Apache-2.0
// EXPECT: a task.s body is a lambda whose parameters are plain types, without auto
// ERRORS: 1
#include <roam/roam.hpp>

#include <roam/flow/flow.hpp>

void bad(roam::flow::Flow& fl) {
  auto x = fl.data(1.0);
  fl.work([](auto& v) { v += 1; }, x);
}
