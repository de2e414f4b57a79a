// SPDX-License-Identifier: Apache-2.0
// EXPECT: must_be_default_constructible.*Length
// ERRORS: 1
#include <roam/roam.hpp>
#include <vector>

struct Length {
  double metres;
  explicit Length(double m) : metres(m) {}
  template <class Archive>
  void serialize(Archive& archive) {
    archive(metres);
  }
};
struct Saw {
  int cuts = 0;
  std::vector<Length> cut(std::vector<Length> pieces) { return pieces; }
};

auto bad(roam::mobile_ptr<Saw> saw) { return saw.call<&Saw::cut>(std::vector<Length>{}); }
