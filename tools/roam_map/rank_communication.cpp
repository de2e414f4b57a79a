// SPDX-License-Identifier: Apache-2.0
#include "rank_communication.hpp"

#include <algorithm>
#include <utility>

#include "roam/core/error.hpp"
#include "roam/placement/detail/lb_data.hpp"
#include "support/data_files.hpp"

namespace roam_map {

using roam::topology::Communication;

void CommunicationSum::add(std::uint32_t from, std::uint32_t to, double bytes, double messages) {
  if (from == to) return;
  const auto [a, b] = std::minmax(from, to);
  const auto key = std::uint64_t{a} << 32 | b;
  Communication& communication = of_pair_.try_emplace(key, Communication{a, b, 0, 0}).first->second;
  communication.amount += bytes;
  communication.messages += messages;
}

std::vector<Communication> CommunicationSum::communications() const {
  std::vector<Communication> communications;
  communications.reserve(of_pair_.size());
  for (const auto& [key, communication] : of_pair_) communications.push_back(communication);
  std::ranges::sort(communications, {}, [](const Communication& communication) {
    return std::pair(communication.a, communication.b);
  });
  return communications;
}

RankCommunication communication_of_lb_data(const std::vector<std::string>& paths,
                                           std::optional<std::int64_t> phase) {
  const roam::placement::LbData data =
      roam::placement::read_lb_data(roam_tools::files_of(paths), phase);
  if (data.phases.empty() && phase) throw roam::ConfigError("--phase: the data has no such phase");
  if (data.ranks < 1) throw roam::ConfigError("the data has no ranks");
  RankCommunication result;
  result.ranks = static_cast<std::uint32_t>(data.ranks);
  CommunicationSum sum;
  for (const roam::placement::LbData::Phase& one : data.phases) {
    for (const roam::placement::Link& link : one.graph.links) {
      sum.add(static_cast<std::uint32_t>(one.graph.rank[link.a]),
              static_cast<std::uint32_t>(one.graph.rank[link.b]), link.bytes, link.messages);
    }
    result.left_out += one.other_communications;
  }
  result.communications = sum.communications();
  return result;
}

}  // namespace roam_map
