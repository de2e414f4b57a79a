// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "roam/am/detail/messenger.hpp"
#include "roam/am/detail/system_message.hpp"
#include "roam/core/detail/spin_lock.hpp"
#include "roam/flow/detail/distribution.hpp"

namespace roam::flow {

/// Asks the home of an index where it is.
struct AskRank {
  static constexpr am::MessageKind kind{"roam.flow.ask_rank", am::Counted::yes};
  std::uint32_t flow = 0;
  std::uint32_t number = 0;
  std::uint64_t index = 0;
  static constexpr auto fields(auto& m) { return std::tie(m.flow, m.number, m.index); }
};

/// Answers such a question, or (`is_news`) tells the home that the index has moved: it is on this
/// rank.
struct TellRank {
  static constexpr am::MessageKind kind{"roam.flow.tell_rank", am::Counted::yes};
  std::uint32_t flow = 0;
  std::uint32_t number = 0;
  std::uint64_t index = 0;
  Rank rank;
  bool is_news = false;
  static constexpr auto fields(auto& m) {
    return std::tie(m.flow, m.number, m.index, m.rank, m.is_news);
  }
};

/// What tasks of an index have read of another one. Plain bytes.
struct ReadNote {
  std::uint64_t index = 0;   ///< the other one
  std::uint64_t reader = 0;  ///< the mobile object of the index that reads
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

/// Tells the home of indices of other ranks, and that the rank where they are, what was read of
/// them in a phase: a rank knows the mobile objects of its own indices alone.
struct TellReads {
  static constexpr am::MessageKind kind{"roam.flow.tell_reads", am::Counted::yes};
  std::uint32_t flow = 0;
  std::uint32_t number = 0;
  std::vector<ReadNote> notes;
  static constexpr auto fields(auto& m) { return std::tie(m.flow, m.number, m.notes); }
};

/// The distributions of a rank that have been through a phase, or whose indices policies may move,
/// by name: other ranks may ask where their indices are as long as their tasks run, even when this
/// rank's program no longer uses them.
/// Thread-safe.
class Distributions {
 public:
  explicit Distributions(am::Messenger& messenger);

  [[nodiscard]] am::Messenger& messenger() const { return messenger_; }
  void keep(const std::shared_ptr<Distribution>& one) ROAM_EXCLUDES(lock_);
  /// Notes that all indices of a kept distribution that are here have their mobile objects, so that
  /// other ranks may tell what was read of them.
  void note_objects(const Distribution& of) ROAM_EXCLUDES(lock_);
  /// Counts what tasks of a flow have read of other indices in this phase as calls between mobile
  /// objects, which all its distributions must have, on all ranks. To be called by the program that
  /// ends the phase.
  void count_reads(std::span<const std::shared_ptr<Distribution>> all) ROAM_EXCLUDES(lock_);
  /// To be called while nothing is under way anywhere: removes the unused ones of other flows.
  void forget_all_but(std::uint32_t flow) ROAM_EXCLUDES(lock_);
  /// Removes those of flows that are over, if no other rank can have asked for their indices.
  void forget_unused() ROAM_EXCLUDES(lock_);
  /// Returns nullptr if there is none.
  [[nodiscard]] std::shared_ptr<Distribution> find(const DistributionName& name) const
      ROAM_EXCLUDES(lock_);

 private:
  [[nodiscard]] std::shared_ptr<Distribution> require(std::uint32_t flow,
                                                      std::uint32_t number) const;
  void on_ask(const AskRank& question, Rank source);
  void on_tell(const TellRank& answer);
  void on_reads(const TellReads& reads);
  [[nodiscard]] bool has_objects(const Distribution& of) const ROAM_EXCLUDES(lock_);
  void add_call(const ReadNote& note, const Distribution& of);

  struct Kept {
    std::shared_ptr<Distribution> one;
    bool has_objects = false;  // for its indices; true from the end of its first phase on
  };
  am::Messenger& messenger_;
  mutable core::SpinLock lock_;
  std::vector<Kept> kept_ ROAM_GUARDED_BY(lock_);
};

}  // namespace roam::flow
