// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "roam/core/detail/spin_lock.hpp"
#include "roam/core/serialise.hpp"
#include "roam/flow/detail/instance.hpp"

namespace roam {
class Runtime;
}  // namespace roam

namespace roam::flow {

class ElementQueue;
class TaskRecord;

/// Which values of this rank's elements are kept by the mobile objects of their indices, on other
/// ranks (KeptValues). The instance of such a value has a place-holder here, and whoever needs the
/// value waits until it has been brought. Values that tasks of other indices need are not kept from
/// then on, but come back from each task that writes them. Any thread.
class KeptElsewhere {
 public:
  /// Reads a value into its instance.
  using Read = void (*)(Instance& instance, core::Unpacker& bytes);

  explicit KeptElsewhere(Runtime& rank) : rank_(rank) {}
  KeptElsewhere(const KeptElsewhere&) = delete;
  KeptElsewhere& operator=(const KeptElsewhere&) = delete;

  // --- for a task that runs where the object of its queue is ---
  /// The number by which this object keeps the instance's value; 0: the value is here. It is kept
  /// until end_use(), even if it comes here meanwhile.
  [[nodiscard]] std::uint64_t begin_use(const Instance& instance) ROAM_EXCLUDES(lock_);
  void end_use(std::span<const std::uint64_t> numbers) ROAM_EXCLUDES(lock_);
  /// The number by which the object is to keep what the task writes to the instance; 0: it has to
  /// come back. Valid until keep() or end_numbers().
  [[nodiscard]] std::uint64_t new_number(const Instance& instance) ROAM_EXCLUDES(lock_);
  /// Reports that the task is over.
  void end_numbers(std::span<const std::uint64_t> numbers) ROAM_EXCLUDES(lock_);
  /// Reports that the object keeps what the task has written.
  void keep(Instance& instance, ElementQueue& queue, std::uint64_t number, Read read)
      ROAM_EXCLUDES(lock_);
  /// Reports that what the task has written has come back.
  void is_back(Instance& instance) ROAM_EXCLUDES(lock_) {
    if (instance.is_kept()) forget(instance);
  }

  // --- for all tasks ---
  /// The number of values that were brought because tasks needed them.
  [[nodiscard]] std::uint64_t fetched() const { return fetched_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool has_any() const { return count_.load(std::memory_order_acquire) > 0; }
  /// Returns true if a ready task has all values that it needs. Otherwise has them brought; then
  /// Core::arrived() is called as often as the task has to wait.
  [[nodiscard]] bool is_all_here(TaskRecord& task, const ElementQueue* own) ROAM_EXCLUDES(lock_);
  /// A value has come back. Without effect if nobody has needed it meanwhile.
  void came(std::uint64_t number, std::span<const std::byte> bytes) ROAM_EXCLUDES(lock_);
  /// The value is not needed any more, since the instance is destroyed or gets another one.
  void forget(Instance& instance) ROAM_EXCLUDES(lock_);

 private:
  struct Kept {
    Instance* instance = nullptr;  // nullptr: its value has come, or is not needed any more
    ElementQueue* queue = nullptr;
    Read read = nullptr;
    std::uint32_t uses = 0;  // by tasks that have been sent and are not over
    std::vector<TaskRecord*> wait;
  };
  using Line = std::pair<const char*, std::uint32_t>;
  [[nodiscard]] std::uint64_t number_of(const Instance& instance) const ROAM_REQUIRES(lock_);
  void let_go(std::uint64_t number) ROAM_REQUIRES(lock_);
  void drop_unused(std::uint64_t number) ROAM_REQUIRES(lock_);

  Runtime& rank_;
  std::atomic<std::int64_t> count_{0};  // of instances
  std::atomic<std::uint64_t> fetched_{0};
  mutable core::SpinLock lock_;
  std::unordered_map<const Instance*, std::uint64_t> numbers_ ROAM_GUARDED_BY(lock_);
  std::unordered_map<std::uint64_t, Kept> kept_ ROAM_GUARDED_BY(lock_);  // by number
  std::set<Line> needed_by_others_ ROAM_GUARDED_BY(lock_);  // lines that make collections
  std::uint64_t last_ ROAM_GUARDED_BY(lock_) = 0;
  // Numbers of values that tasks are to write which are not over. Where the object comes back
  // before the message that such a task is, it has brought the value.
  std::unordered_map<std::uint64_t, std::optional<std::vector<std::byte>>> to_be_written_
      ROAM_GUARDED_BY(lock_);
};

/// The table, and the queue of the index whose task is sent or has come back.
struct TravelNotes {
  KeptElsewhere& kept;
  ElementQueue& queue;
  std::vector<std::uint64_t> used = {};    ///< numbers of kept values that the task uses
  std::vector<std::uint64_t> issued = {};  ///< numbers for values that it writes
  std::uint64_t once = 0;                  ///< bytes that are sent now and kept from then on
};

}  // namespace roam::flow
