// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "roam/am/detail/batch.hpp"
#include "roam/am/detail/messenger.hpp"

namespace roam::am {

/// Consecutive messages of a batch, all for program handlers: run one after the other as one ready
/// item, so that a small message costs little more than its handler. For ranks with one worker,
/// where nobody else could take a part of them; if it takes long, the engine gets a turn in
/// between. Lies in a buffer of its own.
class BatchRun final : public exec::ReadyItem, public exec::Execution, public exec::SeveralRuns {
 public:
  /// The batch that contains the messages: in `own`, or in `shared` if others use it too.
  struct Batch {
    core::Buffer own = {};
    std::shared_ptr<const core::Buffer> shared = {};
    std::span<const std::byte> entries;
  };
  /// Makes a run in `block`, a block of sizeof(BatchRun) bytes.
  static BatchRun* make(core::Buffer&& block, Messenger& messenger, Rank source, Batch&& batch) {
    void* const place = block.data();
    return ::new (place) BatchRun(std::move(block), messenger, source, std::move(batch));
  }
  void run(exec::Context& context) override;
  bool run_next(exec::Context& context) override;
  void drop() override { destroy(); }
  void finish(exec::Context&) override { destroy(); }
  [[nodiscard]] std::string describe() const override { return "a batch of messages"; }

 private:
  BatchRun(core::Buffer&& block, Messenger& messenger, Rank source, Batch&& batch)
      : block_(std::move(block)),
        messenger_(messenger),
        source_(source),
        batch_(std::move(batch)),
        messages_(batch_.entries) {}
  ~BatchRun() = default;
  void destroy() {
    const core::Buffer block = std::move(block_);
    this->~BatchRun();
  }
  std::uint32_t run_some(std::uint32_t most, exec::Context& context);
  void give_way(std::uint32_t runs, exec::Context& context);

  static constexpr Duration longest_turn = std::chrono::microseconds(20);
  // It looks at the clock after 1 message, 2 more, 4 more, ...
  static constexpr std::uint32_t most_between_looks = 16;
  core::Buffer block_;  // the memory of this object
  Messenger& messenger_;
  const Rank source_;
  const Batch batch_;
  BatchReader messages_;
};
static_assert(alignof(BatchRun) <= 16);

}  // namespace roam::am
