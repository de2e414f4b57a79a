// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a test keeps of epochs beside the runtime.
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "roam/core/random.hpp"
#include "roam/runtime/simulated_job.hpp"

namespace roam::epoch_tests {

constexpr std::int32_t rank_count = 4;

/// How many handlers have been issued for each epoch and have not returned; what they break of M10.
class Ledger {
 public:
  explicit Ledger(std::uint64_t seed) : random(seed) {}

  core::Random random;
  std::vector<std::string> violations;
  std::uint64_t epochs = 0;

  void check(bool condition, const std::string& text) {
    if (!condition && violations.size() < 5) violations.push_back(text);
  }
  Epoch begin() {
    ++epochs;
    return here().begin_epoch();
  }
  void issue(Epoch epoch, std::uint64_t handlers = 1) {
    if (!epoch) return;
    check(!pages_[epoch.value()].is_over, "M10: work is issued for an epoch that is over");
    pages_[epoch.value()].left += static_cast<std::int64_t>(handlers);
  }
  void done(Epoch epoch) {
    if (!epoch) return;
    goes_on(epoch);
    --pages_[epoch.value()].left;
  }
  /// Something of the epoch happens.
  void goes_on(Epoch epoch) {
    if (!epoch) return;
    check(!pages_[epoch.value()].is_over, "M10: an epoch was over while its work went on");
    check(am::Epochs::current() == epoch.value(), "M10: work of an epoch ran outside of it");
  }
  void over(Epoch epoch) {
    Page& page = pages_[epoch.value()];
    page.is_over = true;
    check(page.left == 0,
          "M10: an epoch is over with " + std::to_string(page.left) + " handlers left");
  }
  void check_end(Runtime& rt) {
    for (const auto& [epoch, page] : pages_)
      check(page.left == 0, "M2: not every handler has run once");
    check(rt.messenger().epochs().size() == 0, "something is kept of epochs that are over");
    check(rt.messenger().stats().messages_rejected == 0, "a message was rejected");
  }
  Rank some_rank() { return static_cast<std::int32_t>(random.below(rank_count)); }

 private:
  struct Page {
    std::int64_t left = 0;
    bool is_over = false;
  };
  std::unordered_map<std::uint64_t, Page> pages_;
};

inline SimulatedJobOptions schedule(std::uint64_t seed) {
  SimulatedJobOptions options;
  options.options.simulate = Machine{};
  options.options.simulate->ranks = rank_count;
  options.options.simulate->workers_per_rank = 1 + static_cast<std::uint32_t>(seed % 3);
  options.options.seed = seed;
  options.message_delay = Duration(seed % 2 == 0 ? 20'000 : 2'000);
  options.reorder = seed % 5 == 0;
  options.shuffle_ties = true;
  options.step_jitter = Duration(1 + seed % 2000);
  return options;
}

}  // namespace roam::epoch_tests
