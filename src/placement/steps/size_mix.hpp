// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "group_objects.hpp"
#include "roam/core/machine.hpp"

namespace roam::placement {

/// Objects fall into classes by their size: class k has those of at most 2^(-k/2) times the limit
/// of a rank's time, and of more than class k + 1 has. The last class has all smaller ones.
inline constexpr std::size_t size_classes = 16;
/// The size of the largest objects of a class, in seconds.
[[nodiscard]] double largest_of_class(std::size_t size_class, double limit_seconds);

/// How well the ranks of a group can share its objects, and how large these are. Plain bytes.
struct SizeReport {
  double reached_seconds = 0;               ///< time of the slowest rank, if not below the limit
  std::array<double, size_classes> work{};  ///< the seconds of all objects of a class
};

/// Packs the objects of a group on its ranks, largest first, each where it fits most closely, with
/// the smallest capacity at which all fit (after Coffman, Garey and Johnson, "An application of
/// bin-packing to multiprocessor scheduling", SIAM J. Comput. 7, 1978: MULTIFIT; here to a part in
/// 200). `seconds`: of each object; `fixed_seconds`: work that stays, by rank. O(n log n).
[[nodiscard]] SizeReport size_report(std::vector<double> seconds,
                                     const std::vector<double>& fixed_seconds,
                                     const Machine& machine, double limit_seconds);

struct SizeMixSettings {
  double limit_seconds = 0;  ///< of the time that a rank works
  /// A group needs others if its slowest rank takes longer than that of the best one by more than
  /// this part.
  double least_difference = 0;
  std::size_t neighbours = 4;  ///< consecutive groups that exchange objects; 0: all
};

/// Where one of several neighbouring groups cannot share its objects evenly while another one can,
/// since it has too many large ones, plans exchanges after which each of them has of every class of
/// sizes its part: what can be shared evenly by all together, each can then share about as evenly.
/// The groups' work stays the same, but for the size of one object for each flow. Sorted by `from`,
/// then `to`. O(groups log groups).
[[nodiscard]] std::vector<SizedFlow> plan_size_mix(std::span<const SizeReport> reports,
                                                   const SizeMixSettings& settings);

}  // namespace roam::placement
