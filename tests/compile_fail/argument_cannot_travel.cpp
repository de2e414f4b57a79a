// SPDX-License-Identifier: Apache-2.0
// EXPECT: this_type_cannot_be_serialised.*Picture
#include <roam/roam.hpp>

struct Picture {
  int* pixels = nullptr;
  Picture() = default;
  Picture(const Picture&) {}
};
struct Widget {
  int size = 0;
  void show(Picture) {}
};

void bad(roam::mobile_ptr<Widget> widget) { widget.send<&Widget::show>(Picture()); }
