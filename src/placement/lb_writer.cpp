// SPDX-License-Identifier: Apache-2.0
// Writes recorded loads by editing what was read: tasks go to the file of their new rank, and
// everything else stays as it is.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "lb_documents.hpp"
#include "lb_file.hpp"
#include "roam/placement/detail/lb_data.hpp"

namespace roam::placement {

namespace {

namespace fs = std::filesystem;

std::string file_name(std::int32_t rank) { return "data." + std::to_string(rank) + ".json"; }

/// Whether two phases are the same apart from their ids.
bool say_the_same(const Json& a, const Json& b) {
  const auto rest = [](const Json& phase) {
    Json copy = phase;
    copy.erase("id");
    return copy;
  };
  return &a == &b || rest(a) == rest(b);
}

/// One file while it is edited.
struct Draft {
  std::int32_t rank = 0;
  const LbDocument* document = nullptr;  // nullptr: the rank had no file
  std::map<std::int64_t, Json> edited;   // phases that differ from what was read

  [[nodiscard]] const Json* find(std::int64_t phase) const {
    if (const auto found = edited.find(phase); found != edited.end()) return &found->second;
    if (document == nullptr) return nullptr;
    const auto found = document->phases.find(phase);
    return found == document->phases.end() ? nullptr : found->second.json.get();
  }
  /// The phase, copied so that it can be changed.
  Json& edit(std::int64_t phase) {
    if (const auto found = edited.find(phase); found != edited.end()) return found->second;
    const Json* now = find(phase);
    Json copy = now != nullptr ? *now : Json{{"tasks", Json::array()}};
    copy["id"] = phase;
    return edited.emplace(phase, std::move(copy)).first->second;
  }
};

/// A task that goes to another rank.
struct Move {
  std::uint64_t object;
  std::size_t file;
  std::uint32_t task;
  std::int32_t to;
};

class Writer {
 public:
  explicit Writer(const LbData& data) : data_(data) {
    for (const LbDocument& document : data.documents->files) {
      draft_of_.emplace(document.rank, drafts_.size());
      drafts_.push_back({document.rank, &document, {}});
    }
  }

  std::vector<LbText> run() {
    for (const LbData::Phase& phase : data_.phases) move_objects(phase);
    std::vector<LbText> files;
    for (const auto& [rank, draft] : draft_of_) files.push_back(finish(drafts_[draft]));
    return files;
  }

 private:
  void move_objects(const LbData::Phase& phase) {
    std::vector<Move> moves;
    for (std::size_t i = 0; i < phase.objects.size(); ++i) {
      const LbData::Object& object = phase.objects[i];
      const LbDocument& document = data_.documents->files[object.file];
      const Json& task = document.phases.at(phase.id).json->at("tasks")[object.task];
      if (rank_of_task({task, document.origin}, document.rank) == phase.graph.rank[i]) continue;
      moves.push_back({object.id, object.file, object.task, phase.graph.rank[i]});
    }
    if (moves.empty()) return;
    move_communications(phase, moves);
    move_tasks(phase, moves);
  }

  std::size_t draft(std::int32_t rank) {
    const auto [found, is_new] = draft_of_.emplace(rank, drafts_.size());
    if (is_new) drafts_.push_back({rank, nullptr, {}});
    return found->second;
  }

  void move_tasks(const LbData::Phase& phase, const std::vector<Move>& moves) {
    std::map<std::size_t, std::vector<bool>> leaves;  // of each file, the tasks that leave it
    for (const Move& move : moves) {
      const Json& tasks = drafts_[move.file].find(phase.id)->at("tasks");
      std::vector<bool>& of_file = leaves[move.file];
      of_file.resize(tasks.size());
      of_file[move.task] = true;
      Json task = tasks[move.task];
      task["node"] = move.to;
      set_rank_bytes(task, phase.graph.memory, move.to);
      arrivals_[draft(move.to)].push_back(std::move(task));
    }
    for (const auto& [file, is_gone] : leaves) {
      Json& tasks = drafts_[file].edit(phase.id)["tasks"];
      Json kept = Json::array();
      for (std::size_t t = 0; t < tasks.size(); ++t) {
        if (!is_gone[t]) kept.push_back(std::move(tasks[t]));
      }
      tasks = std::move(kept);
    }
    for (auto& [file, tasks] : arrivals_) {
      Json& list = drafts_[file].edit(phase.id)["tasks"];
      for (Json& task : tasks) list.push_back(std::move(task));
    }
    arrivals_.clear();
  }

  /// Writes into a task what its rank needs of memory by itself.
  static void set_rank_bytes(Json& task, const MemoryNeeds& memory, std::int32_t rank) {
    const auto user = task.find("user_defined");
    if (!memory.is_known() || user == task.end() || !user->contains("rank_working_bytes")) return;
    (*user)["rank_working_bytes"] = memory.rank_bytes[static_cast<std::size_t>(rank)];
  }

  /// Moves communications: each is listed in the file of one of its ends and moves with that
  /// object.
  void move_communications(const LbData::Phase& phase, const std::vector<Move>& moves) {
    std::unordered_map<std::uint64_t, std::size_t> file_of;
    for (const LbData::Object& object : phase.objects) file_of.emplace(object.id, object.file);
    std::unordered_map<std::uint64_t, std::int32_t> rank_of;  // new ranks of objects that move
    std::set<std::size_t> files;
    for (const Move& move : moves) {
      rank_of.emplace(move.object, move.to);
      files.insert(move.file);
    }
    std::map<std::size_t, Json> arriving;  // lists of communications by file
    for (const std::size_t file : files) {
      const Json& now = *drafts_[file].find(phase.id);
      if (!now.contains("communications")) continue;
      Json kept = Json::array();
      for (const Json& entry : now.at("communications")) {
        const auto end = end_in_file(entry, file, file_of);
        const auto moved = end ? rank_of.find(*end) : rank_of.end();
        const std::size_t to = moved == rank_of.end() ? file : draft(moved->second);
        Json& list = to == file ? kept : arriving[to];
        list.push_back(entry);
      }
      if (kept.size() < now.at("communications").size()) {
        drafts_[file].edit(phase.id)["communications"] = std::move(kept);
      }
    }
    for (auto& [file, communications] : arriving) {
      Json& list = drafts_[file].edit(phase.id)["communications"];
      for (Json& entry : communications) list.push_back(std::move(entry));
    }
  }

  /// The id of the object at one end, if there is one; communications that the reader ignores may
  /// have anything there.
  static std::optional<std::uint64_t> object_at(const Json& entry, const char* end) {
    const auto found = entry.find(end);
    if (found == entry.end() || !found->is_object()) return {};
    if (found->value("type", Json()) != "object") return {};
    const Json id = found->contains("id") ? found->at("id") : found->value("seq_id", Json());
    return id.is_number_unsigned() ? std::optional(id.get<std::uint64_t>()) : std::nullopt;
  }

  /// The end of a communication whose file lists it: the sender if it goes to one object, the
  /// receiver if it goes to many or comes from a rank; if that object is not in this file, the
  /// other end.
  static std::optional<std::uint64_t> end_in_file(
      const Json& entry, std::size_t file,
      const std::unordered_map<std::uint64_t, std::size_t>& file_of) {
    if (!entry.is_object()) return {};
    const Json kind = entry.value("type", Json());
    const std::string type = kind.is_string() ? kind.get<std::string>() : "";
    const bool at_receiver =
        type.ends_with("Bcast") || type == "Broadcast" || type.starts_with("NodeTo");
    for (const char* end : {at_receiver ? "to" : "from", at_receiver ? "from" : "to"}) {
      const std::optional<std::uint64_t> id = object_at(entry, end);
      if (!id) continue;
      const auto found = file_of.find(*id);
      if (found != file_of.end() && found->second == file) return id;
    }
    return {};
  }

  LbText finish(const Draft& draft) const {
    Json root = draft.document != nullptr ? draft.document->root : new_root(draft.rank);
    std::map<std::int64_t, Json> listed;
    std::vector<std::int64_t> order;
    std::set<std::int64_t> identical;
    if (draft.document != nullptr) {
      order = draft.document->order;
      for (const auto& [id, phase] : draft.document->phases) {
        if (!draft.document->identical.contains(id)) continue;
        const auto next = draft.document->phases.find(id);
        if (say_the_same(*draft.find(id), *draft.find(std::prev(next)->first))) {
          identical.insert(id);
        } else {
          order.push_back(id);
        }
      }
      if (identical != draft.document->identical) {
        root["metadata"]["phases"]["identical_to_previous"] = {{"list", identical},
                                                               {"range", Json::array()}};
      }
    }
    for (const auto& [id, phase] : draft.edited) {
      const bool is_new = draft.document == nullptr || !draft.document->phases.contains(id);
      if (is_new) order.push_back(id);
    }
    if (draft.document == nullptr || std::ranges::is_sorted(draft.document->order)) {
      std::ranges::sort(order);
    }
    Json phases = Json::array();
    for (const std::int64_t id : order) {
      phases.push_back(*draft.find(id));
      phases.back()["id"] = id;
    }
    root["phases"] = std::move(phases);
    // The rank of the file no longer follows from its tasks.
    if (!draft.edited.empty() && !root.contains(Json::json_pointer("/metadata/rank"))) {
      root["metadata"]["rank"] = draft.rank;
    }
    const bool was_compressed = draft.document != nullptr
                                    ? draft.document->was_compressed
                                    : data_.documents->files.front().was_compressed;
    return {file_name(draft.rank), root.dump() + "\n", was_compressed};
  }

  /// The root of a file for a rank that had none: of the same job as the others.
  [[nodiscard]] Json new_root(std::int32_t rank) const {
    Json root = {{"type", "LBDatafile"}, {"metadata", {{"type", "LBDatafile"}, {"rank", rank}}}};
    const Json& other = data_.documents->files.front().root;
    for (const char* key : {"roam_job", "roam_ranks"}) {
      const Json::json_pointer at(std::string("/metadata/attributes/") + key);
      if (other.contains(at)) root[at] = other.at(at);
    }
    return root;
  }

  const LbData& data_;
  std::vector<Draft> drafts_;
  std::map<std::int32_t, std::size_t> draft_of_;  // of a rank: index of its draft
  std::map<std::size_t, std::vector<Json>> arrivals_;
};

bool is_data_file(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".json") || name.ends_with(".json.br");
}

/// Nothing of the input may be overwritten, and what else is in the folder would be taken for part
/// of the job.
void check_folder(const LbData& data, const std::vector<LbText>& files, const std::string& folder) {
  std::error_code error;
  for (const LbDocument& document : data.documents->files) {
    const fs::path parent = fs::absolute(document.origin).parent_path();
    if (!fs::equivalent(parent, folder, error) || error) continue;
    throw ConfigError(folder + ": the loads were read from here (" + document.origin +
                      "); write them to another folder");
  }
  if (!fs::exists(folder, error)) return;
  if (!fs::is_directory(folder, error)) throw ConfigError(folder + ": this is no folder");
  std::set<std::string> names;
  for (const LbText& file : files) names.insert(file.origin);
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!is_data_file(entry.path()) || names.contains(entry.path().filename().string())) continue;
    throw ConfigError(folder + ": holds " + entry.path().filename().string() +
                      ", which is not of this job; give an empty folder");
  }
}

}  // namespace

std::vector<LbText> lb_files(const LbData& data) { return Writer(data).run(); }

void write_lb_data(const LbData& data, const std::string& folder) {
  const std::vector<LbText> files = lb_files(data);
  check_folder(data, files, folder);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw ConfigError(folder + ": " + error.message());
  for (const LbText& file : files) write_lb_file((fs::path(folder) / file.origin).string(), file);
}

}  // namespace roam::placement
