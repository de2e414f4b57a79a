// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <roam/roam.hpp>
#include <vector>

#include "integers.hpp"
#include "settings.hpp"

namespace netsort {

/// The report of a block at the end.
struct BlockSummary {
  std::int64_t index = 0;
  std::int32_t smallest = 0;
  std::int32_t largest = 0;
  std::uint64_t fingerprint = 0;
  std::uint64_t comparisons = 0;  ///< with neighbours
  double sorting_seconds = 0;     ///< spent in comparing
};

/// A neighbour's integers for one step.
struct Offer {
  std::int64_t step = 0;
  Integers integers;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(step, integers);
  }
};

/// A part of the array, a mobile object. The steps are those of odd-even transposition (Habermann
/// 1972): in step s, blocks 2k + s % 2 compare with their successors; after as many steps as there
/// are blocks the array is sorted, also if blocks merge and split (Baudet and Stevenson 1978).
/// Steps are not synchronised: each partner sends its integers and continues when the other's have
/// come. A neighbour that moves sends from different ranks, so its offers may overtake each other:
/// the one after the next can arrive first.
class Block {
 public:
  Block() = default;
  /// Sorts its own integers.
  Block(const Settings& settings, std::int64_t index);

  /// Tells a block its neighbours; to be called before begin(). A null neighbour is an end of the
  /// array.
  void meet(roam::mobile_ptr<Block> self, roam::mobile_ptr<Block> left,
            roam::mobile_ptr<Block> right);
  /// Starts the steps.
  void begin();
  void take(Offer offer);
  /// Continues after a move.
  void proceed();
  [[nodiscard]] BlockSummary summary() const;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(settings_.variant, settings_.integers, settings_.block_size, settings_.seed,
            settings_.comparison_seconds, index_, step_, has_begun_, is_sent_, integers_, offers_,
            self_, left_, right_, comparisons_, sorting_nanoseconds_);
  }

 private:
  void advance();
  void compare(bool with_right, const Integers& theirs);
  void move_on();

  Settings settings_;
  std::int64_t index_ = 0;
  std::int64_t step_ = 0;
  bool has_begun_ = false;
  bool is_sent_ = false;          // true if the partner of this step has got its integers
  Integers integers_;             // sorted
  std::vector<Offer> offers_;     // for this step and later ones
  roam::mobile_ptr<Block> self_;  // null before meet(), as are the next two
  roam::mobile_ptr<Block> left_;
  roam::mobile_ptr<Block> right_;
  std::uint64_t comparisons_ = 0;
  std::int64_t sorting_nanoseconds_ = 0;
};

}  // namespace netsort
