// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "roam/core/serialise.hpp"
#include "roam/exec/ready_item.hpp"
#include "roam/flow/detail/datum.hpp"

namespace roam::flow {

class Core;
class ElementQueue;
class GraphRun;
class RemoteBody;
class Replay;
class TaskRecord;
struct TravelNotes;

/// @cond
/// A sequence of code that issues tasks: the main program of a Flow, or a task that has children.
/// Its data are known in this scope alone.
class Scope {
 public:
  /// `task`: the task whose children are issued here; nullptr: a main program's scope.
  Scope(Core& core, TaskRecord* task) : core_(core), task_(task) {}
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  [[nodiscard]] Core& core() const { return core_; }
  [[nodiscard]] TaskRecord* task() const { return task_; }
  /// For a task's scope: adds `count` to what has to end, its own body counting as one.
  void begin(std::uint32_t count) { unfinished_.fetch_add(count, std::memory_order_relaxed); }
  [[nodiscard]] bool end() { return unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  /// The graph() whose body issues tasks here; nullptr: none.
  [[nodiscard]] GraphRun* graph() const { return graph_; }
  void set_graph(GraphRun* graph) { graph_ = graph; }

 private:
  Core& core_;
  TaskRecord* const task_;
  GraphRun* graph_ = nullptr;
  std::atomic<std::uint32_t> unfinished_{0};
};

/// What connects tasks of different ranks: a value that one sends to others, or gives to a datum
/// after it has come from another rank; a reduction to which it contributes, or whose result it
/// gives to a datum.
struct ParcelTag {
  enum class Use : std::uint32_t { receive, send, contribute, combine };
  std::uint64_t name = 0;  ///< a number that all ranks derive; 0: nothing
  Use use = Use::receive;
};
/// @endcond

/// A task from its issue to its end: what it uses, and what it waits for. Owned by the Core, which
/// deletes it when it is complete.
class TaskRecord : public exec::Execution {
 public:
  /// @cond
  /// Runs the body, on a worker when all data are there. May throw.
  virtual void call() = 0;
  /// Called in place of call(), or after it has thrown.
  virtual void cannot_run(const FailureRef& failure) { static_cast<void>(failure); }
  /// For a task with children, called when they are complete: what they have written becomes the
  /// task's own.
  virtual void take_back() {}
  /// For a task with children: returns true if call() is to be called again.
  [[nodiscard]] virtual bool repeats() const { return false; }
  /// Reports the time of its body, or of the body of a task that it has issued; called if
  /// set_measured().
  virtual void took(Duration time) { static_cast<void>(time); }
  /// Describes what it waits for from other ranks: part of a sentence; empty: nothing. Called when
  /// the rank is at rest.
  [[nodiscard]] virtual std::string awaits_elsewhere() const { return {}; }
  /// Connects the tasks of different ranks in a drawing.
  [[nodiscard]] virtual ParcelTag parcel() const { return {}; }
  // --- running on another rank: the task of an index that may move (ElementQueue) ---
  /// Where it waits once it is ready; called if set_queued().
  [[nodiscard]] virtual ElementQueue* queue() const { return nullptr; }
  /// Its body there.
  [[nodiscard]] virtual const RemoteBody* remote_body() const { return nullptr; }
  /// Writes what the body uses.
  virtual void write_inputs(core::Packer& /*packer*/, TravelNotes& /*notes*/) {}
  /// Reads what the body has written, in place of call().
  virtual void read_outputs(core::Unpacker& /*bytes*/, TravelNotes& /*notes*/) {}
  virtual ~TaskRecord() = default;
  /// Allocates memory in the pool of a Flow.
  [[nodiscard]] static void* operator new(std::size_t bytes, Core& core);
  static void operator delete(void* memory);  // NOLINT(misc-new-delete-overloads): of the pool
  static void operator delete(void* memory, Core& core);
  /// @endcond

  /// The tasks of its flow on this rank; `task.core().run(task)` runs it.
  [[nodiscard]] Core& core() const { return parent_.core(); }
  /// @cond
  [[nodiscard]] Scope& parent() const { return parent_; }
  [[nodiscard]] std::span<Access> accesses() { return {first_access(), access_count_}; }
  /// @endcond
  /// Its name in errors and reports; static storage.
  [[nodiscard]] const char* name() const { return name_; }
  /// The line of the program that issued it.
  [[nodiscard]] SourceLine where() const { return {file_, line_}; }
  /// Its urgency as given by the program: a hint.
  [[nodiscard]] Priority priority() const { return priority_; }
  /// @cond
  /// To be called before it is submitted.
  void set_priority(Priority priority) { priority_ = priority; }
  /// For a task that a back end orders and holds: what this needs in order to end it.
  [[nodiscard]] void* hold() const { return belonging_.hold; }
  void set_hold(void* hold) { belonging_.hold = hold; }
  /// @endcond

  /// The description of the task in reports: "task relax (jacobi.cpp:12)".
  [[nodiscard]] std::string describe() const override;
  /// @cond
  /// In virtual time: called when the computing time has passed.
  void finish(exec::Context& context) override;

 protected:
  TaskRecord(Scope& parent, const char* name, const SourceLine& where)
      : parent_(parent), name_(name), file_(where.file), line_(where.line) {}
  /// Sets where its accesses are stored within it; to be called before it is submitted.
  void set_accesses(Access* first, std::size_t count);
  /// Does the same, except for the accesses' own offsets. Returns the first of these.
  std::uint16_t set_accesses_at(const Access* first, std::size_t count, bool commutes) {
    access_count_ = static_cast<std::uint8_t>(count);
    first_access_ = static_cast<std::uint16_t>(reinterpret_cast<const std::byte*>(first) -
                                               reinterpret_cast<const std::byte*>(this));
    commutes_ = commutes;
    return first_access_;
  }
  /// True if it has a scope of its own, for its children.
  void set_inner(bool has_children) { has_children_ = has_children; }
  void set_waits() { waits_ = true; }
  void set_measured(bool measured) { is_measured_ = measured; }
  void set_queued(bool queued) { is_queued_ = queued; }
  /// @endcond

 private:
  friend class Core;
  friend class GraphRun;
  friend class Replay;
  friend class TaskRecorder;
  [[nodiscard]] Access* first_access() {
    return reinterpret_cast<Access*>(reinterpret_cast<std::byte*>(this) + first_access_);
  }

  Scope& parent_;
  const char* const name_;
  const char* const file_;
  /// @cond
  union Belonging {
    Replay* replay = nullptr;  // to which the task belongs; nullptr: it is tracked
    void* hold;                // if is_ordered_: the back end's; nullptr: it does not hold the task
  };
  Belonging belonging_;
  /// @endcond
  const std::uint32_t line_;
  // Accesses that are not admitted yet, plus one until issue is complete.
  std::atomic<std::uint32_t> blockers_{0};
  std::uint16_t first_access_ = 0;
  std::uint8_t access_count_ = 0;
  std::uint8_t taken_ = 0;  // commuting accesses to which it has exclusive use
  Priority priority_ = Priority::normal;
  bool commutes_ : 1 = false;
  bool has_children_ : 1 = false;
  bool waits_ : 1 = false;  // true for a wait of the program for a value: nothing has to be run
  bool is_measured_ : 1 = false;
  bool is_ordered_ : 1 = false;      // true: by the back end
  bool is_queued_ : 1 = false;       // true: it has a queue()
  std::uint16_t cancellations_ = 0;  // number of cancellations in its Flow when it was issued
  std::uint32_t number_ = 0;         // number in the TaskRecorder; 0: not recorded
  std::uint32_t node_ = 0;           // number in the Replay
};

}  // namespace roam::flow
