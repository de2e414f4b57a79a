// SPDX-License-Identifier: Apache-2.0
// EXPECT: the task writes a datum of which it is given a handle that may only be read
// ERRORS: 1
#include <roam/roam.hpp>

#include <roam/flow/flow.hpp>
#include <span>
#include <vector>

void bad(roam::flow::Flow& fl, const roam::flow::Handle<const std::vector<double>>& u) {
  fl.work([](std::span<double> part) { part[0] += 1; }, u.part(0, 10));
}
