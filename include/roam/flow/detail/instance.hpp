// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "roam/core/detail/spin_lock.hpp"
#include "roam/flow/failure.hpp"
#include "roam/flow/source_line.hpp"

namespace roam::flow {

class Core;
class Datum;
class Instance;
class TaskRecord;

/// What a task does with a datum, as its parameter says.
enum class Effect : std::uint8_t {
  read,           ///< const T&, T
  modify,         ///< T&
  overwrite,      ///< Out<T>, Reduce<T, Op>: into memory of its own
  commute,        ///< Commute<T>
  accumulate,     ///< Accumulate<T, Op>
  schedule,       ///< Handle<T>: its children may do anything with it
  schedule_read,  ///< Handle<const T>
};
/// "reads"
[[nodiscard]] const char* verb_of(Effect effect);
template <Effect... E>
[[nodiscard]] constexpr bool is_one_of(Effect effect) {
  constexpr std::uint32_t set = ((1U << static_cast<std::uint32_t>(E)) | ...);
  return ((set >> static_cast<std::uint32_t>(effect)) & 1U) != 0;
}
/// Whether tasks with this effect may run beside each other on one instance.
[[nodiscard]] constexpr bool is_shared(Effect effect) {
  return is_one_of<Effect::read, Effect::schedule_read, Effect::commute, Effect::accumulate>(
      effect);
}
/// Whether the task needs a value that is there.
[[nodiscard]] constexpr bool needs_value(Effect effect) {
  return is_one_of<Effect::read, Effect::modify, Effect::commute>(effect);
}
[[nodiscard]] constexpr bool writes(Effect effect) {
  return effect != Effect::read && effect != Effect::schedule_read;
}

/// What one task adds to a datum by Accumulate: kept until all that come before it have been added.
class Partial {
 public:
  Partial() = default;
  Partial(const Partial&) = delete;
  Partial& operator=(const Partial&) = delete;
  virtual ~Partial() = default;
  /// Combines it with the value of the instance, which nobody else uses meanwhile.
  virtual void add_to(Instance& instance) = 0;

  FailureRef failure;  ///< of the task
  bool is_done = false;
  Partial* next = nullptr;
};

/// One use of a datum by one task; a part of the task.
struct Access {
  union {
    Datum* datum;        ///< until the task is admitted
    Instance* instance;  ///< from then on
  };
  Access* next = nullptr;      // in a list of the instance's, or of those that have been let in
  Partial* partial = nullptr;  // of an accumulating access: owned until the instance takes it
  std::uint16_t offset = 0;    // of this from the task's beginning
  Effect effect = Effect::read;
  bool has_instance = false;  // in place of the datum, before the task is admitted
  Access() : datum(nullptr) {}
  [[nodiscard]] TaskRecord& task() {
    return *reinterpret_cast<TaskRecord*>(reinterpret_cast<std::byte*>(this) - offset);
  }
};

/// Accesses that have been let in, in order; for whoever looks after their tasks once no lock is
/// held.
class AccessList {
 public:
  void push_back(Access& access) {
    access.next = nullptr;
    (last_ == nullptr ? first_ : last_->next) = &access;
    last_ = &access;
  }
  /// nullptr: it is empty.
  Access* pop_front() {
    Access* const access = first_;
    if (access != nullptr) {
      first_ = access->next;
      if (first_ == nullptr) last_ = nullptr;
    }
    return access;
  }
  [[nodiscard]] Access* front() const { return first_; }

 private:
  Access* first_ = nullptr;
  Access* last_ = nullptr;
};

/// The memory of one version of a datum, or of several that follow each other in place, and the
/// tasks that use it, in the order of the program: a group that uses it now - one that writes, or
/// any number that share - and those that wait. Made by the scope that has the datum, entered by it
/// alone, left by whatever thread has run the task. Freed when no datum has it and nobody uses it.
class Instance {
 public:
  explicit Instance(const DatumLabel& label) : label_(label) {}
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  virtual ~Instance();
  /// In the pool of a Flow.
  [[nodiscard]] static void* operator new(std::size_t bytes, Core& core);
  static void operator delete(void* memory);  // NOLINT(misc-new-delete-overloads): of the pool
  static void operator delete(void* memory, Core& core);

  [[nodiscard]] const DatumLabel& label() const { return label_; }
  /// Before any task uses it.
  void set_name(const char* name) { label_.name = name; }
  /// In a TaskRecorder; 0: none. By the scope's thread.
  [[nodiscard]] std::uint32_t number() const { return number_; }
  void set_number(std::uint32_t number) { number_ = number; }

  // --- tasks ---
  /// True: the task may use it now; else it is let in by another's leave(). By the scope's thread.
  [[nodiscard]] bool enter(Access& access) ROAM_EXCLUDES(lock_);
  /// The task is over. Adds those that are let in now. True: this instance is to be deleted.
  [[nodiscard]] bool leave(Access& access, AccessList& let_in) ROAM_EXCLUDES(lock_);
  /// Of a task that is let in and has Effect::commute: true if it is alone now, else it will be the
  /// one that yield() names.
  [[nodiscard]] bool take(Access& access) ROAM_EXCLUDES(lock_);
  /// The one that is alone from now on, if any.
  [[nodiscard]] Access* yield() ROAM_EXCLUDES(lock_);
  /// No datum has it any more. True: this instance is to be deleted.
  [[nodiscard]] bool retire() ROAM_EXCLUDES(lock_);
  /// Nobody uses it nor waits; by the scope's thread, to which this then is a fact.
  [[nodiscard]] bool is_unused() const ROAM_EXCLUDES(lock_);

  // --- its value: whoever uses it ---
  [[nodiscard]] void* value() const { return value_; }
  /// A new value, T(), in place of the old one.
  void renew() {
    drop_value();
    value_ = construct();
  }
  /// No value.
  void clear() { drop_value(); }
  /// Refers to the value of another one, which outlives this.
  void borrow(const Instance& other) {
    value_ = other.value_;
    is_borrowed_ = value_ != nullptr;
    failure_ = other.failure_;
  }
  /// The value of `last`, which nobody uses, comes in place of its own, unless it is its own.
  /// Deletes `last`, or keeps it for its memory.
  void take_back(Instance* last);
  [[nodiscard]] const FailureRef& failure() const { return failure_; }
  [[nodiscard]] bool is_fine() const { return value_ != nullptr && !failure_; }
  void set_failure(FailureRef failure) { failure_ = std::move(failure); }

 protected:
  /// T() in its own memory.
  [[nodiscard]] virtual void* construct() = 0;
  /// Of a value in its own memory.
  virtual void destroy(void* value) = 0;
  void drop_value();
  void set_value(void* value) { value_ = value; }

 private:
  /// What few instances have.
  struct Rarely {
    bool is_taken = false;  // by a commuting task
    AccessList want_it;     // commuting tasks that are let in
    Partial* first = nullptr;
    Partial* last = nullptr;
    bool is_adding = false;  // a thread adds partials
    std::uint32_t added = 0;
  };
  [[nodiscard]] bool is_dead() const ROAM_REQUIRES(lock_) {
    return is_retired_ && active_ == 0 && waiting_.front() == nullptr;
  }
  void let_in(AccessList& let_in) ROAM_REQUIRES(lock_);
  void prepare(Access& access) ROAM_EXCLUDES(lock_);
  std::uint32_t add_partials(Access& access) ROAM_EXCLUDES(lock_);
  [[nodiscard]] Rarely& rarely();

  mutable core::SpinLock lock_;
  Effect group_ ROAM_GUARDED_BY(lock_) = Effect::read;  // of those that use it now
  bool is_retired_ ROAM_GUARDED_BY(lock_) = false;
  bool is_borrowed_ = false;  // the value
  std::uint32_t active_ ROAM_GUARDED_BY(lock_) = 0;
  std::uint32_t number_ = 0;
  AccessList waiting_ ROAM_GUARDED_BY(lock_);
  void* value_ = nullptr;
  Instance* holder_ = nullptr;  // owned: whose memory the value lies in, if not in its own
  FailureRef failure_;
  std::unique_ptr<Rarely> rarely_;  // made by the scope's thread; the rest under lock_
  DatumLabel label_;
};

template <class T>
class InstanceOf final : public Instance {
 public:
  static_assert(alignof(T) <= 64, "data of flow programs are aligned to 64 bytes at most");
  using Instance::Instance;
  ~InstanceOf() override { drop_value(); }
  template <class... A>
  T& emplace(A&&... arguments) {
    drop_value();
    T* const value = ::new (static_cast<void*>(memory_)) T(std::forward<A>(arguments)...);
    set_value(value);
    return *value;
  }

 private:
  [[nodiscard]] void* construct() override { return ::new (static_cast<void*>(memory_)) T(); }
  void destroy(void* value) override { static_cast<T*>(value)->~T(); }

  alignas(T) std::byte memory_[sizeof(T)];
};

}  // namespace roam::flow
