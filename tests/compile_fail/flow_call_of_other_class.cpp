// SPDX-License-Identifier: Apache-2.0
// EXPECT: this_method_does_not_belong_to_the_class_of_the_object.*Other.*Field
// ERRORS: 1
#include <roam/roam.hpp>

#include <roam/flow/flow.hpp>

struct Field {
  double value = 0;
};
struct Other {
  void advance() {}
};

void bad(roam::flow::Flow& fl, const roam::flow::Object<Field>& field) {
  fl.call<&Other::advance>(field);
}
