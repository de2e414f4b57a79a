// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <tuple>

#include "roam/am/detail/messenger.hpp"

namespace roam::balance {

/// The job's number, sent from parent to child in the tree of ranks. Counted: quiescence, and so
/// the end of the job, waits for it.
struct JobNumber {
  static constexpr am::MessageKind kind{"roam.job", am::Counted::yes};
  std::uint64_t number = 0;
  static constexpr auto fields(auto& m) { return std::tie(m.number); }
};

/// Identifies a run, with the same text on all of its ranks: a number that rank 0 draws from the
/// time of day, or in virtual time from the seed (R1). One per rank.
class JobIdentity {
 public:
  /// Must be made before the first message arrives. `messenger` must outlive it.
  JobIdentity(am::Messenger& messenger, std::uint64_t seed);
  JobIdentity(const JobIdentity&) = delete;
  JobIdentity& operator=(const JobIdentity&) = delete;

  /// On rank 0: draws the number and tells all ranks, along a tree. They know it at the next
  /// quiescence.
  void tell();
  /// The number as text; "" before it is known. Any thread.
  [[nodiscard]] std::string text() const;

 private:
  void on_told(const JobNumber& told) { take(told.number); }
  void take(std::uint64_t number);

  am::Messenger& messenger_;
  const std::uint64_t seed_;
  std::atomic<std::uint64_t> number_{0};  // 0: not known
};

}  // namespace roam::balance
