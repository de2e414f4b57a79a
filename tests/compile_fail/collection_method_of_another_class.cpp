// SPDX-License-Identifier: Apache-2.0
// EXPECT: this_method_does_not_belong_to_the_class_of_the_object.*Gadget.*Widget
// ERRORS: 1
#include <roam/roam.hpp>

struct Widget {
  int size = 0;
};
struct Gadget {
  int size = 0;
  void resize(int to) { size = to; }
};

void bad(roam::collection<Widget, 2> widgets) { widgets.broadcast<&Gadget::resize>(3); }
