// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "roam/core/owned.hpp"
#include "roam/core/spin_lock.hpp"

namespace roam::mobile {

class CollectionState;
class PhaseOperation;
struct StuckFacts;
struct StuckPhase;

/// Values that elements contribute to one phase, on the way to a result. Of one type of reduction.
class Phase {
 public:
  /// `value` and `operation`: the names of their types, static.
  Phase(std::string_view value, std::string_view operation)
      : value_(value), operation_(operation) {}
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;
  virtual ~Phase() = default;
  /// "double by std::plus<void>"
  [[nodiscard]] std::string values() const;

 protected:
  virtual void reset(std::uint32_t positions) = 0;
  virtual void put_nothing(std::uint32_t position) = 0;

 private:
  friend class ContributionPhases;
  void put(const std::function<void()>& put_value);

  const std::string_view value_;
  const std::string_view operation_;
  // Under the lock of the phases:
  std::vector<bool> has_come_;  // by position
  std::uint32_t missing_ = 0;
  std::vector<std::uint32_t> came_again_;      // the first positions that contributed twice
  std::shared_ptr<PhaseOperation> reduction_;  // who wants it, once asked for
  std::string failure_;  // why there will be no result; empty: none. In the steps of work only
};

/// Phases that are over, of which one type of reduction may have many: ranges of their numbers.
class PastPhases {
 public:
  using Key = std::pair<std::uint64_t, std::uint32_t>;  ///< number, type of reduction
  void add(const Key& key);
  [[nodiscard]] bool contains(const Key& key) const;
  /// Beyond, the lowest are forgotten.
  static constexpr std::size_t most_ranges = 256;

 private:
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> last_of_;  // by type, first
};

/// What a rank's elements have contributed to the phases of one collection. All but add_stuck() is
/// for the steps of the collection's work, one at a time.
class ContributionPhases {
 public:
  using Key = PastPhases::Key;
  using Make = core::Owned<Phase> (*)();
  explicit ContributionPhases(CollectionState& state) : state_(state) {}

  /// An element's value, which `put` brings in; that may throw what the operator throws. The
  /// element's second in this phase makes the phase fail, or is reported if the phase is over.
  void contribute(const Key& key, Make make, std::uint32_t position,
                  const std::function<void(Phase&)>& put);
  /// Who wants the phase, once. Throws roam::Error if it is being reduced or has been.
  void ask(const Key& key, Make make, std::shared_ptr<PhaseOperation> reduction);
  /// The element has ended and contributes no more.
  void leave_out(std::uint32_t position);

  /// Those that somebody waits for in vain. Any thread.
  void add_stuck(StuckFacts& facts) const;

 private:
  /// A phase in which an element contributed twice and that has no result here, as long as its
  /// reduction waits for other ranks.
  struct Failed {
    Key key;
    core::Owned<Phase> phase;
    std::weak_ptr<PhaseOperation> reduction;
  };
  Phase& open(const Key& key, Make make);
  void settle(const Key& key);
  void keep_failed(const Key& key, core::Owned<Phase> phase);
  [[nodiscard]] StuckPhase describe(const Key& key, const Phase& phase) const;

  CollectionState& state_;
  mutable core::SpinLock lock_;
  std::map<Key, core::Owned<Phase>> phases_;  // under lock_
  std::vector<Failed> failed_;                // under lock_
  PastPhases past_;                           // in the steps of work only
};

}  // namespace roam::mobile
