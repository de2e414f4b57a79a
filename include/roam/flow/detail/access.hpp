// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "roam/flow/failure.hpp"

namespace roam::flow {

class Datum;
class Instance;
class TaskRecord;

/// What a task does with a datum, as its parameter specifies. Those that only read come first.
enum class Effect : std::uint8_t {
  read,           ///< const T&, T
  schedule_read,  ///< Handle<const T>
  part_read,      ///< a part, std::span<const T>
  modify,         ///< T&
  overwrite,      ///< Out<T>, Reduce<T, Op>: writes to an instance of its own
  commute,        ///< Commute<T>
  accumulate,     ///< Accumulate<T, Op>
  schedule,       ///< Handle<T>: its children may do anything with the datum
  part_modify,    ///< a part, std::span<T>
  parts,          ///< of no task: those that use parts, in the line of the instance
};
/// The verb for reports, for example "reads".
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
/// Whether the task uses a part of the datum.
[[nodiscard]] constexpr bool is_part(Effect effect) {
  return is_one_of<Effect::part_read, Effect::part_modify>(effect);
}
/// Whether the task needs the datum to have a value.
[[nodiscard]] constexpr bool needs_value(Effect effect) {
  return is_one_of<Effect::read, Effect::modify, Effect::commute, Effect::part_read,
                   Effect::part_modify>(effect);
}
[[nodiscard]] constexpr bool writes(Effect effect) { return effect > Effect::part_read; }
/// Whether the task uses the whole datum, and does not write it.
[[nodiscard]] constexpr bool reads_whole(Effect effect) {
  return !is_part(effect) && !writes(effect);
}

struct PartUse;

/// What one task adds to a datum by Accumulate: stored until everything before it has been added.
class Partial {
 public:
  Partial() = default;
  Partial(const Partial&) = delete;
  Partial& operator=(const Partial&) = delete;
  virtual ~Partial() = default;
  /// Combines it with the value of the instance, which nobody else may be using.
  virtual void add_to(Instance& instance) = 0;

  FailureRef failure;  ///< failure of the task
  bool is_done = false;
  Partial* next = nullptr;
  PartUse* use = nullptr;  ///< of the access, in a PartLine
};

/// One use of a datum by one task; a part of the task.
struct Access {
  union {
    Datum* datum;        ///< until the task is submitted
    Instance* instance;  ///< from then on
  };
  Access* next = nullptr;  // in a list of waiting accesses of the instance, or of admitted ones
  union {
    Partial* partial;  // for accumulating accesses: owned until the instance takes it
    PartUse* use;      // for others: the part; or that of the whole, in a PartLine
  };
  std::uint16_t offset = 0;  // distance of this from the task's beginning
  Effect effect = Effect::read;
  bool has_instance = false;  // set instead of `datum` before the task is submitted
  bool is_border = false;     // belongs to a Replay or a PartLine, not to a task
  bool is_special = false;    // accumulates, or is in a PartLine
  Access() : datum(nullptr), partial(nullptr) {}
  [[nodiscard]] TaskRecord& task() {
    return *reinterpret_cast<TaskRecord*>(reinterpret_cast<std::byte*>(this) - offset);
  }
};

/// The range of a datum that an access uses: all of it, or a part. In a PartLine, also how often
/// the access still waits.
struct PartUse {
  static constexpr std::size_t whole_end = ~std::size_t{0};
  std::size_t begin = 0;
  std::size_t end = whole_end;
  Access* access = nullptr;
  Effect group = Effect::read;  // accesses of one group may share what is_shared()
  bool has_none = false;        // a part without elements, which waits like one with the next
  std::uint32_t waits = 0;      // segments in which it waits
};
/// The part [begin, end).
[[nodiscard]] constexpr PartUse range_of_part(std::size_t begin, std::size_t end) {
  PartUse range;
  range.begin = begin;
  range.has_none = begin == end;
  range.end = end + (range.has_none ? 1 : 0);
  return range;
}
[[nodiscard]] constexpr bool overlap(const PartUse& a, const PartUse& b) {
  return a.begin < b.end && b.begin < a.end;
}
/// The range that an access uses, before and after it is submitted.
[[nodiscard]] inline PartUse range_of(const Access& access) {
  return is_part(access.effect) ? *access.use : PartUse();
}

/// Accesses that have been admitted, in order; their tasks are updated when no lock is held.
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

}  // namespace roam::flow
