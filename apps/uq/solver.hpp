// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "uq/field.hpp"

namespace uq {

/// Samples that are solved together.
inline constexpr std::size_t pack_size = 8;

/// One number of each sample of a pack.
using Pack = std::array<double, pack_size>;

/// Solves -(a u')' = 1, u(0) = u(1) = 0, by linear finite elements with the coefficient of each
/// element's middle, for the samples from `first` on, all at once: each operation of the
/// elimination (Thomas 1949) is done for all samples of the pack before the next one, so that
/// compilers make vector instructions of it. Returns u(1/2) of each sample, with the bits that it
/// has alone.
[[nodiscard]] Pack solve_pack(const Mesh& mesh, const Field& field, std::int64_t first);

/// The same for one sample: for comparison.
[[nodiscard]] double solve_one(const Mesh& mesh, const Field& field, std::int64_t sample);

/// The same for a sample with given A and B.
[[nodiscard]] double solve_for(const Mesh& mesh, const std::array<double, 2>& numbers);

/// Count, mean and sum of squared deviations of samples. Two can be combined (Chan, Golub, LeVeque
/// 1979). Sent as bytes.
struct Statistics {
  double count = 0;
  double mean = 0;
  double deviations = 0;  ///< sum of (x - mean)^2

  [[nodiscard]] double variance() const { return count > 1 ? deviations / (count - 1) : 0; }
  /// The standard error of the mean.
  [[nodiscard]] double error() const;
};

struct Merge {
  Statistics operator()(const Statistics& a, const Statistics& b) const;
};

/// The statistics of the samples of a pack, combined over a binary tree.
[[nodiscard]] Statistics statistics_of(const Pack& pack);

/// Combines statistics over the binary tree that collections of flow programs are reduced over: its
/// first part has the largest power of two below their number, the second one the rest.
[[nodiscard]] Statistics merged(const Statistics* all, std::size_t count);

}  // namespace uq
