// SPDX-License-Identifier: Apache-2.0
#include "flow/task_recorder.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "roam/trace/run_trace.hpp"

namespace roam::flow {

namespace {

constexpr std::size_t uses_per_task = 4;  // average for which memory is reserved

// A table of texts that contains each once.
class Labels {
 public:
  explicit Labels(std::vector<std::string>& labels) : labels_(labels) {}
  [[nodiscard]] std::uint32_t of(std::string text) {
    const auto [place, is_new] =
        numbers_.try_emplace(std::move(text), static_cast<std::uint32_t>(labels_.size()));
    if (is_new) labels_.push_back(place->first);
    return place->second;
  }

 private:
  std::vector<std::string>& labels_;
  std::map<std::string, std::uint32_t> numbers_;
};

// The last tasks that used a datum: the next one waits for those that it may not run beside.
class LastUses {
 public:
  // Calls `visit(before)` for each task that this use waits for.
  template <class Visit>
  void use(std::uint32_t task, Effect effect, const PartUse& range, const Visit& visit) {
    if (effect == Effect::schedule_read) effect = Effect::read;
    if (is_part(effect) || !of_parts_.empty()) return use_part(task, effect, range, visit);
    if (effect == Effect::overwrite) {  // does not depend on earlier versions
      before_.clear();
      present_ = {task};
    } else if (!present_.empty() && is_shared(effect) && effect == effect_) {
      present_.push_back(task);
    } else {
      before_ = std::exchange(present_, {task});
    }
    effect_ = effect;
    for (const std::uint32_t before : before_) visit(before);
  }

 private:
  struct PartOfTask {
    std::uint32_t task;
    Effect effect;
    PartUse range;
  };
  // From the first part on, a list of what has not been written anew since.
  template <class Visit>
  void use_part(std::uint32_t task, Effect effect, const PartUse& range, const Visit& visit) {
    if (effect == Effect::part_read) effect = Effect::read;
    if (effect == Effect::part_modify) effect = Effect::modify;
    if (of_parts_.empty()) {
      for (const std::uint32_t before : before_) of_parts_.push_back({before, Effect::modify, {}});
      for (const std::uint32_t before : present_) of_parts_.push_back({before, effect_, {}});
    }
    const bool is_alone = !is_shared(effect);
    std::erase_if(of_parts_, [&](const PartOfTask& one) {
      if (!overlap(one.range, range) || (!is_alone && one.effect == effect)) return false;
      visit(one.task);
      return is_alone && range.begin <= one.range.begin && one.range.end <= range.end;
    });
    of_parts_.push_back({task, effect, range});
  }

  std::vector<PartOfTask> of_parts_;
  Effect effect_ = Effect::read;
  std::vector<std::uint32_t> present_;  // tasks that use it beside each other
  std::vector<std::uint32_t> before_;   // tasks before them
};

}  // namespace

TaskRecorder::TaskRecorder(std::size_t most) : entries_(most), uses_(uses_per_task * most) {}

TaskRecorder::Entry* TaskRecorder::entry_of(const TaskRecord* task) {
  return task == nullptr || task->number_ == 0 ? nullptr : &entries_[task->number_ - 1];
}

std::uint32_t TaskRecorder::number_of(Instance& instance) {
  if (instance.number() == 0) {
    const core::LockGuard guard(lock_);
    data_.push_back(instance.label());
    instance.set_number(static_cast<std::uint32_t>(data_.size()));
  }
  return instance.number();
}

std::uint32_t TaskRecorder::number_of_part(const Access& access) {
  if (!is_part(access.effect)) return 0;
  const core::LockGuard guard(lock_);
  parts_.push_back(range_of(access));
  return static_cast<std::uint32_t>(parts_.size());
}

void TaskRecorder::issued(TaskRecord& task) {
  const std::uint64_t place = issued_.fetch_add(1, std::memory_order_relaxed);
  if (place >= entries_.size()) return;
  const std::span<Access> accesses = task.accesses();
  const std::size_t first = used_.fetch_add(accesses.size(), std::memory_order_relaxed);
  if (first + accesses.size() > uses_.size()) return;
  Entry& entry = entries_[place];
  entry.first_use = first;
  entry.use_count = static_cast<std::uint8_t>(accesses.size());
  entry.parent = task.parent().task() == nullptr ? 0 : task.parent().task()->number_;
  entry.name = task.name();
  entry.where = task.where();
  entry.parcel = task.parcel();
  for (std::size_t k = 0; k < accesses.size(); ++k)
    uses_[first + k] = {number_of(*accesses[k].instance), number_of_part(accesses[k]),
                        accesses[k].effect};
  task.number_ = static_cast<std::uint32_t>(place + 1);
  entry.is_there.store(true, std::memory_order_release);
}

void TaskRecorder::began(const TaskRecord& task, std::uint32_t slot, Instant now) {
  Entry* const entry = entry_of(&task);
  if (entry == nullptr) return;
  entry->slot.store(slot, std::memory_order_relaxed);
  if (entry->begin.load(std::memory_order_relaxed) == never)
    entry->begin.store(now.count(), std::memory_order_relaxed);
  entry->resumed.store(now.count(), std::memory_order_relaxed);
}

void TaskRecorder::ended(const TaskRecord& task, Instant now) {
  Entry* const entry = entry_of(&task);
  if (entry == nullptr) return;
  const std::int64_t took = now.count() - entry->resumed.load(std::memory_order_relaxed);
  entry->busy.fetch_add(took, std::memory_order_relaxed);
  entry->end.store(now.count(), std::memory_order_relaxed);
}

void TaskRecorder::stalled(const TaskRecord* task, Instant begin, Instant end) {
  if (Entry* const entry = entry_of(task))
    entry->busy.fetch_sub((end - begin).count(), std::memory_order_relaxed);
  const core::LockGuard guard(lock_);
  if (stalls_.size() < entries_.size()) stalls_.push_back({begin, end});
}

trace::FlowTrace TaskRecorder::trace() const {
  std::vector<DatumLabel> data;
  std::vector<PartUse> parts;
  trace::FlowTrace trace;
  {
    const core::LockGuard guard(lock_);
    data = data_;
    parts = parts_;
    for (const Stall& stall : stalls_) trace.stalls.push_back({stall.begin, stall.end});
  }
  Labels labels(trace.labels);
  std::map<std::tuple<const char*, const char*, std::uint32_t>, std::uint32_t> label_of_task;
  std::vector<std::uint32_t> label_of_datum(data.size());
  for (std::size_t i = 0; i < data.size(); ++i) label_of_datum[i] = labels.of(to_string(data[i]));
  std::vector<LastUses> last(data.size());
  std::vector<std::uint32_t> place(entries_.size());  // position in the trace
  const std::uint64_t issued = issued_.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < std::min<std::uint64_t>(issued, entries_.size()); ++i) {
    const Entry& entry = entries_[i];
    if (!entry.is_there.load(std::memory_order_acquire)) continue;
    const auto number = static_cast<std::uint32_t>(trace.tasks.size());
    place[i] = number;
    const auto [label, is_new] =
        label_of_task.try_emplace({entry.name, entry.where.file, entry.where.line});
    if (is_new)
      label->second = labels.of(std::string(entry.name) + " (" + to_string(entry.where) + ")");
    trace::FlowTask task;
    task.parcel = entry.parcel.name;
    task.parcel_use = static_cast<std::uint32_t>(entry.parcel.use);
    task.begin = Instant(entry.begin.load(std::memory_order_relaxed));
    task.end = Instant(entry.end.load(std::memory_order_relaxed));
    task.busy = std::max(Duration(entry.busy.load(std::memory_order_relaxed)), Duration::zero());
    task.label = label->second;
    task.parent = entry.parent == 0 ? trace::FlowTask::none : place[entry.parent - 1];
    task.worker = entry.slot.load(std::memory_order_relaxed);
    trace.tasks.push_back(task);
    std::vector<std::uint32_t> waits;  // without duplicates
    for (std::size_t k = 0; k < entry.use_count; ++k) {
      const Use& use = uses_[entry.first_use + k];
      if (use.datum > data.size() || use.part > parts.size())
        continue;  // newer than the copy above
      const PartUse range = use.part == 0 ? PartUse() : parts[use.part - 1];
      last[use.datum - 1].use(number, use.effect, range, [&](std::uint32_t before) {
        if (std::find(waits.begin(), waits.end(), before) != waits.end()) return;
        waits.push_back(before);
        trace.edges.push_back({before, number, label_of_datum[use.datum - 1]});
      });
    }
  }
  trace.left_out = issued - trace.tasks.size();
  return trace;
}

}  // namespace roam::flow
