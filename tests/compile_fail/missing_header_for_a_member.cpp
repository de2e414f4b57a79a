// SPDX-License-Identifier: Apache-2.0
// EXPECT: without_a_header_of_cereal.*optional.*cereal_types_optional_hpp
// ERRORS: 1
#include <optional>
#include <roam/roam.hpp>
#include <vector>

struct Reading {
  std::vector<std::optional<double>> values;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(values);
  }
};

auto bad(roam::Runtime& rt) { return rt.create<Reading>(); }
