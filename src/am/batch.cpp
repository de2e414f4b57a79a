// SPDX-License-Identifier: Apache-2.0
// BatchRun, and the part of Dispatcher that takes batches of small messages apart.
#include <algorithm>
#include <optional>

#include "batch_run.hpp"
#include "source_line.hpp"

namespace roam::am {

void BatchRun::run(exec::Context& context) {
  context.several = this;
  std::uint32_t runs = 0;
  std::uint32_t between_looks = 1;
  std::uint32_t until_look = 1;
  while (!messages_.at_end()) {
    const std::uint32_t done = run_some(until_look, context);
    runs += done;
    until_look -= done;
    if (until_look > 0 || messages_.at_end()) continue;
    if (messenger_.engine().now() - context.run_begin > longest_turn)
      return give_way(runs, context);
    between_looks = std::min(2 * between_looks, most_between_looks);
    until_look = between_looks;
  }
  context.runs = runs;
  context.several = nullptr;
  context.execution = this;
  context.label = "batch of messages";
  context.finished = this;
}

// Runs messages of one entry.
inline std::uint32_t BatchRun::run_some(std::uint32_t most, exec::Context& context) {
  static_cast<void>(messages_.open_entry());  // it was valid when the batch came
  const ProgramHandler& handler = *messenger_.handlers().find(messages_.entry().handler)->program;
  return handler.run_several(messenger_, handler, source_, messages_, most, context);
}

void BatchRun::give_way(std::uint32_t runs, exec::Context& context) {
  context.runs = runs;
  context.several = nullptr;
  context.execution = nullptr;
  messenger_.engine().push_next(this);
}

bool BatchRun::run_next(exec::Context& context) {
  return !messages_.at_end() && run_some(1, context) > 0;
}

core::Buffer Dispatcher::unpack_entry(std::span<const std::byte> payload) {
  core::Buffer own = memory_.take_entry(sizeof(WireHeader) + payload.size());
  own.set_size(sizeof(WireHeader));
  own.append(payload.data(), payload.size());
  return own;
}

namespace {

/// The contents of a batch.
struct BatchContents {
  std::uint64_t messages = 0;
  std::uint64_t counted = 0;
  std::uint64_t payload_bytes = 0;
  bool are_runs = true;  // all of them may run in place
};

bool may_run_in_place(const HandlerTable::Entry* handler) {
  return handler != nullptr && handler->program != nullptr &&
         handler->program->run_several != nullptr;
}

// Examines the whole batch before any of its messages runs; nullopt if it is not valid.
std::optional<BatchContents> survey(const HandlerTable& table, std::span<const std::byte> entries) {
  BatchContents contents;
  BatchReader reader(entries);
  do {
    if (!reader.open_entry()) return std::nullopt;
    const BatchEntry& entry = reader.entry();
    contents.messages += entry.messages();
    contents.counted += entry.is_counted() ? entry.messages() : 0;
    contents.payload_bytes += std::uint64_t{entry.messages()} * entry.payload_bytes;
    if (!may_run_in_place(table.find(entry.handler))) contents.are_runs = false;
    reader.skip_entry();
  } while (!reader.at_end());
  return contents;
}

}  // namespace

// In most batches all messages are for program handlers: they become one item.
void Dispatcher::dispatch_batch(Rank source, core::Buffer&& data) {
  const std::span<const std::byte> entries = data.bytes().subspan(sizeof(WireHeader));
  const std::optional<BatchContents> contents = survey(table_, entries);
  if (!contents) return counters_.count_rejected();
  // With several workers the messages are taken one by one; in virtual time each is an item of its
  // own.
  if (!contents->are_runs || !engine_.runs_in_push_order() || !may_run_batches())
    return dispatch_mixed_batch(source, std::move(data));
  counters_.count_arrivals(source, contents->messages,
                           contents->payload_bytes + contents->messages * sizeof(WireHeader));
  engine_.push(BatchRun::make(memory_.take_batch_run(), messenger_, source,
                              {.own = std::move(data), .entries = entries}));
  if (contents->counted > 0) counters_.count_taken_in(contents->counted);
}

bool Dispatcher::may_run_batches() const {
  return !engine_.clock().is_virtual() && (engine_.workers() > 1 || !engine_.is_observed());
}

// Consecutive messages for program handlers become one item; every other message is handled as
// usual, at its place among them (A2).
void Dispatcher::dispatch_mixed_batch(Rank source, core::Buffer&& data) {
  const auto batch = std::make_shared<const core::Buffer>(std::move(data));
  const std::span<const std::byte> entries = batch->bytes().subspan(sizeof(WireHeader));
  const std::byte* together = nullptr;  // where the present sequence of program handlers begins
  const auto end_run = [&](const std::byte* end) {
    if (together == nullptr) return;
    const std::span<const std::byte> run(std::exchange(together, nullptr), end);
    if (!engine_.runs_in_push_order()) {
      run_in_source_order(source, new BatchInLine(batch, run));
    } else {
      engine_.push(BatchRun::make(memory_.take_batch_run(), messenger_, source,
                                  {.shared = batch, .entries = run}));
    }
  };
  const bool in_place = may_run_batches();
  std::uint64_t counted = 0;
  for (BatchReader reader(entries); !reader.at_end();) {
    const std::byte* const begin = reader.position();
    static_cast<void>(reader.open_entry());
    const BatchEntry entry = reader.entry();
    if (in_place && may_run_in_place(table_.find(entry.handler))) {
      const std::uint64_t messages = entry.messages();
      counters_.count_arrivals(source, messages,
                               messages * (entry.payload_bytes + sizeof(WireHeader)));
      counted += entry.is_counted() ? entry.messages() : 0;
      if (together == nullptr) together = begin;
      reader.skip_entry();
      continue;
    }
    end_run(begin);
    WireHeader header;
    header.handler = entry.handler;
    header.flags = entry.is_counted() ? WireHeader::counted : std::uint16_t{0};
    while (reader.left() > 0) dispatch(source, header, unpack_entry(reader.take()));
  }
  end_run(entries.data() + entries.size());
  if (counted > 0) counters_.count_taken_in(counted);
}

}  // namespace roam::am
