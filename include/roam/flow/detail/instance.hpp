// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "roam/core/detail/spin_lock.hpp"
#include "roam/flow/detail/access.hpp"
#include "roam/flow/detail/block_pool.hpp"
#include "roam/flow/detail/value_memory.hpp"
#include "roam/flow/failure.hpp"
#include "roam/flow/source_line.hpp"

namespace roam::flow {

class Core;
class PartFailures;
class PartLine;

/// What a back end keeps for an instance, such as its name in another runtime. Destroyed with the
/// instance, by any thread.
class BackendNote {
 public:
  BackendNote() = default;
  BackendNote(const BackendNote&) = delete;
  BackendNote& operator=(const BackendNote&) = delete;
  virtual ~BackendNote() = default;
};

/// The memory of one version of a datum, or of several that follow each other in place, and the
/// tasks that use it, in the order of the program: a group that uses it now - one that writes, or
/// any number that share - and those that wait. Made by the scope that has the datum; entered by
/// that scope only, left by the thread that has run the task. Freed when no datum refers to it and
/// nobody uses it.
class Instance {
 public:
  explicit Instance(const DatumLabel& label, bool is_counted = false)
      : is_counted_(is_counted), label_(label) {}
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  virtual ~Instance();
  /// Allocates memory in the pool of a Flow.
  [[nodiscard]] static void* operator new(std::size_t bytes, Core& core);
  static void operator delete(void* memory);  // NOLINT(misc-new-delete-overloads): of the pool
  static void operator delete(void* memory, Core& core);

  [[nodiscard]] const DatumLabel& label() const { return label_; }
  /// To be called before any task uses it.
  void set_name(const char* name) { label_.name = name; }
  /// Its number in a TaskRecorder; 0: none. Used by the scope's thread.
  [[nodiscard]] std::uint32_t number() const { return number_; }
  void set_number(std::uint32_t number) { number_ = number; }
  /// The Core of its scope.
  [[nodiscard]] Core& core() const { return BlockPool::core_of(this); }

  // --- tasks ---
  /// Returns true if the task may use it now; otherwise another task's leave() admits it. Called by
  /// the scope's thread.
  [[nodiscard]] bool enter(Access& access) ROAM_EXCLUDES(lock_);
  /// Enters up to three, of which each has to wait for the one before it; nullptr: there are fewer.
  /// None of them is of a part. Returns true if the first one may use it now.
  [[nodiscard]] bool enter_row(Access& first, Access* second, Access* third) ROAM_EXCLUDES(lock_);
  /// In place of enter(), for a task that a back end orders: counts the use, which ends by leave().
  /// `joint`: what the task does with the datum in all of its uses together. Returns true if
  /// neighbouring uses form a group that this one does not belong to, although a back end cannot
  /// tell them from it. Called by the scope's thread.
  [[nodiscard]] bool count_use(Access& access, Effect joint) ROAM_EXCLUDES(lock_);
  /// A place for the back end that orders the tasks. Used by the scope's thread.
  [[nodiscard]] std::unique_ptr<BackendNote>& backend_note() { return rarely().backend; }
  /// Ends a task's use. Appends the accesses that are admitted now. Returns true if this instance
  /// has to be deleted.
  [[nodiscard]] bool leave(Access& access, AccessList& let_in) ROAM_EXCLUDES(lock_);
  /// For an admitted task with Effect::commute: returns true if it has exclusive use now; otherwise
  /// it will get it from yield().
  [[nodiscard]] bool take(Access& access) ROAM_EXCLUDES(lock_);
  /// Has to be called before take() for a task that does not enter(), as in a replayed graph. By
  /// the scope's thread.
  void prepare_taking() { (void)rarely(); }
  /// Has to be called before a value with failures of parts is given to it. By the scope's thread.
  void prepare_part_failures() { (void)rarely(); }
  /// Makes an instance with a copy of the value; nullptr: the quota does not allow it, or the
  /// value's class has thrown.
  using Copy = Instance* (*)(Core&, const Instance&);
  /// Tasks that read get a copy if others wait behind them. By the scope's thread, before any task
  /// uses it.
  void set_copy(Copy copy) { rarely().copy = copy; }
  /// Called with the first of all tasks that use it now, which read, and have not begun; the others
  /// are the next in `let_in`. Gives them a copy, if possible, and lets in who waits for them.
  void make_copy(Access& first, AccessList& let_in) ROAM_EXCLUDES(lock_);
  /// Makes this a copy of so many bytes, which are returned to the quota with it.
  void note_copy(std::int64_t bytes);
  /// Tracks parts from now on. By the scope's thread.
  void use_parts() ROAM_EXCLUDES(lock_);
  /// Lets in what waits for the gate of its PartLine, whose turn has come.
  void open_parts(AccessList& let_in) ROAM_EXCLUDES(lock_);
  /// Passes exclusive use on; returns the access that has it from now on, if any.
  [[nodiscard]] Access* yield() ROAM_EXCLUDES(lock_);
  /// Reports that no datum refers to it any more. Returns true if this instance has to be deleted.
  [[nodiscard]] bool retire() ROAM_EXCLUDES(lock_);
  /// True if nobody uses it or waits for it. Called by the scope's thread, for which this cannot
  /// change.
  [[nodiscard]] bool is_unused() const ROAM_EXCLUDES(lock_);

  /// The accesses of tasks in its line, in order; without those of graphs and of the PartLine.
  [[nodiscard]] std::vector<const Access*> waiting() const ROAM_EXCLUDES(lock_);

  // --- its value: whoever uses it ---
  [[nodiscard]] void* value() const { return value_; }
  /// Replaces the value by a new one, T().
  void renew() {
    drop_value();
    value_ = construct();
  }
  /// Removes the value.
  void clear() { drop_value(); }
  /// Refers to the value of another instance, which must outlive this one.
  void borrow(const Instance& other) {
    value_ = other.value_;
    is_borrowed_ = value_ != nullptr;
    failure_ = other.failure_;
  }
  /// Has to be called before share(). By the scope's thread.
  void prepare_to_share() { (void)rarely(); }
  /// Refers to a value that others read, too.
  void share(std::shared_ptr<const void> value);
  /// Frees the memory of another instance that contains the value, if there is one, and the value.
  void let_go_of_holder() {
    if (holder_ != nullptr) drop_value();
  }
  /// Takes over the value of `last`, which nobody uses, unless it is the same instance. Deletes
  /// `last`, or retains it for its memory.
  void take_back(Instance* last);
  [[nodiscard]] const FailureRef& failure() const { return failure_; }
  /// Adds to the value what tasks have contributed, unless the whole has failed.
  void add(Partial& partial) {
    if (partial.failure) set_failure(partial.failure);
    if (!is_failed_as_whole()) partial.add_to(*this);
  }
  [[nodiscard]] bool is_fine() const { return value_ != nullptr && !failure_; }
  /// From now on this is the failure of the whole, or there is none.
  void set_failure(FailureRef failure) ROAM_EXCLUDES(lock_) {
    failure_ = std::move(failure);
    // Only a special access, of which there may never be one, would find failures of parts later.
    if (std::exchange(is_failed_in_parts_, false)) [[unlikely]]
      forget_part_failures();
  }
  /// Reports that a task could not write a part. Others may use other parts meanwhile.
  void set_part_failure(const Access& access, const FailureRef& failure) ROAM_EXCLUDES(lock_);
  /// The failure of what an access uses, of which parts may have failed.
  [[nodiscard]] FailureRef failure_of(const Access& access) const ROAM_EXCLUDES(lock_);
  [[nodiscard]] FailureRef any_failure() const ROAM_EXCLUDES(lock_);
  /// If parts have failed, the whole has failed from now on.
  void join_part_failures() { set_failure(any_failure()); }
  void forget_part_failures() ROAM_EXCLUDES(lock_);
  [[nodiscard]] bool has_part_failures() const ROAM_EXCLUDES(lock_);
  /// Forgets all failures, for an access that overwrites.
  void recover(const Access& access) ROAM_EXCLUDES(lock_);
  // What follows is called by whoever uses it alone, or beside others that read all of it.
  /// True if there is a value of which parts have failed, and no failure of the whole. `access`:
  /// reads all of it.
  [[nodiscard]] bool is_failed_in_parts(const Access& access) const ROAM_EXCLUDES(lock_);
  /// The same if no task uses it.
  [[nodiscard]] bool is_failed_in_parts() const ROAM_EXCLUDES(lock_);
  /// Writes the failures of parts, for another rank.
  void write_part_failures(core::Packer& packer) const ROAM_EXCLUDES(lock_);
  /// Reads what write_part_failures() has written. `is_copy`: the rank where they come from reports
  /// them.
  void read_part_failures(core::Unpacker& bytes, bool is_copy) ROAM_EXCLUDES(lock_);
  /// Marks all its failures as reported elsewhere.
  void note_failures_told() const ROAM_EXCLUDES(lock_);

  // --- a value that the index's mobile object has, on another rank (ElementTasks) ---
  /// True if the value here is only a place-holder. Any thread; becomes false as soon as the value
  /// comes.
  [[nodiscard]] bool is_kept() const { return is_kept_.load(std::memory_order_acquire); }
  void set_kept(bool kept) { is_kept_.store(kept, std::memory_order_release); }
  /// Puts T() in place of the value: the instance looks like any other that has one, and needs
  /// little memory. By whoever uses it alone.
  void put_place_holder();
  /// The size of its value when it was measured last; 0: it is not.
  [[nodiscard]] std::int64_t measured_bytes();

 protected:
  /// Constructs T() in its own memory.
  [[nodiscard]] virtual void* construct() = 0;
  /// Destroys a value in its own memory.
  virtual void destroy(void* value) = 0;
  void drop_value();
  void set_value(void* value) { value_ = value; }
  [[nodiscard]] bool is_borrowed() const { return is_borrowed_; }

 private:
  /// Members that few instances need.
  struct Rarely {
    bool is_taken = false;  // by a commuting task
    AccessList want_it;     // commuting tasks that are admitted
    Partial* first = nullptr;
    Partial* last = nullptr;
    bool is_adding = false;  // true while a thread adds partials
    Copy copy = nullptr;
    Access* first_reader = nullptr;  // of those that read at the end of the line
    bool has_border = false;         // true if a Replay is one of those
    std::unique_ptr<detail::CopiedBytes> copied;
    std::unique_ptr<PartLine> parts;
    std::unique_ptr<PartFailures> failures;
    std::unique_ptr<BackendNote> backend;
    std::shared_ptr<const void> shared;  // the value, if others read it, too
    Rarely();
    ~Rarely();
  };
  [[nodiscard]] bool is_failed_as_whole() const {
    return static_cast<bool>(failure_) && !is_failed_in_parts_;
  }
  [[nodiscard]] bool is_dead() const ROAM_REQUIRES(lock_) {
    return is_retired_ && active_ == 0 && waiting_.front() == nullptr;
  }
  [[nodiscard]] bool is_idle() const ROAM_REQUIRES(lock_);
  void let_in(AccessList& let_in) ROAM_REQUIRES(lock_);
  void prepare(Access& access) ROAM_EXCLUDES(lock_);
  [[nodiscard]] bool enter_now(Access& access) ROAM_REQUIRES(lock_);
  [[nodiscard]] bool wait(Access& access, Effect group) ROAM_REQUIRES(lock_);
  void wait_in_line(Access& access, Effect group) ROAM_REQUIRES(lock_);
  [[nodiscard]] Instance* copy_for(std::uint32_t readers) ROAM_EXCLUDES(lock_);
  [[nodiscard]] bool leave_specially(Access& access, AccessList& let_in) ROAM_EXCLUDES(lock_);
  [[nodiscard]] bool leave(std::uint32_t count, AccessList& let_in) ROAM_EXCLUDES(lock_);
  std::uint32_t add_partials(Access& access) ROAM_EXCLUDES(lock_);
  [[nodiscard]] Rarely& rarely();

  mutable core::SpinLock lock_;
  Effect group_ ROAM_GUARDED_BY(lock_) = Effect::read;  // effect of those that use it now
  bool is_retired_ ROAM_GUARDED_BY(lock_) = false;
  bool is_borrowed_ = false;  // true if the value belongs to another instance
  // True: failure_ stands for failures of parts that came with the value, so that tasks notice them
  // of which no PartLine knows; other parts are fine.
  bool is_failed_in_parts_ = false;
  const bool is_counted_;  // true for a CountedInstance
  std::atomic<bool> is_kept_{false};
  std::uint32_t active_ ROAM_GUARDED_BY(lock_) = 0;
  std::uint32_t number_ = 0;
  AccessList waiting_ ROAM_GUARDED_BY(lock_);
  void* value_ = nullptr;
  Instance* holder_ = nullptr;  // owned: whose memory contains the value, if not this one
  FailureRef failure_;
  std::unique_ptr<Rarely> rarely_;  // made by the scope's thread; its contents are under lock_
  DatumLabel label_;
};

/// An instance whose value may be large. Once no datum refers to it, the value counts as held by
/// unfinished tasks, until they are complete.
class CountedInstance : public Instance {
 public:
  using Measure = std::int64_t (*)(Core&, const void* value);
  CountedInstance(const DatumLabel& label, Measure measure)
      : Instance(label, true), measure_(measure) {}
  ~CountedInstance() override;
  /// Measures the value that has been written; called by whoever may write it.
  void note_value() ROAM_EXCLUDES(bytes_lock_);
  /// What it has measured last.
  [[nodiscard]] std::int64_t bytes() ROAM_EXCLUDES(bytes_lock_) {
    const core::LockGuard guard(bytes_lock_);
    return bytes_;
  }

 private:
  friend class Instance;
  /// Called when no datum refers to it any more, and tasks use it.
  void hold() ROAM_EXCLUDES(bytes_lock_);

  const Measure measure_;
  core::SpinLock bytes_lock_;
  bool is_held_ ROAM_GUARDED_BY(bytes_lock_) = false;
  std::int64_t bytes_ ROAM_GUARDED_BY(bytes_lock_) = TypeSizes::unknown;
};

template <class T>
class InstanceOf final
    : public std::conditional_t<detail::is_counted<T>, CountedInstance, Instance> {
  using Base = std::conditional_t<detail::is_counted<T>, CountedInstance, Instance>;

 public:
  static_assert(alignof(T) <= 64, "data of flow programs are aligned to 64 bytes at most");
  explicit InstanceOf(const DatumLabel& label) requires(detail::is_counted<T>)
      : Base(label, [](Core& core, const void* value) {
          return detail::measure(core, *static_cast<const T*>(value));
        }) {}
  explicit InstanceOf(const DatumLabel& label) requires(!detail::is_counted<T>) : Base(label) {}
  ~InstanceOf() override { this->drop_value(); }
  template <class... A>
  T& emplace(A&&... arguments) {
    this->drop_value();
    T* const value = ::new (static_cast<void*>(memory_)) T(std::forward<A>(arguments)...);
    this->set_value(value);
    if constexpr (detail::is_counted<T>) this->note_value();
    return *value;
  }

 private:
  [[nodiscard]] void* construct() override { return ::new (static_cast<void*>(memory_)) T(); }
  void destroy(void* value) override { static_cast<T*>(value)->~T(); }

  alignas(T) std::byte memory_[sizeof(T)];
};

/// The Instance::Copy for data of type T.
template <class T>
[[nodiscard]] Instance* copy_instance(Core& core, const Instance& from) {
  const T& value = *static_cast<const T*>(from.value());
  const std::int64_t bytes = detail::measure(core, value);
  if (!detail::may_copy(core, bytes)) return nullptr;
  auto* const copy = new (core) InstanceOf<T>(from.label());
  copy->note_copy(bytes);
  try {
    copy->emplace(value);
  } catch (...) {
    delete copy;
    return nullptr;
  }
  return copy;
}

}  // namespace roam::flow
