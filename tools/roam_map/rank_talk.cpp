// SPDX-License-Identifier: Apache-2.0
#include "rank_talk.hpp"

#include <algorithm>
#include <utility>

#include "roam/core/error.hpp"
#include "roam/placement/detail/lb_data.hpp"
#include "support/data_files.hpp"

namespace roam_map {

using roam::topology::Talk;

void TalkSum::add(std::uint32_t from, std::uint32_t to, double bytes, double messages) {
  if (from == to) return;
  const auto [a, b] = std::minmax(from, to);
  const auto key = std::uint64_t{a} << 32 | b;
  Talk& talk = of_pair_.try_emplace(key, Talk{a, b, 0, 0}).first->second;
  talk.amount += bytes;
  talk.messages += messages;
}

std::vector<Talk> TalkSum::talks() const {
  std::vector<Talk> talks;
  talks.reserve(of_pair_.size());
  for (const auto& [key, talk] : of_pair_) talks.push_back(talk);
  std::ranges::sort(talks, {}, [](const Talk& talk) { return std::pair(talk.a, talk.b); });
  return talks;
}

RankTalk talk_of_lb_data(const std::vector<std::string>& paths, std::optional<std::int64_t> phase) {
  const roam::placement::LbData data =
      roam::placement::read_lb_data(roam_tools::files_of(paths), phase);
  if (data.phases.empty() && phase) throw roam::ConfigError("--phase: the data has no such phase");
  if (data.ranks < 1) throw roam::ConfigError("the data has no ranks");
  RankTalk result;
  result.ranks = static_cast<std::uint32_t>(data.ranks);
  TalkSum sum;
  for (const roam::placement::LbData::Phase& one : data.phases) {
    for (const roam::placement::Link& link : one.graph.links) {
      sum.add(static_cast<std::uint32_t>(one.graph.rank[link.a]),
              static_cast<std::uint32_t>(one.graph.rank[link.b]), link.bytes, link.messages);
    }
    result.left_out += one.other_communications;
  }
  result.talks = sum.talks();
  return result;
}

}  // namespace roam_map
