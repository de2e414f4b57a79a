// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <tuple>
#include <vector>

#include "roam/am/detail/messenger.hpp"
#include "roam/core/detail/spin_lock.hpp"
#include "roam/exec/task.hpp"
#include "roam/mobile/detail/quiescence.hpp"
#include "roam/placement/distributed.hpp"

namespace roam::balance {

/// Header of a superstep's message; what the strategy has packed follows.
struct StepHead {
  static constexpr am::MessageKind kind{"roam.step", am::Counted::yes, am::Behind::bytes};
  std::uint32_t step = 0;
  static constexpr auto fields(auto& m) { return std::tie(m.step); }
};

/// Runs distributed strategies on one rank of a job. A step ends by quiescence, since its messages
/// are counted. A rank that learns of this earlier may be one step ahead.
class Supersteps final : public placement::StepHost {
 public:
  /// Binds the handler "roam.step". Must be made before the first step of the engine.
  Supersteps(am::Messenger& messenger, mobile::Quiescence& quiescence, std::uint64_t seed);

  /// Runs a strategy. Collective: every rank runs the same kind of strategy, and nothing else of
  /// the program may be under way.
  [[nodiscard]] Task<> run(placement::DistributedStrategy& strategy);

  [[nodiscard]] core::Packer message() override;
  void send(Rank to, core::Packer&& message) override;
  [[nodiscard]] core::Random& random() override { return random_; }
  void charge(double seconds) override;

 private:
  void on_message(const StepHead& head, am::Incoming&& rest);
  [[nodiscard]] std::vector<placement::StepMessage> end_step();

  am::Messenger& messenger_;
  mobile::Quiescence& quiescence_;
  core::Random random_;
  core::SpinLock lock_;
  std::uint32_t step_ = 0;  // under lock_
  std::array<std::vector<placement::StepMessage>, 2>
      received_;  // under lock_: by the parity of the step
};

}  // namespace roam::balance
