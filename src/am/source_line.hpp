// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "roam/am/detail/batch.hpp"
#include "roam/am/detail/messenger.hpp"

namespace roam::am {

/// Consecutive messages of a batch, all for program handlers, in the queue of their source, which
/// runs them one by one out of the batch: unpacked, they would take many times the memory of the
/// batch.
class BatchInLine final : public exec::ReadyItem {
 public:
  BatchInLine(std::shared_ptr<const core::Buffer> batch, std::span<const std::byte> entries)
      : batch_(std::move(batch)), entries_(entries) {
    has_parts = true;
  }
  void run(exec::Context&) override {}  // the SourceLine runs its messages
  void drop() override { delete this; }
  /// Gives the next message, and in `batch` the buffer that it lies in.
  [[nodiscard]] bool next_entry(BatchEntry& entry, std::span<const std::byte>& payload,
                                std::shared_ptr<const core::Buffer>& batch) {
    batch = batch_;
    return entries_.next(entry, payload);
  }
  [[nodiscard]] bool at_end() const { return entries_.at_end(); }

 private:
  const std::shared_ptr<const core::Buffer> batch_;
  BatchReader entries_;
};

/// The program handlers of one source rank, in order of arrival: they start in that order on
/// whatever workers are free (A2), and may overlap once started. The line itself is the ready item;
/// each run of it starts the first handler in it.
class SourceLine final : public exec::ReadyItem {
 public:
  SourceLine(Messenger& messenger, Rank source) : messenger_(messenger), source_(source) {}
  ~SourceLine();
  void add(exec::ReadyItem* run) ROAM_EXCLUDES(lock_);
  void run(exec::Context& context) override;

 private:
  void run_entry(const BatchEntry& entry, std::span<const std::byte> payload,
                 exec::Context& context);

  Messenger& messenger_;
  const Rank source_;
  core::SpinLock lock_;
  exec::ReadyItem* first_ ROAM_GUARDED_BY(lock_) = nullptr;
  exec::ReadyItem* last_ ROAM_GUARDED_BY(lock_) = nullptr;
};

}  // namespace roam::am
