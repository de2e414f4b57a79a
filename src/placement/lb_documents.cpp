// SPDX-License-Identifier: Apache-2.0
#include "lb_documents.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <utility>

namespace roam::placement {

namespace {

namespace fs = std::filesystem;

// Limit on repeated phases: a few bytes that announce identical phases become many in memory.
constexpr std::uint64_t most_repeated_tasks = 10'000'000;
constexpr std::size_t most_repeated_phases = 100'000;

std::optional<std::int32_t> rank_in_name(const std::string& origin) {
  std::string name = fs::path(origin).filename().string();  // "data.12.json", "data.12.json.br"
  for (const char* ending : {".br", ".json"}) {
    if (name.ends_with(ending)) name.erase(name.size() - std::string_view(ending).size());
  }
  const auto dot = name.rfind('.');
  if (dot == std::string::npos) return {};
  std::int32_t rank = -1;
  const char* begin = name.data() + dot + 1;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(begin, end, rank);
  if (error != std::errc() || stop != end || rank < 0 || rank >= max_ranks) return {};
  return rank;
}

/// The rank that all tasks of the file say they are on.
std::optional<std::int32_t> rank_of_all_tasks(const JsonPlace& root) {
  std::optional<std::int32_t> common;
  const JsonPlace phases = root.at("phases");
  for (std::size_t p = 0; p < phases.length(); ++p) {
    const JsonPlace tasks = phases.at(p).at("tasks");
    for (std::size_t t = 0; t < tasks.length(); ++t) {
      if (!tasks.at(t).has("node")) return {};
      const std::int32_t rank = rank_of_task(tasks.at(t), 0);
      if (common.value_or(rank) != rank) return {};
      common = rank;
    }
  }
  return common;
}

/// The rank of a file: what is written in it counts; its name is used only if the contents leave
/// the rank open.
std::int32_t rank_of_file(const JsonPlace& root, const std::string& origin) {
  if (root.has("metadata") && root.at("metadata").has("rank")) {
    return static_cast<std::int32_t>(root.at("metadata").at("rank").integer(0, max_ranks - 1));
  }
  if (const auto rank = rank_of_all_tasks(root)) return *rank;
  if (const auto rank = rank_in_name(origin)) return *rank;
  throw ConfigError(origin +
                    ": neither its metadata, nor its tasks, nor its name (\"data.12.json\") tell "
                    "its rank");
}

/// Checks the type, which may stand at the top, in the metadata, or in both.
void check_type(const JsonPlace& root, const std::string& origin) {
  bool is_said = false;
  const auto check = [&](const JsonPlace& holder) {
    if (!holder.has("type")) return;
    is_said = holder.at("type").text() == "LBDatafile";
    if (!is_said) holder.at("type").fail("\"LBDatafile\"");
  };
  check(root);
  if (root.has("metadata")) {
    if (!root.at("metadata").json().is_object()) root.at("metadata").fail("an object");
    check(root.at("metadata"));
  }
  if (is_said) return;
  throw ConfigError(origin + ": this is no data of vt's load balancer (\"type\": \"LBDatafile\")");
}

// Values that are not interpreted are written again later, by a function that calls itself for each
// level of nesting; this limits the depth.
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

/// The numbers of phases in {"list": [1, 2], "range": [[4, 7]]}.
std::set<std::int64_t> phase_set(const JsonPlace& place) {
  std::set<std::int64_t> ids;
  const auto add = [&](std::int64_t first, std::int64_t last) {
    if (last - first >= static_cast<std::int64_t>(most_repeated_phases - ids.size())) {
      place.fail("at most " + std::to_string(most_repeated_phases) + " phases");
    }
    for (std::int64_t id = first; id <= last; ++id) ids.insert(ids.end(), id);
  };
  const auto number = [](const JsonPlace& id) { return id.integer(0, INT64_MAX - 1); };
  if (place.has("list")) {
    const JsonPlace list = place.at("list");
    for (std::size_t i = 0; i < list.length(); ++i) add(number(list.at(i)), number(list.at(i)));
  }
  if (place.has("range")) {
    const JsonPlace list = place.at("range");
    for (std::size_t i = 0; i < list.length(); ++i) {
      if (list.at(i).length() != 2) list.at(i).fail("a list of the first and the last phase");
      const std::int64_t first = number(list.at(i).at(std::size_t{0}));
      add(first, list.at(i).at(std::size_t{1}).integer(first, INT64_MAX - 1));
    }
  }
  return ids;
}

std::set<std::int64_t> identical_phases(const JsonPlace& root) {
  if (!root.has("metadata") || !root.at("metadata").has("phases")) return {};
  const JsonPlace phases = root.at("metadata").at("phases");
  return phases.has("identical_to_previous") ? phase_set(phases.at("identical_to_previous"))
                                             : std::set<std::int64_t>{};
}

/// The last phase of the file before phase `id`.
LbListedPhase phase_before(const LbDocument& document, std::int64_t id) {
  const auto next = document.phases.lower_bound(id);
  if (next != document.phases.begin()) return std::prev(next)->second;
  throw ConfigError(document.origin + ": its metadata says that phase " + std::to_string(id) +
                    " is identical to the one before, and there is none");
}

/// Adds the phases that are identical to the one before.
void repeat_phases(LbDocument& document) {
  std::uint64_t tasks = 0;
  std::erase_if(document.identical, [&](auto id) { return document.phases.contains(id); });
  for (const std::int64_t id : document.identical) {
    const LbListedPhase before = phase_before(document, id);
    tasks += before.json->at("tasks").size();
    if (tasks > most_repeated_tasks) {
      throw ConfigError(document.origin +
                        ": phases that are identical to the one before would be " + "more than " +
                        std::to_string(most_repeated_tasks) + " tasks; choose one by --phase");
    }
    document.phases.emplace(id, before);
  }
}

/// Removes all phases but `wanted`.
void keep_one(LbDocument& document, std::int64_t wanted) {
  LbListedPhase kept;
  if (const auto found = document.phases.find(wanted); found != document.phases.end()) {
    kept = found->second;
  } else if (document.identical.contains(wanted)) {
    kept = phase_before(document, wanted);
  }
  document.phases.clear();
  document.identical.clear();
  document.order.clear();
  if (kept.json != nullptr) {
    document.phases.emplace(wanted, kept);
    document.order.push_back(wanted);
  }
  // The metadata describes the phases that have been removed, too.
  if (document.root.contains("metadata")) document.root["metadata"].erase("phases");
}

LbDocument parse_document(const LbText& file, std::optional<std::int64_t> wanted) {
  LbDocument document;
  document.origin = file.origin;
  document.was_compressed = file.was_compressed;
  document.root = parse(file);
  const JsonPlace root(document.root, file.origin);
  check_type(root, file.origin);
  (void)root.at("phases").length();
  document.rank = rank_of_file(root, file.origin);
  document.identical = identical_phases(root);
  Json list = std::move(document.root["phases"]);
  document.root["phases"] = nullptr;
  const JsonPlace phases(list, file.origin + "/phases");
  for (std::size_t p = 0; p < phases.length(); ++p) {
    const JsonPlace phase = phases.at(p);
    const std::int64_t id = phase.at("id").integer(0, INT64_MAX - 1);
    (void)phase.at("tasks").length();
    if (document.phases.contains(id)) {
      phase.at("id").fail("a phase that is not listed in this file before");
    }
    document.phases.emplace(id, LbListedPhase{std::make_shared<const Json>(std::move(list[p])), p});
    document.order.push_back(id);
  }
  if (wanted) {
    keep_one(document, *wanted);
  } else {
    repeat_phases(document);
  }
  return document;
}

/// The identity of the job of Roam that wrote the file; empty for other files.
std::string job_of(const LbDocument& document) {
  const JsonPlace root(document.root, document.origin);
  if (!root.has("metadata") || !root.at("metadata").has("attributes")) return "";
  const JsonPlace attributes = root.at("metadata").at("attributes");
  return attributes.has("roam_job") ? attributes.at("roam_job").text() : "";
}

void check_ranks(const LbDocuments& all) {
  for (std::size_t f = 1; f < all.files.size(); ++f) {
    const LbDocument& before = all.files[f - 1];
    const LbDocument& file = all.files[f];
    if (file.rank == before.rank) {
      throw ConfigError(file.origin + ": the loads of rank " + std::to_string(file.rank) +
                        ", which " + before.origin + " has given already");
    }
  }
}

/// Throws if files are of different jobs: those that another job has left in the folder would count
/// as ranks of this one.
void check_job(const LbDocuments& all) {
  if (all.files.empty()) return;
  const LbDocument& first = all.files.front();
  const std::string job = job_of(first);
  for (const LbDocument& file : all.files) {
    if (job_of(file) == job) continue;
    throw ConfigError(file.origin + ": not of the job that wrote " + first.origin +
                      " (their metadata/attributes/roam_job differ); give the files of one job");
  }
  if (job.empty()) return;
  const JsonPlace attributes = JsonPlace(first.root, first.origin).at("metadata").at("attributes");
  if (!attributes.has("roam_ranks")) return;
  const auto ranks = static_cast<std::size_t>(attributes.at("roam_ranks").integer(1, max_ranks));
  for (std::size_t r = 0; r < ranks; ++r) {
    const bool is_there = r < all.files.size() && all.files[r].rank == std::int32_t(r);
    if (is_there) continue;
    throw ConfigError(first.origin + ": its job had " + std::to_string(ranks) +
                      " ranks, and the file of rank " + std::to_string(r) + " is missing");
  }
}

}  // namespace

std::uint64_t id_of(const JsonPlace& entity) {
  return entity.has("id") ? entity.at("id").id() : entity.at("seq_id").id();
}

bool is_object(const JsonPlace& entity) {
  return entity.has("type") && entity.at("type").text() == "object" &&
         (entity.has("id") || entity.has("seq_id"));
}

std::int32_t rank_of_task(const JsonPlace& task, std::int32_t rank_of_file) {
  if (!task.has("node")) return rank_of_file;
  return static_cast<std::int32_t>(task.at("node").integer(0, max_ranks - 1));
}

LbDocuments parse_lb_documents(std::span<const LbText> files, std::optional<std::int64_t> phase) {
  LbDocuments all;
  all.phase = phase;
  for (const LbText& file : files) all.files.push_back(parse_document(file, phase));
  std::ranges::stable_sort(all.files, {}, &LbDocument::rank);
  check_ranks(all);
  check_job(all);
  return all;
}

}  // namespace roam::placement
