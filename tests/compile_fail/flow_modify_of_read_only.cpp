// SPDX-License-Identifier: Apache-2.0
// EXPECT: the task writes a datum of which it is given a handle that may only be read
// ERRORS: 1
#include <roam/roam.hpp>

#include <roam/flow/flow.hpp>

void bad(roam::flow::Flow& fl, const roam::flow::Handle<const double>& x) {
  fl.work([](double& v) { v += 1; }, x);
}
