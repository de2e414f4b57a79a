// SPDX-License-Identifier: Apache-2.0
// Who waits for whom, in words, for the report of a job that is stuck. Nothing is kept for it while
// tasks run: it looks at all tasks that are there, and at the lines of their instances.
#include "flow/waits.hpp"

#include <algorithm>
#include <utility>

namespace roam::flow {

namespace {

// A report of a rank with very many tasks looks at some of them.
constexpr std::size_t most_tasks = 20'000;
// So many tasks are named that wait for each other in turn.
constexpr int longest_chain = 3;

bool is_waiting_for_part(const Access& access) {
  return access.is_special && access.effect != Effect::accumulate && access.use != nullptr &&
         access.use->waits > 0;
}

}  // namespace

Core::Waits::Waits(Core& core) {
  core.pool_.for_each(BlockPool::Kind::task, [&](void* block) {
    if (tasks_.size() >= most_tasks) return;
    auto& task = *static_cast<TaskRecord*>(block);
    tasks_.push_back(&task);
    for (Access& access : task.accesses()) {
      if (access.has_instance) uses_[access.instance].push_back({&task, &access});
    }
  });
}

// The tasks that an access waits for; none if it does not wait.
Core::Waits::Blocking Core::Waits::blocking(const TaskRecord& of, const Access& access) const {
  const bool is_ordered = of.is_ordered_;
  const bool is_program = of.waits_;
  const Replay* const replay = is_ordered ? nullptr : of.belonging_.replay;
  Blocking found;
  const std::vector<const Access*> line = access.instance->waiting();
  const auto place = std::find(line.begin(), line.end(), &access);
  const bool waits = place != line.end() || is_waiting_for_part(access);
  for (auto before = line.begin(); waits && before != place; ++before) {
    if (writes((*before)->effect)) found.writer = &const_cast<Access&>(**before).task();
  }
  const auto uses = uses_.find(access.instance);
  if (uses == uses_.end()) return found;
  for (const Use& use : uses->second) {
    if (use.access == &access || (!writes(use.access->effect) && !writes(access.effect))) continue;
    const Replay* const other = use.task->is_ordered_ ? nullptr : use.task->belonging_.replay;
    bool is_before = false;
    if (is_ordered) {
      // The back end has the line. What comes from other ranks comes first, for whoever reads it.
      is_before =
          writes(use.access->effect) && (is_program || !use.task->awaits_elsewhere().empty());
    } else if (replay != nullptr && other == replay) {
      is_before = use.task->node_ < of.node_;
    } else {
      const bool waits_too = std::find(line.begin(), line.end(), use.access) != line.end() ||
                             is_waiting_for_part(*use.access);
      is_before = (waits || replay != nullptr) && !waits_too;
    }
    if (is_before && (found.user == nullptr || use.task->node_ < found.user->node_))
      found.user = use.task;
  }
  return found;
}

std::string Core::Waits::words_for(const Access& access, const Blocking& found, int depth) const {
  const TaskRecord* const named = found.writer != nullptr ? found.writer : found.user;
  std::string words =
      to_string(access.instance->label()) + ", to be written by " + named->describe();
  if (!writes_it(*named, access)) {
    words = to_string(access.instance->label()) + ", which " + named->describe() + " uses";
  }
  if (found.user == nullptr) return words;
  if (found.user != named) words += " after " + found.user->describe();
  const std::string elsewhere = found.user->awaits_elsewhere();
  if (!elsewhere.empty()) return words + ", which waits for " + elsewhere;
  const std::string next = depth < longest_chain ? wait_of(*found.user, depth + 1) : "";
  return next.empty() ? words : words + ", which waits for " + next;
}

bool Core::Waits::writes_it(const TaskRecord& task, const Access& access) const {
  const auto uses = uses_.find(access.instance);
  return uses != uses_.end() &&
         std::any_of(uses->second.begin(), uses->second.end(), [&](const Use& use) {
           return use.task == &task && writes(use.access->effect);
         });
}

std::string Core::Waits::wait_of(TaskRecord& task, int depth) const {
  for (const Access& access : task.accesses()) {
    if (!access.has_instance) continue;
    const Blocking found = blocking(task, access);
    if (found.user != nullptr || found.writer != nullptr) return words_for(access, found, depth);
  }
  return {};
}

std::vector<std::string> Core::Waits::all(std::size_t most) const {
  std::vector<std::string> all;
  for (TaskRecord* const task : tasks_) {
    if (all.size() >= most) break;
    if (!task->awaits_elsewhere().empty()) continue;
    const std::string words = wait_of(*task, 0);
    if (!words.empty()) all.push_back(task->describe() + " waits for " + words);
  }
  return all;
}

std::vector<std::string> Core::waits_in_words(std::size_t most) { return Waits(*this).all(most); }

std::string Core::wait_in_words(TaskRecord& task) { return Waits(*this).wait_of(task, 0); }

}  // namespace roam::flow
