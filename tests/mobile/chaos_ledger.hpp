// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "roam/roam.hpp"

namespace chaos {

/// What really happened, kept outside of the simulated ranks: every call issued and run, and who
/// held which object when.
class Ledger {
 public:
  [[nodiscard]] std::uint64_t issue() {
    runs_.push_back(0);
    return runs_.size() - 1;
  }
  /// A handler starts on `object` at `begin` and computes until `end`.
  void ran(std::uint64_t call, std::uint32_t object, bool exclusive, roam::Instant begin,
           roam::Instant end) {
    if (++runs_[call] > 1) violation("M2: call " + std::to_string(call) + " ran twice");
    ++executed_;
    Use& use = uses_[object];
    if (begin < use.exclusive_until || (exclusive && begin < use.shared_until)) {
      violation("M4: handlers overlap on object " + std::to_string(object) + ": " +
                std::to_string(begin.count()) + " ns is before " +
                std::to_string(use.exclusive_until.count()) + " (exclusive) or " +
                std::to_string(use.shared_until.count()) + " ns (shared)");
    }
    roam::Instant& until = exclusive ? use.exclusive_until : use.shared_until;
    until = std::max(until, end);
    ++use.count;
  }
  void dead_letter() { ++dead_; }
  void violation(const std::string& what) {
    if (violations_.size() < 8) violations_.push_back(what);
  }
  void check_complete(const char* where) {
    if (executed_ + dead_ != runs_.size()) {
      violation(std::string("M2/M10 ") + where + ": " + std::to_string(runs_.size()) +
                " calls issued, " + std::to_string(executed_) + " run, " + std::to_string(dead_) +
                " dead");
    }
  }
  [[nodiscard]] std::uint64_t count(std::uint32_t object) { return uses_[object].count; }
  [[nodiscard]] std::uint64_t issued() const { return runs_.size(); }
  [[nodiscard]] const std::vector<std::string>& violations() const { return violations_; }

 private:
  struct Use {
    roam::Instant exclusive_until{0};
    roam::Instant shared_until{0};
    std::uint64_t count = 0;
  };
  std::vector<std::uint8_t> runs_;  // by call
  std::map<std::uint32_t, Use> uses_;
  std::uint64_t executed_ = 0;
  std::uint64_t dead_ = 0;
  std::vector<std::string> violations_;
};

}  // namespace chaos
