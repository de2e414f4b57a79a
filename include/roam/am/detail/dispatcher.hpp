// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "roam/am/detail/arrival_counters.hpp"
#include "roam/am/detail/handler_table.hpp"
#include "roam/am/detail/message_memory.hpp"
#include "roam/am/detail/source_lines.hpp"
#include "roam/am/detail/wire.hpp"
#include "roam/core/detail/buffer_pool.hpp"
#include "roam/exec/engine.hpp"

namespace roam::am {

/// Brings messages whose turn has come to their handlers: calls system handlers at once, and makes
/// ready items for those of the program, in the order of their source (A2). Inside poll(), one
/// thread at a time.
class Dispatcher {
 public:
  /// `messenger` has its handler table by now.
  Dispatcher(Messenger& messenger, MessageMemory& memory);
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  /// nullptr if there is no such handler.
  [[nodiscard]] const HandlerTable::Entry* find(std::uint32_t handler) const {
    return table_.find(handler);
  }
  /// True if an idle worker may run what it has just received, without an item for any queue: if
  /// there is one worker, in real time. Constant.
  [[nodiscard]] bool may_run_next() const { return may_run_next_; }
  /// Takes the message if this thread is such a worker, which then runs it next; else returns
  /// false. Requires may_run_next().
  [[nodiscard]] bool run_next(const ProgramHandler& plain, Rank source, core::Buffer& message) {
    if (!engine_.run_next(&next_message_)) return false;
    next_message_.put(plain, source, message.release());
    return true;
  }
  /// Brings a message that came alone to its handler, and counts it.
  [[gnu::always_inline]] void hand_over(const HandlerTable::Entry& handler, Rank source,
                                        core::Buffer&& message, bool counted) {
    counters_.count_arrivals(source, 1, message.size());
    if (handler.plain == nullptr || !may_run_next_ || !run_next(*handler.plain, source, message))
      call(handler, {source, std::move(message), sizeof(WireHeader), counted});
    // Counted last: what the message caused is visible (queued, or sent on and counted) before it
    // counts as received.
    if (counted) counters_.count_taken_in(1);
  }
  /// The same for a message with this header, which may be a batch.
  void dispatch(Rank source, const WireHeader& header, core::Buffer&& message);
  /// The same for a message with a BulkAnnouncement before its payload, and the array that has
  /// travelled beside it.
  void dispatch_attached(Rank source, const WireHeader& header, core::Buffer&& message,
                         core::Buffer&& array);
  /// Runs a handler of the program as if its arguments, in `message` from its offset on, had just
  /// been sent by message.source. Throws MalformedMessage if there is no such handler.
  void deliver(std::uint32_t handler, Incoming&& message);
  /// Queues the run of an arrived handler behind those of its source (A2).
  void run_in_source_order(Rank source, exec::ReadyItem* run) {
    if (engine_.runs_in_push_order()) return engine_.push(run);
    source_lines_.add(source, run);
  }
  /// Copies a message out of a batch, by its payload; the header is still to be written. Any
  /// thread.
  [[nodiscard]] core::Buffer unpack_entry(std::span<const std::byte> payload);

  [[nodiscard]] ArrivalCounters& counters() { return counters_; }
  [[nodiscard]] const ArrivalCounters& counters() const { return counters_; }

 private:
  /// What an idle worker has received and is about to run.
  class NextMessage final : public exec::ReadyItem {
   public:
    NextMessage(Messenger& messenger, core::BufferPool& pool)
        : messenger_(messenger), pool_(pool) {}
    void put(const ProgramHandler& handler, Rank source, core::MpscNode* block) {
      handler_ = &handler;
      source_ = source;
      block_ = block;
    }
    void run(exec::Context& context) override;

   private:
    Messenger& messenger_;
    core::BufferPool& pool_;  // the pool of the worker that runs it
    const ProgramHandler* handler_ = nullptr;
    Rank source_;
    core::MpscNode* block_ = nullptr;  // the message
  };

  void call(const HandlerTable::Entry& handler, Incoming&& message);
  void dispatch_batch(Rank source, core::Buffer&& batch);
  void dispatch_mixed_batch(Rank source, core::Buffer&& batch);
  /// True if messages whose handlers may run in place are run from the batch that they came in.
  [[nodiscard]] bool may_run_batches() const;

  Messenger& messenger_;
  exec::Engine& engine_;
  const HandlerTable& table_;
  MessageMemory& memory_;
  ArrivalCounters counters_;
  const bool may_run_next_;
  SourceLines source_lines_;
  NextMessage next_message_;
};

}  // namespace roam::am
