// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "roam/am/detail/messenger.hpp"
#include "roam/am/detail/system_message.hpp"
#include "roam/runtime/detail/rank_part.hpp"
#include "roam/runtime/runtime.hpp"

namespace roam::toys {

/// --roam-toys, --roam-toys-colour
struct ToyOptions {
  std::uint32_t toys = 0;  ///< of each rank; 0: the room takes no part
  std::string colour = "red";
};

/// A toy on its way to another rank.
struct Toy {
  static constexpr am::MessageKind kind{"toys.toy"};
  std::string colour;
  static constexpr auto fields(auto& m) { return std::tie(m.colour); }
};

/// A room above runtime, all in this folder: each rank has toys and gives them away by a system
/// message.
class Toys final : public RankPart {
 public:
  explicit Toys(Runtime& rank);

  /// nullptr: no toys were asked for.
  [[nodiscard]] static Toys* of(Runtime& rank) { return rank.engine().services().get<Toys>(); }

  /// Nothing happens without one.
  void give(Rank to);
  [[nodiscard]] std::int64_t here() const { return here_.load(); }
  [[nodiscard]] bool has_started() const { return has_started_; }

  void start() override { has_started_ = true; }
  void add_statistics(Counters& counters) const override;
  void add_to_trace(trace::RankTrace& trace) const override;
  [[nodiscard]] std::vector<std::string> stuck_facts() const override;

 private:
  void on_toy(Toy&& toy);

  Runtime& rank_;
  std::atomic<std::int64_t> here_;
  std::atomic<std::uint64_t> given_{0};
  std::atomic<std::int64_t> most_;
  bool has_started_ = false;
  mutable std::mutex mutex_;
  std::vector<Instant> arrivals_;  // under mutex_
};

}  // namespace roam::toys
