// SPDX-License-Identifier: Apache-2.0
#include "roam/balance/lb_recorder.hpp"

#include <filesystem>
#include <fstream>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "roam/core/error.hpp"

namespace roam::balance {

namespace {

std::string entity_of(std::uint64_t id) {
  return R"({"type":"object","id":)" + std::to_string(id) + R"(,"home":)" +
         std::to_string(ObjectId(id).home().value()) + R"(,"migratable":true})";
}

}  // namespace

LbRecorder::LbRecorder(std::string folder, Rank rank) : folder_(std::move(folder)), rank_(rank) {
  std::error_code error;
  std::filesystem::create_directory(folder_, error);
  if (error) throw Error("--roam-lb-data: " + folder_ + ": " + error.message());
}

void LbRecorder::add(const PhaseLoads& loads) {
  LbData::Phase phase;
  phase.id = static_cast<std::int64_t>(data_.phases.size());
  std::unordered_map<std::uint64_t, std::uint32_t> index_of;
  const auto index = [&](std::uint64_t id, std::int32_t rank, double seconds) {
    const auto [at, is_new] = index_of.emplace(id, static_cast<std::uint32_t>(index_of.size()));
    if (is_new) {
      phase.objects.push_back({id, entity_of(id), ""});
      phase.graph.seconds.push_back(seconds);
      phase.graph.rank.push_back(rank);
    }
    return at->second;
  };
  for (std::size_t i = 0; i < loads.objects.size(); ++i) {
    const std::uint32_t object = index(loads.objects[i], rank_.value(), loads.seconds[i]);
    if (loads.bytes[i] == 0) continue;
    phase.objects[object].user_defined =
        R"({"task_serialized_bytes":)" + std::to_string(loads.bytes[i]) + "}";
  }
  // Others are named for the links alone: no rank of theirs writes them from here.
  for (const mobile::CallEdge& edge : loads.calls) {
    if (!index_of.contains(edge.from)) continue;
    phase.graph.links.push_back({index(edge.from, rank_.value(), 0), index(edge.to, -1, 0),
                                 static_cast<double>(edge.bytes), static_cast<double>(edge.calls)});
  }
  data_.phases.push_back(std::move(phase));
}

void LbRecorder::write() const {
  const std::string path = folder_ + "/data." + std::to_string(rank_.value()) + ".json";
  std::ofstream file(path);
  file << lb_text(data_, rank_.value());
  if (!file.flush()) throw Error("--roam-lb-data: " + path + " cannot be written");
}

}  // namespace roam::balance
