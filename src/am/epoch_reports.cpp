// SPDX-License-Identifier: Apache-2.0
// How ranks tell the root of an epoch what they have sent and taken in: the part of Epochs that
// speaks to other ranks.
#include <algorithm>

#include "epoch_report.hpp"
#include "roam/am/detail/epochs.hpp"
#include "roam/am/detail/messenger.hpp"

namespace roam::am {

namespace {
// The first report goes at once. A rank that works for an epoch again and again for short times
// pauses between reports for so large a part of the time since the first: what happens meanwhile is
// added up. A larger part would make the end known later the deeper the tree is.
constexpr int pause_part = 16;
constexpr Duration shortest_pause = std::chrono::microseconds(1);
constexpr Duration longest_pause = std::chrono::microseconds(256);
// After so long without a report it starts afresh.
constexpr Duration pace_forgotten = 4 * longest_pause;
// Only a help: of more epochs than that nothing is remembered.
constexpr std::size_t most_paces = 64;

// On the wire: ranks in ascending order, each as the distance from the one before, with its count,
// whose sign is in the lowest bit; seven bits a byte, the lowest first. Counts of very many ranks
// meet near the root, mostly small ones.
void put(std::string& text, std::uint64_t number) {
  for (; number >= 128; number /= 128) text += static_cast<char>(number % 128 + 128);
  text += static_cast<char>(number);
}

std::uint64_t get(const std::string& text, std::size_t& at) {
  std::uint64_t number = 0;
  for (unsigned shift = 0; at < text.size() && shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(text[at++]);
    number |= std::uint64_t{byte % 128U} << shift;
    if (byte < 128) return number;
  }
  throw MalformedMessage("an epoch's report is cut off");
}

std::string encode(const std::vector<std::pair<std::int32_t, std::int64_t>>& counts) {
  std::string text;
  std::int32_t before = 0;
  for (const auto& [rank, number] : counts) {
    put(text, static_cast<std::uint64_t>(rank - before));
    put(text, number < 0 ? 2 * static_cast<std::uint64_t>(-(number + 1)) + 1
                         : 2 * static_cast<std::uint64_t>(number));
    before = rank;
  }
  return text;
}

std::vector<std::pair<std::int32_t, std::int64_t>> decode(const std::string& text,
                                                          std::int32_t ranks) {
  std::vector<std::pair<std::int32_t, std::int64_t>> counts;
  std::uint64_t rank = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::uint64_t distance = get(text, at);
    const std::uint64_t number = get(text, at);
    if (distance >= static_cast<std::uint64_t>(ranks) - rank)
      throw MalformedMessage("an epoch's report on a rank that does not exist");
    rank += distance;
    const auto half = static_cast<std::int64_t>(number / 2);
    counts.emplace_back(static_cast<std::int32_t>(rank), number % 2 == 0 ? half : -half - 1);
  }
  return counts;
}
}  // namespace

Rank Epochs::parent(std::uint64_t epoch) const {
  const std::int32_t size = messenger_.size();
  const std::int32_t root = Epoch(epoch).root().value();
  const std::int32_t place = (messenger_.rank().value() - root + size) % size;
  return Rank(((place - 1) / tree_width + root) % size);
}

// Of an epoch begun elsewhere.
Epochs::Report Epochs::settle(Locals::iterator local) {
  Local& state = local->second;
  if (is_stopped_ || state.unfinished > 0 || state.is_due) return Report::none;
  if (state.counts.empty()) {
    locals_.erase(local);
    return Report::none;
  }
  state.is_due = true;
  due_.fetch_add(1, std::memory_order_release);
  return Report::later;
}

void Epochs::report_later(std::uint64_t epoch) {
  exec::Engine& engine = messenger_.engine();
  Instant when = engine.now();
  {
    const core::LockGuard guard(lock_);
    if (const auto pace = pace_.find(epoch); pace != pace_.end())
      when = std::max(when, pace->second.not_before);
  }
  engine.call_at(when, [this, epoch] { report(epoch); });
}

void Epochs::set_pace(std::uint64_t epoch, Instant now) {
  if (pace_.size() >= most_paces && !pace_.contains(epoch)) pace_.clear();
  Pace& pace = pace_.try_emplace(epoch, Pace{now, now}).first->second;
  if (now - pace.not_before > pace_forgotten) pace.first = now;
  pace.not_before =
      now + std::clamp((now - pace.first) / pause_part, shortest_pause, longest_pause);
}

// Under the progress lock: reports of one rank leave in the order in which they are made, so that
// what the root knows of a rank is always all that it did up to some moment.
void Epochs::report(std::uint64_t epoch) {
  std::vector<std::pair<std::int32_t, std::int64_t>> counts;
  {
    const core::LockGuard guard(lock_);
    const auto local = locals_.find(epoch);
    local->second.is_due = false;
    if (local->second.unfinished == 0) {  // else there is work for it again
      counts.assign(local->second.counts.begin(), local->second.counts.end());
      locals_.erase(local);
      if (!counts.empty()) set_pace(epoch, messenger_.engine().now());
    }
  }
  if (!counts.empty()) {
    // In the same order on every run (R1).
    std::sort(counts.begin(), counts.end());
    messenger_.post(parent(epoch), EpochReport{epoch, encode(counts)});
    reports_.fetch_add(1, std::memory_order_relaxed);
  }
  due_.fetch_sub(1, std::memory_order_release);  // last: quiescence must see the message by then
}

void Epochs::on_report(const EpochReport& report) {
  if (!merge(report.epoch, decode(report.counts, messenger_.size())))
    throw MalformedMessage("a report on an epoch that does not exist");
}

bool Epochs::merge(std::uint64_t epoch,
                   const std::vector<std::pair<std::int32_t, std::int64_t>>& counts) {
  Ended ended;
  Report due = Report::none;
  {
    const core::LockGuard guard(lock_);
    if (!may_exist(epoch)) return false;
    const auto local = locals_.try_emplace(epoch).first;
    for (const auto& [rank, number] : counts) count(local->second.counts, rank, number);
    if (is_own(epoch)) {
      ended = take_if_over(local);
    } else {
      due = settle(local);
    }
  }
  carry_out(ended);
  if (due == Report::later) report_later(epoch);
  return true;
}

// A message for a handler of the program, in an epoch: which one and what for, then as without.
void Epochs::on_message(const InEpoch& head, Incoming&& rest) {
  const HandlerTable::Entry* entry = messenger_.handlers().find(head.handler);
  if (entry == nullptr || entry->program == nullptr || entry->program->dispatch_in_epoch == nullptr)
    throw MalformedMessage("a handler that does not exist is to run in an epoch");
  if (rest.attachment.data && !entry->program->takes_attachment)
    throw MalformedMessage("the handler takes no array");
  if (rest.payload().size() < sizeof(std::uint64_t))
    throw MalformedMessage("no room for the token");
  if (!taken_in(head.epoch)) throw MalformedMessage("work of an epoch that does not exist");
  entry->program->dispatch_in_epoch(messenger_, *entry->program, head.epoch, std::move(rest));
}

}  // namespace roam::am
