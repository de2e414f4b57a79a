// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "roam/core/array.hpp"
#include "roam/core/detail/spin_lock.hpp"
#include "roam/core/serialise.hpp"
#include "roam/flow/detail/distribution.hpp"
#include "roam/runtime/runtime.hpp"

namespace roam::flow {

class ElementQueue;
class RemoteBody;

/// A task as it goes to the rank that runs its body.
struct TravellingTask {
  std::uint64_t number = 0;  ///< among those of the rank that has issued it; 0: there is none
  std::uint32_t body = 0;    ///< of RemoteBody
  Array<std::byte> inputs;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(number, body, inputs);
  }
};

/// What comes back.
struct EndedTask {
  std::uint64_t number = 0;
  bool has_failed = false;
  std::string words;  ///< of the failure
  Array<std::byte> outputs;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(number, has_failed, words, outputs);
  }
};

/// The tasks of this rank's indices that run where the indices' mobile objects are: their queues,
/// and those that run on other ranks now. Thread-safe unless said otherwise.
class ElementTasks {
 public:
  explicit ElementTasks(Runtime& rank) : rank_(rank) {}

  /// Gives the indices of a distribution that are here their queues, and objects to those that have
  /// none, unless they have them. Called by the scope's thread.
  void prepare(Distribution& distribution);
  /// From now on, tasks of the distribution run on this rank. Called by the scope's thread.
  static void close(Distribution& distribution);

  /// Runs a ready task of an index on this rank, if there is one.
  static void run_one(ElementQueue& queue);
  /// Takes a ready task out of a queue for another rank. Those that cannot leave run here.
  [[nodiscard]] TravellingTask begin_one(ElementQueue& queue) ROAM_EXCLUDES(lock_);
  /// Prepares a ready task for another rank. Without effect if it cannot leave: then its number
  /// is 0.
  [[nodiscard]] TravellingTask begin(TaskRecord& task) ROAM_EXCLUDES(lock_);
  /// Reports that a task that was prepared does not leave.
  void take_back(std::uint64_t number) ROAM_EXCLUDES(lock_) { static_cast<void>(take(number)); }
  /// Ends a task that has run on another rank.
  void ended(const EndedTask& task) ROAM_EXCLUDES(lock_);
  /// Runs a task of another rank.
  [[nodiscard]] static EndedTask run(const TravellingTask& task);

 private:
  [[nodiscard]] TaskRecord* take(std::uint64_t number) ROAM_EXCLUDES(lock_);

  Runtime& rank_;
  core::SpinLock lock_;
  std::uint64_t last_ ROAM_GUARDED_BY(lock_) = 0;
  std::unordered_map<std::uint64_t, TaskRecord*> elsewhere_ ROAM_GUARDED_BY(lock_);
};

}  // namespace roam::flow
