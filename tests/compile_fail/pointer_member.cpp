// SPDX-License-Identifier: Apache-2.0
// EXPECT: this_type_cannot_be_serialised.*double\*|this_type_cannot_be_serialised.*double \*
// ERRORS: 1
#include <roam/roam.hpp>

struct Matrix {
  double* values = nullptr;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(values);
  }
};

auto bad(roam::Runtime& rt) { return rt.create<Matrix>(); }
