// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tests' own record of epochs, independent of the runtime, and the schedules in which they run.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "roam/core/random.hpp"
#include "support/simulated.hpp"

namespace roam::epoch_tests {

constexpr std::int32_t rank_count = 4;

/// Records how many handlers have been issued for each epoch and have not returned, and violations
/// of M10.
class Ledger {
 public:
  explicit Ledger(std::uint64_t seed) : random(seed) {}

  core::Random random;
  std::vector<std::string> violations;

  void check(bool condition, const std::string& text) {
    if (!condition && violations.size() < 5) violations.push_back(text);
  }
  /// `outer` is the epoch whose work begins it.
  Epoch begin(Epoch outer = {}) {
    const Epoch epoch = here().begin_epoch();
    pages_[epoch.value()].outer = outer;
    return epoch;
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
  /// Notes that work of the epoch has happened.
  void goes_on(Epoch epoch) {
    if (!epoch) return;
    check(!pages_[epoch.value()].is_over, "M10: an epoch was over while its work went on");
    check(am::Epochs::current() == epoch.value(), "M10: work of an epoch ran outside of it");
  }
  void over(Epoch epoch) {
    Page& ended = pages_[epoch.value()];
    ended.is_over = true;
    check(ended.left == 0,
          "M10: an epoch is over with " + std::to_string(ended.left) + " handlers left");
    for (const auto& [other, page] : pages_) {
      if (other == epoch.value()) continue;
      if (page.outer == epoch)
        check(page.left == 0, "M10: an epoch is over before one that its work began");
      if (page.left != 0) ++ended_while_others_went_on_;
    }
  }
  /// True if everything that has been issued for it has returned.
  [[nodiscard]] bool is_done(Epoch epoch) const { return pages_.at(epoch.value()).left == 0; }
  void check_end(Runtime& rt) {
    for (const auto& [epoch, page] : pages_)
      check(page.left == 0, "M2: not every handler has run once");
    check(rt.messenger().epochs().size() == 0, "something is kept of epochs that are over");
    check(rt.messenger().stats().messages_rejected == 0, "a message was rejected");
  }
  Rank some_rank() { return static_cast<std::int32_t>(random.below(rank_count)); }
  [[nodiscard]] std::uint64_t epochs() const { return pages_.size(); }
  [[nodiscard]] std::uint64_t ended_while_others_went_on() const {
    return ended_while_others_went_on_;
  }

 private:
  struct Page {
    std::int64_t left = 0;
    bool is_over = false;
    Epoch outer;
  };
  std::unordered_map<std::uint64_t, Page> pages_;
  std::uint64_t ended_while_others_went_on_ = 0;
};

inline SimulatedJobOptions schedule(std::uint64_t seed) {
  SimulatedJobOptions options =
      roam::testing::simulated(rank_count, seed, 1 + static_cast<std::uint32_t>(seed % 3));
  options.message_delay = Duration(seed % 2 == 0 ? 20'000 : 2'000);
  options.reorder = seed % 5 == 0;
  options.shuffle_ties = true;
  options.step_jitter = Duration(1 + seed % 2000);
  return options;
}

/// What is done to a job's objects from outside, and how long the job may take.
struct Disturbances {
  std::uint64_t most_events;
  std::uint64_t most_moves;
  std::uint64_t one_event_in;             ///< asks an object to move
  std::function<ObjectId()> some_object;  ///< none: there is none yet
};

/// The result of one job, or of several.
struct Outcome {
  std::uint64_t epochs = 0;
  std::uint64_t overlapping = 0;
  std::uint64_t moves = 0;
  std::vector<std::string> violations;
};

/// Runs the program; one in eight arrivals of its objects is refused.
inline Outcome run_disturbed(SimulatedJob& job, Ledger& ledger, const Runtime::Program& program,
                             const Disturbances& disturbances) {
  for (std::int32_t r = 0; r < rank_count; ++r) {
    job.runtime(r).objects().set_admission([&ledger](ObjectId, std::uint64_t) {
      return ledger.random.below(8) == 0 ? std::string("no room today") : std::string();
    });
  }
  std::uint64_t moves_left = disturbances.most_moves;
  job.set_interruption([&](std::uint64_t events) {
    if (events > disturbances.most_events)
      throw std::runtime_error("M10: the job does not come to its end");
    if (moves_left == 0 || ledger.random.below(disturbances.one_event_in) != 0) return;
    const ObjectId object = disturbances.some_object();
    if (!object) return;
    --moves_left;
    job.runtime(ledger.some_rank()).objects().migrate(object, ledger.some_rank());
  });
  try {
    if (!job.run(program)) ledger.check(false, job.error());
  } catch (const std::runtime_error& error) {
    ledger.check(false, error.what());
  }
  Outcome outcome{ledger.epochs(), ledger.ended_while_others_went_on(), 0, ledger.violations};
  for (std::int32_t r = 0; r < rank_count; ++r)
    outcome.moves += job.runtime(r).objects().stats().migrations_in;
  return outcome;
}

/// Simulates one seed after the other, up to the first one with a violation.
inline Outcome simulate_all(int part, std::uint64_t seeds, Outcome (*simulate)(std::uint64_t)) {
  const auto first = static_cast<std::uint64_t>(part) * seeds;
  Outcome all;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    const Outcome one = simulate(seed);
    for (const auto& violation : one.violations)
      ADD_FAILURE() << "seed " << seed << ": " << violation;
    if (!one.violations.empty()) break;
    all.epochs += one.epochs;
    all.overlapping += one.overlapping;
    all.moves += one.moves;
  }
  return all;
}

}  // namespace roam::epoch_tests
