// SPDX-License-Identifier: Apache-2.0
// EXPECT: must_be_default_constructible.*Length
// ERRORS: 1
#include <roam/roam.hpp>

struct Length {
  double metres;
  explicit Length(double m) : metres(m) {}
};
Length measure() { return Length(2); }

auto bad(roam::Runtime& rt) { return rt.request<&measure>(1); }
