// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace jacobi {

/// The command line, of the flow program and of the one with MPI alone.
struct Settings {
  int dimensions = 2;
  std::vector<std::int64_t> blocks{8};  ///< in each direction, or one number for all of them
  std::vector<std::int64_t> side{32};   ///< cells of a block, likewise
  int steps = 100;
  bool is_checked = true;

  /// One number for each of D directions.
  template <int D>
  [[nodiscard]] static std::array<std::int64_t, D> each(const std::vector<std::int64_t>& given) {
    std::array<std::int64_t, D> all{};
    for (std::size_t d = 0; d < D; ++d) all[d] = given.size() == 1 ? given[0] : given[d];
    return all;
  }
  /// The cells of the plate in each direction.
  template <int D>
  [[nodiscard]] std::array<std::int64_t, D> cells() const {
    std::array<std::int64_t, D> all = each<D>(blocks);
    for (std::size_t d = 0; d < D; ++d) all[d] *= each<D>(side)[d];
    return all;
  }
};

/// Parses the options. Returns the exit status if the program should end, else -1.
int read_settings(int argc, char** argv, Settings& settings);

}  // namespace jacobi
