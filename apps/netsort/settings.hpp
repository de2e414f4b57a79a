// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace netsort {

enum class Variant : std::uint8_t {
  in_place,  ///< "static": the blocks stay on the ranks they were made on
  mobile     ///< each block moves to a random rank after each comparison
};

/// The network sort of section 6.3 of the DMCS paper (tables 11 and 12).
struct Settings {
  Variant variant = Variant::in_place;
  std::int64_t integers = 4096;
  std::int64_t block_size = 16;          ///< integers per block; 1 in the paper
  std::int64_t largest = 1'000'000'000;  ///< the integers are 0 to this
  std::uint64_t seed = 1;                ///< of integers, first places and moves
  /// Additional time per comparison of two integers: a spin, or virtual time.
  double comparison_seconds = 0;
  std::string json;  ///< file for the figures; empty: none

  [[nodiscard]] std::int64_t blocks() const { return integers / block_size; }
};

/// Reads the program's own options, after Roam's were taken out. Returns the exit status if the
/// program should end here (help, errors), else -1.
int read_settings(int argc, char** argv, Settings& settings);

}  // namespace netsort
