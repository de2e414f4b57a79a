// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "roam/topology/detail/mapping/communication_graph.hpp"

namespace roam_map {

/// The communication between the ranks of a job: bytes, and messages where they are known.
struct RankCommunication {
  std::uint32_t ranks = 0;
  std::vector<roam::topology::Communication>
      communications;  ///< each pair once, in order; bytes are the amount
  /// Number of communications in the data that are not between two objects and are left out.
  std::uint64_t left_out = 0;
};

/// Sums up the communication of pairs of ranks, both directions together.
class CommunicationSum {
 public:
  /// Adds a communication; that of a rank with itself is ignored.
  void add(std::uint32_t from, std::uint32_t to, double bytes, double messages);
  [[nodiscard]] std::vector<roam::topology::Communication> communications() const;

 private:
  std::unordered_map<std::uint64_t, roam::topology::Communication> of_pair_;
};

/// Reads the communication from recorded loads: that between objects of different ranks, in one
/// phase or in all. Throws roam::ConfigError like read_lb_data(), and if there is no rank.
[[nodiscard]] RankCommunication communication_of_lb_data(const std::vector<std::string>& paths,
                                                         std::optional<std::int64_t> phase);

}  // namespace roam_map
