// SPDX-License-Identifier: Apache-2.0
// EXPECT: must_be_default_constructible.*Length
// ERRORS: 1
#include <roam/roam.hpp>

struct Length {
  double metres;
  explicit Length(double m) : metres(m) {}
};
void cut(Length) {}

void bad(roam::Runtime& rt) { rt.send<&cut>(1, Length(2)); }
