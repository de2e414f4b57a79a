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

/// The values that elements have contributed to one phase, for one type of reduction, until there
/// is a result.
class Phase {
 public:
  /// `value` and `operation` are the names of their types, in static storage.
  Phase(std::string_view value, std::string_view operation);
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;
  virtual ~Phase();
  /// A text like "double by std::plus<void>".
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

/// What a rank's elements have contributed to the phases of one collection. Except for add_stuck()
/// it is used by the steps of the collection's work, one at a time.
class ContributionPhases {
 public:
  using Key = std::pair<std::uint64_t, std::uint32_t>;  ///< number, type of reduction
  using Make = core::Owned<Phase> (*)();
  explicit ContributionPhases(CollectionState& state);
  ContributionPhases(const ContributionPhases&) = delete;
  ContributionPhases& operator=(const ContributionPhases&) = delete;
  ~ContributionPhases();

  /// Adds an element's value, which `put` brings in; that may throw what the operator throws. A
  /// second value of the element in this phase makes the phase fail, or is reported if the phase is
  /// over.
  void contribute(const Key& key, Make make, std::uint32_t position,
                  const std::function<void(Phase&)>& put);
  /// Sets the reduction that wants the phase, once. Throws roam::Error if it is being reduced or
  /// has been.
  void ask(const Key& key, Make make, std::shared_ptr<PhaseOperation> reduction);
  /// Called when the element has ended and contributes no more.
  void leave_out(std::uint32_t position);

  /// Adds the phases whose contributions are awaited in vain. Any thread.
  void add_stuck(StuckFacts& facts) const;

 private:
  struct Kept;
  Phase& open(const Key& key, Make make);
  void settle(const Key& key);
  void keep_failed(const Key& key, core::Owned<Phase> phase);
  [[nodiscard]] StuckPhase describe(const Key& key, const Phase& phase) const;

  CollectionState& state_;
  mutable core::SpinLock lock_;
  // Defined in the source file, so that programs need not compile it.
  const core::Owned<Kept> kept_;
};

}  // namespace roam::mobile
