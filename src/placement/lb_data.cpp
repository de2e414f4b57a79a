// SPDX-License-Identifier: Apache-2.0
#include "roam/placement/detail/lb_data.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "lb_documents.hpp"
#include "lb_file.hpp"
#include "lb_json.hpp"

namespace roam::placement {

namespace {

/// Collects what the tasks of a phase say about memory. Lists that are not known in the end are
/// left empty.
struct MemoryBuilder {
  MemoryNeeds memory;
  std::map<std::int64_t, std::uint32_t> block_of;  // block of each shared_id
  std::map<std::int32_t, double> rank_bytes;
  bool is_known = false;

  void add(const JsonPlace* user, std::int32_t rank) {
    const auto bytes = [user](const char* key) {
      return user != nullptr && user->has(key) ? static_cast<double>(user->at(key).bytes()) : 0.0;
    };
    memory.object_bytes.push_back(bytes("task_footprint_bytes"));
    memory.working_bytes.push_back(bytes("task_working_bytes"));
    memory.block.push_back(MemoryNeeds::no_block);
    if (user == nullptr) return;
    for (const char* key :
         {"task_footprint_bytes", "task_working_bytes", "shared_bytes", "rank_working_bytes"}) {
      is_known = is_known || user->has(key);
    }
    double& rank_working = rank_bytes[rank];
    rank_working = std::max(rank_working, bytes("rank_working_bytes"));
    if (!user->has("shared_id") || !user->has("shared_bytes")) return;
    const std::int64_t id = user->at("shared_id").integer(INT64_MIN, INT64_MAX);
    if (id < 0) return;  // the task works on no shared block
    const auto next = static_cast<std::uint32_t>(memory.block_bytes.size());
    const auto [block, is_new] = block_of.emplace(id, next);
    if (is_new) memory.block_bytes.push_back(0);
    double& size = memory.block_bytes[block->second];
    size = std::max(size, bytes("shared_bytes"));
    memory.block.back() = block->second;
  }

  /// The finished lists. A rank without tasks does not say what it needs itself; it gets the
  /// largest value of the others.
  [[nodiscard]] MemoryNeeds finish(std::int32_t ranks) {
    if (!is_known) return {};
    double most = 0;
    for (const auto& [rank, bytes] : rank_bytes) most = std::max(most, bytes);
    memory.rank_bytes.assign(static_cast<std::size_t>(ranks), most);
    for (const auto& [rank, bytes] : rank_bytes) {
      memory.rank_bytes[static_cast<std::size_t>(rank)] = bytes;
    }
    return std::move(memory);
  }
};

/// Collects one phase, file by file.
struct PhaseBuilder {
  LbData::Phase phase;
  std::unordered_map<std::uint64_t, std::uint32_t> number;  // number of an object by its id
  MemoryBuilder memory;
  bool has_bytes = true;
  bool has_index = true;
  bool is_listed = false;  // true if a file lists it
  struct OpenLink {
    std::uint64_t from;
    std::uint64_t to;
    double bytes;
    double messages;
  };
  std::vector<OpenLink> links;

  void add_file(const JsonPlace& listed, std::size_t file, std::int32_t rank) {
    const JsonPlace tasks = listed.at("tasks");
    for (std::size_t t = 0; t < tasks.length(); ++t) {
      add_task(tasks.at(t), rank, {0, static_cast<std::uint32_t>(file), std::uint32_t(t)});
    }
    if (!listed.has("communications")) return;
    const JsonPlace communications = listed.at("communications");
    for (std::size_t t = 0; t < communications.length(); ++t)
      add_communication(communications.at(t));
  }

  void add_task(const JsonPlace& task, std::int32_t rank_of_file, LbData::Object object) {
    const JsonPlace entity = task.at("entity");
    object.id = id_of(entity);
    const auto [found, is_new] =
        number.emplace(object.id, static_cast<std::uint32_t>(phase.objects.size()));
    if (!is_new) entity.fail("an object that is not listed in this phase before");
    LoadGraph& graph = phase.graph;
    graph.seconds.push_back(task.at("time").amount());
    graph.rank.push_back(rank_of_task(task, rank_of_file));
    const bool is_pinned = entity.has("migratable") && !entity.at("migratable").boolean();
    graph.pinned.push_back(is_pinned ? 1 : 0);
    graph.bytes.push_back(0);
    graph.coordinates.push_back({});
    if (task.has("user_defined")) {
      const JsonPlace user = task.at("user_defined");
      add_bytes(user);
      memory.add(&user, graph.rank.back());
    } else {
      has_bytes = false;
      memory.add(nullptr, graph.rank.back());
    }
    add_index(entity);
    phase.objects.push_back(object);
  }

  void add_bytes(const JsonPlace& user) {
    if (user.has("task_serialized_bytes")) {
      phase.graph.bytes.back() = user.at("task_serialized_bytes").bytes();
    } else {
      has_bytes = false;
    }
  }

  void add_index(const JsonPlace& entity) {
    const std::size_t dimensions = entity.has("index") ? entity.at("index").length() : 0;
    if (dimensions < 1 || dimensions > 3) {
      has_index = false;
      return;
    }
    for (std::size_t d = 0; d < dimensions; ++d) {
      phase.graph.coordinates.back()[d] =
          static_cast<double>(entity.at("index").at(d).integer(INT64_MIN, INT64_MAX));
    }
  }

  void add_communication(const JsonPlace& entry) {
    const bool is_link = entry.has("type") && entry.at("type").text() == "SendRecv" &&
                         is_object(entry.at("from")) && is_object(entry.at("to"));
    if (!is_link) {
      ++phase.other_communications;
      return;
    }
    links.push_back({id_of(entry.at("from")), id_of(entry.at("to")), entry.at("bytes").amount(),
                     entry.has("messages") ? entry.at("messages").amount() : 1});
  }

  LbData::Phase finish(std::int32_t ranks) {
    for (const OpenLink& link : links) {
      const auto from = number.find(link.from);
      const auto to = number.find(link.to);
      if (from == number.end() || to == number.end()) {
        ++phase.other_communications;
      } else {
        phase.graph.links.push_back({from->second, to->second, link.bytes, link.messages});
      }
    }
    if (!has_bytes) phase.graph.bytes.clear();
    if (!has_index) phase.graph.coordinates.clear();
    phase.graph.memory = memory.finish(ranks);
    phase.is_identical_to_previous = !is_listed;
    return std::move(phase);
  }
};

/// Limits ranks times phases, since memory needs are stored for each rank in each phase.
void check_size(const LbData& data, std::size_t phases, const std::string& origin) {
  constexpr std::size_t most = 100'000'000;
  if (static_cast<std::size_t>(data.ranks) <= most / std::max<std::size_t>(phases, 1)) return;
  throw ConfigError(origin + ": " + std::to_string(phases) + " phases of " +
                    std::to_string(data.ranks) +
                    " ranks are too much at a time; choose one by --phase");
}

}  // namespace

LbData parse_lb_data(std::span<const LbText> files, std::optional<std::int64_t> phase) {
  LbData data;
  auto documents = std::make_shared<LbDocuments>(parse_lb_documents(files, phase));
  std::map<std::int64_t, PhaseBuilder> phases;
  for (std::size_t f = 0; f < documents->files.size(); ++f) {
    const LbDocument& document = documents->files[f];
    data.ranks = std::max(data.ranks, document.rank + 1);
    for (const auto& [id, listed] : document.phases) {
      PhaseBuilder& builder = phases[id];
      builder.phase.id = id;
      builder.is_listed = builder.is_listed || !document.identical.contains(id);
      const std::string place = document.origin + "/phases/" + std::to_string(listed.position);
      builder.add_file({*listed.json, place}, f, document.rank);
    }
  }
  for (const auto& [id, builder] : phases) {
    for (const std::int32_t rank : builder.phase.graph.rank) {
      data.ranks = std::max(data.ranks, rank + 1);
    }
  }
  if (!files.empty()) check_size(data, phases.size(), files.front().origin);
  for (auto& [id, builder] : phases) data.phases.push_back(builder.finish(data.ranks));
  data.documents = std::move(documents);
  return data;
}

LbData read_lb_data(std::span<const std::string> paths, std::optional<std::int64_t> phase) {
  std::vector<LbText> files;
  files.reserve(paths.size());
  for (const std::string& path : paths) files.push_back(read_lb_file(path));
  return parse_lb_data(files, phase);
}

}  // namespace roam::placement
