// SPDX-License-Identifier: Apache-2.0
#include "roam/placement/detail/lb_recorder.hpp"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <unordered_set>

#include "lb_json.hpp"
#include "roam/core/error.hpp"
#include "roam/core/object_id.hpp"

namespace roam::placement {

namespace {

namespace fs = std::filesystem;

/// An object in vt's schema, without the optional entries.
Json entity_of(std::uint64_t id) {
  return {
      {"type", "object"}, {"id", id}, {"home", ObjectId(id).home().value()}, {"migratable", true}};
}

Json tasks_of(const PhaseLoads& loads, std::int32_t rank) {
  Json tasks = Json::array();
  for (std::size_t i = 0; i < loads.objects.size(); ++i) {
    Json task = {{"entity", entity_of(loads.objects[i])},
                 {"node", rank},
                 {"resource", "cpu"},
                 {"time", loads.seconds[i]}};
    if (loads.bytes[i] != 0) task["user_defined"]["task_serialized_bytes"] = loads.bytes[i];
    tasks.push_back(std::move(task));
  }
  return tasks;
}

/// The calls made by objects of this rank: a call is listed by the caller's rank.
Json communications_of(const PhaseLoads& loads) {
  const std::unordered_set<std::uint64_t> own(loads.objects.begin(), loads.objects.end());
  Json communications = Json::array();
  for (const CallEdge& edge : loads.calls) {
    if (!own.contains(edge.from)) continue;
    communications.push_back({{"type", "SendRecv"},
                              {"from", entity_of(edge.from)},
                              {"to", entity_of(edge.to)},
                              {"bytes", static_cast<double>(edge.bytes)},
                              {"messages", edge.calls}});
  }
  return communications;
}

/// The rank in a name such as "data.12.json"; -1 for other names.
std::int32_t rank_of(const std::string& name) {
  constexpr std::string_view begin = "data.";
  constexpr std::string_view end = ".json";
  if (!name.starts_with(begin) || !name.ends_with(end)) return -1;
  std::int32_t rank = -1;
  const char* const last = name.data() + name.size() - end.size();
  const auto [stop, error] = std::from_chars(name.data() + begin.size(), last, rank);
  return error == std::errc() && stop == last ? rank : -1;
}

/// Whether a job of Roam wrote the file; such files say so at the beginning.
bool is_recorded_by_roam(const fs::path& path) {
  std::string head(256, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  return head.find("\"roam_job\"") != std::string::npos;
}

}  // namespace

LbRecorder::LbRecorder(std::string folder, Rank rank, std::int32_t ranks)
    : folder_(std::move(folder)), rank_(rank), ranks_(ranks) {
  std::error_code error;
  fs::create_directory(folder_, error);
  if (error) throw Error("--roam-lb-data: " + folder_ + ": " + error.message());
}

void LbRecorder::add(const PhaseLoads& loads) {
  const std::lock_guard guard(mutex_);
  phases_.push_back(loads);
  phases_.back().coordinates = {};
}

void LbRecorder::write(const std::string& job) const {
  if (rank_ == 0) remove_older_files();
  const std::string path = folder_ + "/data." + std::to_string(rank_.value()) + ".json";
  const std::lock_guard guard(mutex_);
  std::ofstream file(path);
  const Json metadata = {{"type", "LBDatafile"},
                         {"rank", rank_.value()},
                         {"attributes", {{"roam_job", job}, {"roam_ranks", ranks_}}}};
  file << R"({"metadata":)" << metadata.dump() << R"(,"phases":[)";
  for (std::size_t p = 0; p < phases_.size(); ++p) {
    const Json phase = {{"id", p},
                        {"tasks", tasks_of(phases_[p], rank_.value())},
                        {"communications", communications_of(phases_[p])}};
    file << (p > 0 ? ",\n" : "\n") << phase.dump();
  }
  file << "\n],\"type\":\"LBDatafile\"}\n";
  if (!file.flush()) throw Error("--roam-lb-data: " + path + " cannot be written");
}

/// Removes files of an earlier job with more ranks, which no rank of this one replaces.
void LbRecorder::remove_older_files() const {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    if (rank_of(entry.path().filename().string()) < ranks_) continue;
    if (is_recorded_by_roam(entry.path())) fs::remove(entry.path(), error);
  }
}

}  // namespace roam::placement
