// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "roam/topology/detail/mapping/talk_graph.hpp"

namespace roam_map {

/// What the ranks of a job told each other: bytes, and messages where they are known.
struct RankTalk {
  std::uint32_t ranks = 0;
  std::vector<roam::topology::Talk> talks;  ///< each pair once, in order; bytes are the amount
  /// Communications of the data that are not between two objects: not counted.
  std::uint64_t left_out = 0;
};

/// Sums up what pairs of ranks say, in both directions together.
class TalkSum {
 public:
  /// What a rank tells itself is not counted.
  void add(std::uint32_t from, std::uint32_t to, double bytes, double messages);
  [[nodiscard]] std::vector<roam::topology::Talk> talks() const;

 private:
  std::unordered_map<std::uint64_t, roam::topology::Talk> of_pair_;
};

/// From recorded loads: the talk between objects of different ranks, of one phase or of all. Throws
/// roam::ConfigError as read_lb_data() does, and if there is no rank.
[[nodiscard]] RankTalk talk_of_lb_data(const std::vector<std::string>& paths,
                                       std::optional<std::int64_t> phase);

}  // namespace roam_map
