// SPDX-License-Identifier: Apache-2.0
#include "job_files.hpp"

#include <cstddef>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace roam_map {

namespace {

struct RanksInARow {
  std::string host;
  std::size_t count;
};

std::vector<RanksInARow> rows_of(std::span<const std::int32_t> placement, const Hosts& hosts) {
  std::vector<RanksInARow> rows;
  for (const std::int32_t place : placement) {
    const std::string& host = hosts.name_of(place);
    if (rows.empty() || rows.back().host != host) rows.push_back({host, 0});
    ++rows.back().count;
  }
  return rows;
}

}  // namespace

std::string rankfile_text(std::span<const std::int32_t> placement, const Hosts& hosts) {
  std::string text;
  for (std::size_t rank = 0; rank < placement.size(); ++rank) {
    text += "rank " + std::to_string(rank) + "=" + hosts.name_of(placement[rank]) +
            " slot=" + hosts.slots_of(placement[rank]) + "\n";
  }
  return text;
}

std::string slurm_text(std::span<const std::int32_t> placement, const Hosts& hosts) {
  std::string text;
  for (const std::int32_t place : placement) text += hosts.name_of(place) + "\n";
  return text;
}

std::string mpich_text(std::span<const std::int32_t> placement, const Hosts& hosts) {
  std::string text;
  for (const RanksInARow& row : rows_of(placement, hosts))
    text += row.host + ":" + std::to_string(row.count) + "\n";
  return text;
}

bool has_scattered_host(std::span<const std::int32_t> placement, const Hosts& hosts) {
  std::set<std::string> known;
  for (RanksInARow& row : rows_of(placement, hosts))
    if (!known.insert(std::move(row.host)).second) return true;
  return false;
}

std::string order_text(const Plan& plan) {
  std::unordered_map<std::int32_t, std::size_t> rank_on;
  for (std::size_t rank = 0; rank < plan.proposed.size(); ++rank)
    rank_on[plan.proposed[rank]] = rank;
  std::string text;
  for (const std::int32_t place : plan.now) text += std::to_string(rank_on.at(place)) + "\n";
  return text;
}

}  // namespace roam_map
