// SPDX-License-Identifier: Apache-2.0
// EXPECT: this_type_cannot_be_serialised.*Widget
#include <roam/roam.hpp>

struct Widget {
  int* pixels = nullptr;
  ~Widget() { delete pixels; }
};

auto bad(roam::Runtime& rt) { return rt.create<Widget>(); }
