// SPDX-License-Identifier: Apache-2.0
// Batches of small messages: the part of Messenger that takes them apart.
#include "batch_run.hpp"
#include "source_line.hpp"

namespace roam::am {

namespace {
// A handler's run lies behind its message.
constexpr std::size_t room_for_run = 192;
}  // namespace

void BatchRun::run(exec::Context& context) {
  context.several = this;
  BatchEntry entry;
  std::span<const std::byte> payload;
  std::uint32_t runs = 0;
  while (entries_.next(entry, payload)) {
    const ProgramHandler& handler = *messenger_.handlers().find(entry.handler)->program;
    handler.run_in_place(messenger_, handler, source_, payload, context);
    ++runs;
    if (runs % messages_per_look == 1 && !entries_.at_end() &&
        messenger_.engine().now() - context.run_begin > longest_turn) {
      context.runs = runs;
      context.several = nullptr;
      context.execution = nullptr;
      messenger_.engine().push_next(this);
      return;
    }
  }
  context.runs = runs;
  context.several = nullptr;
  context.execution = this;
  context.label = "batch of messages";
  context.finished = this;
}

bool BatchRun::run_next(exec::Context& context) {
  BatchEntry entry;
  std::span<const std::byte> payload;
  if (!entries_.next(entry, payload)) return false;
  const ProgramHandler& handler = *messenger_.handlers().find(entry.handler)->program;
  handler.run_in_place(messenger_, handler, source_, payload, context);
  return true;
}

core::Buffer Messenger::unpack_entry(std::span<const std::byte> payload) {
  // Small ones: a batch of them must not take many times its own memory.
  const std::size_t size = payload_offset + payload.size();
  core::Buffer own =
      entries_[size + room_for_run <= entries_[0]->block_bytes() ? 0 : 1]->take(size);
  own.set_size(payload_offset);
  own.append(payload.data(), payload.size());
  return own;
}

// Program handlers next to each other become one item; everything else goes its usual way, at its
// place among them (A2).
void Messenger::dispatch_batch(Rank source, core::Buffer&& data) {
  const auto batch = std::make_shared<const core::Buffer>(std::move(data));
  const std::span<const std::byte> entries = batch->bytes().subspan(payload_offset);
  BatchEntry entry;
  std::span<const std::byte> payload;
  BatchReader check(entries);
  do {
    if (!check.next(entry, payload) || (entry.flags & ~WireHeader::counted) != 0)
      return reject(source, "bad batch");
  } while (!check.at_end());
  // Several workers take them one by one; in virtual time each is an item of its own.
  const bool is_shared = engine_.workers() > 1;
  const bool in_place = !engine_.clock().is_virtual() && (is_shared || !engine_.is_observed());
  const std::byte* together = nullptr;  // where the present run of program handlers begins
  const auto end_run = [&](const std::byte* end) {
    if (together == nullptr) return;
    const std::span<const std::byte> run(together, end);
    if (is_shared) {
      run_in_source_order(source, new BatchInLine(batch, run));
    } else {
      engine_.push(new BatchRun(*this, source, batch, run));
    }
    together = nullptr;
  };
  std::uint64_t counted = 0;
  for (BatchReader reader(entries); !reader.at_end();) {
    const std::byte* const begin = reader.rest().data();
    static_cast<void>(reader.next(entry, payload));
    const HandlerTable::Entry* handler = table_.find(entry.handler);
    if (handler != nullptr && handler->program != nullptr && in_place &&
        handler->program->run_in_place != nullptr) {
      count_arrival(payload.size() + sizeof(WireHeader));
      counted += (entry.flags & WireHeader::counted) != 0 ? 1 : 0;
      if (together == nullptr) together = begin;
      continue;
    }
    end_run(begin);
    WireHeader header;
    header.handler = entry.handler;
    header.flags = entry.flags;
    dispatch(source, header, unpack_entry(payload));
  }
  end_run(entries.data() + entries.size());
  if (counted > 0) count_taken_in(counted);
}

void Messenger::flush_batches() {
  coalescer_->flush_all([this](Rank to, core::Buffer&& batch) { send_one(to, std::move(batch)); });
}

void Messenger::flush() {
  if (sends_directly_ || !lock_endpoint()) return;
  if (outbox_size_.load(std::memory_order_relaxed) > 0) drain_outbox();
  if (coalescer_ != nullptr) flush_batches();
  if (credits_ != nullptr) send_all_waiting();
  endpoint_lock_.unlock();
}

}  // namespace roam::am
