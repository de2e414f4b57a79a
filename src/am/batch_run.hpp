// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "roam/am/coalescer.hpp"
#include "roam/am/messenger.hpp"

namespace roam::am {

/// Consecutive messages of a batch, all for program handlers: run one after the other as one ready
/// item, so that a small message costs little more than its handler. For ranks of one worker, where
/// nobody else could take a part; when it takes long the engine gets a turn in between.
class BatchRun final : public exec::ReadyItem, public exec::Execution, public exec::SeveralRuns {
 public:
  BatchRun(Messenger& messenger, Rank source, std::shared_ptr<const core::Buffer> batch,
           std::span<const std::byte> entries)
      : messenger_(messenger), source_(source), batch_(std::move(batch)), entries_(entries) {}
  void run(exec::Context& context) override;
  bool run_next(exec::Context& context) override;
  void drop() override { delete this; }
  void finish(exec::Context&) override { delete this; }
  [[nodiscard]] std::string describe() const override { return "a batch of messages"; }

 private:
  static constexpr Duration longest_turn = std::chrono::microseconds(20);
  static constexpr std::uint32_t messages_per_look = 8;
  Messenger& messenger_;
  const Rank source_;
  const std::shared_ptr<const core::Buffer> batch_;
  BatchReader entries_;
};

}  // namespace roam::am
