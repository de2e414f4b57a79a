// SPDX-License-Identifier: Apache-2.0
// EXPECT: this_type_cannot_be_serialised_so_give_it_a_serialize_member_or_save_and_load
#include <roam/roam.hpp>

#include <roam/flow/flow.hpp>

struct Mesh {
  double* values;
  Mesh(const Mesh&);
};

void bad(roam::flow::Flow& fl, const Mesh& mesh) {
  auto x = fl.data(1.0);
  fl.work([](double& v, const Mesh&) { v += 1; }, x, mesh);
}
