// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "roam/core/detail/owned.hpp"
#include "roam/core/detail/spin_lock.hpp"

namespace roam::mobile {

class CollectionState;
class PhaseOperation;
struct StuckFacts;
struct StuckPhase;

/// Values that elements contribute to one phase, on the way to a result. Of one type of reduction.
class Phase {
 public:
  /// `value` and `operation`: the names of their types, static.
  Phase(std::string_view value, std::string_view operation);
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;
  virtual ~Phase();
  /// "double by std::plus<void>"
  [[nodiscard]] std::string values() const;

 protected:
  virtual void reset(std::uint32_t positions) = 0;
  virtual void put_nothing(std::uint32_t position) = 0;

 private:
  friend class ContributionPhases;
  struct Tally;
  void put(const std::function<void()>& put_value);

  const std::string_view value_;
  const std::string_view operation_;
  const core::Owned<Tally> tally_;
};

/// What a rank's elements have contributed to the phases of one collection. All but add_stuck() is
/// for the steps of the collection's work, one at a time.
class ContributionPhases {
 public:
  using Key = std::pair<std::uint64_t, std::uint32_t>;  ///< number, type of reduction
  using Make = core::Owned<Phase> (*)();
  explicit ContributionPhases(CollectionState& state);
  ContributionPhases(const ContributionPhases&) = delete;
  ContributionPhases& operator=(const ContributionPhases&) = delete;
  ~ContributionPhases();

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
  struct Kept;
  Phase& open(const Key& key, Make make);
  void settle(const Key& key);
  void keep_failed(const Key& key, core::Owned<Phase> phase);
  [[nodiscard]] StuckPhase describe(const Key& key, const Phase& phase) const;

  CollectionState& state_;
  mutable core::SpinLock lock_;
  const core::Owned<Kept> kept_;  // in no program's sight
};

}  // namespace roam::mobile
