// SPDX-License-Identifier: Apache-2.0
// EXPECT: a parameter that is given a part of a datum is what part\(begin, end\) returns
// ERRORS: 1
#include <roam/roam.hpp>

#include <roam/flow/flow.hpp>
#include <span>
#include <vector>

void bad(roam::flow::Flow& fl, const roam::flow::Handle<std::vector<double>>& u) {
  fl.work([](std::span<float> part) { part[0] += 1; }, u.part(0, 10));
}
