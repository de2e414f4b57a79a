// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "roam/core/array.hpp"
#include "roam/core/detail/spin_lock.hpp"
#include "roam/core/serialise.hpp"
#include "roam/flow/detail/distribution.hpp"
#include "roam/flow/detail/kept_elsewhere.hpp"
#include "roam/flow/detail/kept_values.hpp"
#include "roam/runtime/runtime.hpp"

namespace roam::flow {

class ElementQueue;

/// A task as it goes to the rank that runs its body.
struct TravellingTask {
  std::uint64_t number = 0;  ///< among those of the rank that has issued it; 0: there is none
  std::uint32_t body = 0;    ///< of RemoteBody
  /// The numbers of values that the index's object need not keep any more.
  std::vector<std::uint64_t> dropped;
  Array<std::byte> inputs;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(number, body, dropped, inputs);
  }
};

/// What comes back.
struct EndedTask {
  enum class Outcome : std::uint8_t {
    done,
    failed,
    not_begun  ///< see ValueNotKept
  };
  std::uint64_t number = 0;
  Outcome outcome = Outcome::done;
  std::int64_t nanoseconds = 0;  ///< of its body
  std::string words;             ///< of the failure
  Array<std::byte> outputs;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(number, outcome, nanoseconds, words, outputs);
  }
};

/// The tasks of this rank's indices that run where the indices' mobile objects are: their queues,
/// and those that run on other ranks now. Thread-safe unless said otherwise.
class ElementTasks {
 public:
  explicit ElementTasks(Runtime& rank) : rank_(rank), kept_(rank) {}

  struct Counts {
    std::uint64_t sent = 0;     ///< tasks that other ranks were to run
    std::uint64_t fetched = 0;  ///< values that were kept there and that tasks of this rank needed
  };
  [[nodiscard]] Counts counts() const ROAM_EXCLUDES(lock_);

  [[nodiscard]] KeptElsewhere& kept() { return kept_; }
  /// Gives the indices of a distribution that are here their queues, and objects to those that have
  /// none, unless they have them. Called by the scope's thread.
  void prepare(Distribution& distribution);

  /// Runs a ready task of an index on this rank, if there is one. Returns the size of the values
  /// that it has modified, as far as it is known.
  static std::uint64_t run_one(ElementQueue& queue);
  /// Takes a ready task out of a queue for another rank; its number is 0 if there is none. Those
  /// that cannot leave run here.
  [[nodiscard]] TravellingTask begin_one(ElementQueue& queue) ROAM_EXCLUDES(lock_);
  /// Prepares a ready task for another rank. Without effect if it cannot leave: then its number
  /// is 0.
  [[nodiscard]] TravellingTask begin(TaskRecord& task, ElementQueue& queue) ROAM_EXCLUDES(lock_);
  /// Runs a task here after all that was prepared for another rank.
  void run_after_all(std::uint64_t number) ROAM_EXCLUDES(lock_);
  /// Ends a task that has run on another rank, or lets it run anew.
  void ended(const EndedTask& task) ROAM_EXCLUDES(lock_);
  /// Runs a task of another rank.
  [[nodiscard]] static EndedTask run(const TravellingTask& task, KeptValues& kept);

 private:
  struct Sent {
    TaskRecord* task;
    std::vector<std::uint64_t> used;  // numbers of kept values
    std::vector<std::uint64_t> issued;
    std::uint64_t each_time;  // bytes that each such task needs
  };
  [[nodiscard]] Sent take(std::uint64_t number) ROAM_EXCLUDES(lock_);
  [[nodiscard]] bool is_too_large(std::uint32_t body, std::uint64_t bytes) const
      ROAM_EXCLUDES(lock_);
  void learn(std::uint32_t body, std::uint64_t bytes, Duration took) ROAM_EXCLUDES(lock_);

  Runtime& rank_;
  KeptElsewhere kept_;
  mutable core::SpinLock lock_;
  std::uint64_t last_ ROAM_GUARDED_BY(lock_) = 0;
  std::unordered_map<std::uint64_t, Sent> elsewhere_ ROAM_GUARDED_BY(lock_);
  // By body: the fewest bytes whose sending has taken longer than was gained.
  std::unordered_map<std::uint32_t, std::uint64_t> too_large_ ROAM_GUARDED_BY(lock_);
};

}  // namespace roam::flow
