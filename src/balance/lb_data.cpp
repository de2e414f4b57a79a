// SPDX-License-Identifier: Apache-2.0
#include "roam/balance/lb_data.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <unordered_map>

#include "lb_file.hpp"
#include "lb_json.hpp"

namespace roam::balance {

namespace {

namespace fs = std::filesystem;

/// vt calls an object by its id; some files of the LB analysis framework by a seq_id.
std::uint64_t id_of(const JsonPlace& entity) {
  return entity.has("id") ? entity.at("id").id() : entity.at("seq_id").id();
}

bool is_object(const JsonPlace& entity) {
  return entity.has("type") && entity.at("type").text() == "object" &&
         (entity.has("id") || entity.has("seq_id"));
}

std::optional<std::int32_t> rank_in_name(const std::string& origin) {
  const std::string stem = fs::path(origin).stem().string();  // "data.12"
  const auto dot = stem.rfind('.');
  if (dot == std::string::npos) return {};
  std::int32_t rank = -1;
  const char* begin = stem.data() + dot + 1;
  const char* end = stem.data() + stem.size();
  const auto [stop, error] = std::from_chars(begin, end, rank);
  if (error != std::errc() || stop != end || rank < 0) return {};
  return rank;
}

/// One phase as it grows, file by file.
struct PhaseBuilder {
  LbData::Phase phase;
  std::unordered_map<std::uint64_t, std::uint32_t> number;  // of an object by its id
  bool has_bytes = true;
  bool has_index = true;
  struct OpenLink {
    std::uint64_t from;
    std::uint64_t to;
    double bytes;
    double messages;
  };
  std::vector<OpenLink> links;

  void add_task(const JsonPlace& task, std::int32_t rank) {
    const JsonPlace entity = task.at("entity");
    LbData::Object object{id_of(entity), entity.json().dump(), ""};
    const auto [found, is_new] =
        number.emplace(object.id, static_cast<std::uint32_t>(phase.objects.size()));
    if (!is_new) entity.fail("an object that is not listed in this phase before");
    LoadGraph& graph = phase.graph;
    graph.seconds.push_back(task.at("time").amount());
    if (task.has("node")) {
      rank = static_cast<std::int32_t>(task.at("node").integer(0, max_ranks - 1));
    }
    graph.rank.push_back(rank);
    const bool is_pinned = entity.has("migratable") && !entity.at("migratable").boolean();
    graph.pinned.push_back(is_pinned ? 1 : 0);
    graph.bytes.push_back(0);
    graph.coordinates.push_back({});
    if (task.has("user_defined"))
      add_user_defined(task.at("user_defined"), object);
    else
      has_bytes = false;
    add_index(entity);
    phase.objects.push_back(std::move(object));
  }

  void add_user_defined(const JsonPlace& user, LbData::Object& object) {
    object.user_defined = user.json().dump();
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

  void add_communication(const JsonPlace& talk) {
    const bool is_link = talk.has("type") && talk.at("type").text() == "SendRecv" &&
                         is_object(talk.at("from")) && is_object(talk.at("to"));
    if (!is_link) {
      ++phase.other_communications;
      return;
    }
    links.push_back({id_of(talk.at("from")), id_of(talk.at("to")), talk.at("bytes").amount(),
                     talk.has("messages") ? talk.at("messages").amount() : 1});
  }

  LbData::Phase finish() {
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
    return std::move(phase);
  }
};

std::int32_t rank_of_file(const JsonPlace& root, const std::string& origin) {
  if (root.has("metadata") && root.at("metadata").has("rank")) {
    return static_cast<std::int32_t>(root.at("metadata").at("rank").integer(0, max_ranks - 1));
  }
  if (const auto rank = rank_in_name(origin)) {
    if (*rank < max_ranks) return *rank;
  }
  throw ConfigError(origin +
                    ": neither its metadata nor its name (\"data.12.json\") tell its rank");
}

void check_type(const JsonPlace& root, const std::string& origin) {
  const JsonPlace holder = root.has("metadata") ? root.at("metadata") : root;
  if (!holder.has("type") || holder.at("type").text() != "LBDatafile") {
    throw ConfigError(origin +
                      ": this is no data of vt's load balancer (\"type\": \"LBDatafile\")");
  }
}

// What is kept as it is will be written again, by a function that calls itself for each level.
Json parse(const LbText& file) {
  constexpr int deepest = 100;
  const auto is_taken = [&file](int depth, Json::parse_event_t, const Json&) {
    if (depth <= deepest) return true;
    throw ConfigError(file.origin + ": nested deeper than " + std::to_string(deepest) + " levels");
  };
  try {
    return Json::parse(file.text, is_taken);
  } catch (const Json::exception& error) {
    throw ConfigError(file.origin + ": no valid JSON: " + error.what());
  }
}

/// As messages name it: an object, also where its tasks leave that out.
Json named(const LbData::Object& object) {
  Json entity = Json::parse(object.entity);
  entity["type"] = "object";
  return entity;
}

}  // namespace

LbData parse_lb_data(std::span<const LbText> files) {
  LbData data;
  std::map<std::int64_t, PhaseBuilder> phases;
  std::map<std::int32_t, std::string> file_of;
  for (const LbText& file : files) {
    const Json json = parse(file);
    const JsonPlace root(json, file.origin);
    check_type(root, file.origin);
    const std::int32_t rank = rank_of_file(root, file.origin);
    const auto [other, is_new] = file_of.emplace(rank, file.origin);
    if (!is_new) {
      throw ConfigError(file.origin + ": the loads of rank " + std::to_string(rank) + ", which " +
                        other->second + " has given already");
    }
    data.ranks = std::max(data.ranks, rank + 1);
    const JsonPlace list = root.at("phases");
    for (std::size_t p = 0; p < list.length(); ++p) {
      const JsonPlace phase = list.at(p);
      const std::int64_t id = phase.at("id").integer(0, INT64_MAX);
      PhaseBuilder& builder = phases[id];
      builder.phase.id = id;
      const JsonPlace tasks = phase.at("tasks");
      for (std::size_t t = 0; t < tasks.length(); ++t) builder.add_task(tasks.at(t), rank);
      if (!phase.has("communications")) continue;
      const JsonPlace talks = phase.at("communications");
      for (std::size_t t = 0; t < talks.length(); ++t) builder.add_communication(talks.at(t));
    }
  }
  for (auto& [id, builder] : phases) {
    data.phases.push_back(builder.finish());
    for (const std::int32_t rank : data.phases.back().graph.rank) {
      data.ranks = std::max(data.ranks, rank + 1);
    }
  }
  return data;
}

LbData read_lb_data(std::span<const std::string> paths) {
  std::vector<LbText> files;
  files.reserve(paths.size());
  for (const std::string& path : paths) files.push_back({path, read_lb_file(path)});
  return parse_lb_data(files);
}

std::string lb_text(const LbData& data, std::int32_t rank) {
  Json phases = Json::array();
  for (const LbData::Phase& phase : data.phases) {
    Json tasks = Json::array();
    Json talks = Json::array();
    const LoadGraph& graph = phase.graph;
    for (std::size_t i = 0; i < graph.size(); ++i) {
      if (graph.rank[i] != rank) continue;
      Json task = {{"entity", Json::parse(phase.objects[i].entity)},
                   {"node", rank},
                   {"resource", "cpu"},
                   {"time", graph.seconds[i]}};
      if (!phase.objects[i].user_defined.empty()) {
        task["user_defined"] = Json::parse(phase.objects[i].user_defined);
      }
      tasks.push_back(std::move(task));
    }
    for (const Link& link : graph.links) {
      if (graph.rank[link.a] != rank) continue;
      talks.push_back({{"type", "SendRecv"},
                       {"from", named(phase.objects[link.a])},
                       {"to", named(phase.objects[link.b])},
                       {"bytes", link.bytes},
                       {"messages", link.messages}});
    }
    phases.push_back(
        {{"id", phase.id}, {"tasks", std::move(tasks)}, {"communications", std::move(talks)}});
  }
  return Json{{"type", "LBDatafile"},
              {"metadata", {{"type", "LBDatafile"}, {"rank", rank}}},
              {"phases", std::move(phases)}}
             .dump() +
         "\n";
}

}  // namespace roam::balance
