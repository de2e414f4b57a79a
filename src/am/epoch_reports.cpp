// SPDX-License-Identifier: Apache-2.0
// The part of Epochs that communicates with other ranks: how they tell the root of an epoch what
// they have sent and received.
#include <algorithm>

#include "epoch_report.hpp"
#include "roam/am/detail/epochs.hpp"
#include "roam/am/detail/messenger.hpp"

namespace roam::am {

namespace {
// The first report is sent at once. A rank that works for an epoch repeatedly for short times
// pauses between reports, for this part (a sixteenth) of the time since the first one; what happens
// during the pause is added up. With longer pauses the end of an epoch would become known later,
// the more so the deeper the tree is.
constexpr int pause_part = 16;
constexpr Duration shortest_pause = std::chrono::microseconds(1);
constexpr Duration longest_pause = std::chrono::microseconds(256);
// After this time without a report, a new series begins.
constexpr Duration pace_forgotten = 4 * longest_pause;
// The pace is an optimisation only: it is remembered for this many epochs and no more.
constexpr std::size_t most_paces = 64;

// On the wire, ranks are in ascending order, each as the distance from the one before, with its
// count, whose sign is in the lowest bit. Numbers are written with seven bits per byte, the lowest
// first. Counts of very many ranks meet near the root, and most of them are small.
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

// For an epoch that was begun on another rank.
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

// Called under the progress lock: the reports of one rank leave in the order in which they are
// made, so that what the root knows of a rank is always what it did up to some moment.
void Epochs::report(std::uint64_t epoch) {
  std::vector<std::pair<std::int32_t, std::int64_t>> counts;
  {
    const core::LockGuard guard(lock_);
    const auto local = locals_.find(epoch);
    local->second.is_due = false;
    if (local->second.unfinished == 0) {  // otherwise there is work for it again
      counts.assign(local->second.counts.begin(), local->second.counts.end());
      locals_.erase(local);
      if (!counts.empty()) set_pace(epoch, messenger_.engine().now());
    }
  }
  if (!counts.empty()) {
    // Sorted, so that the report is the same in every run (R1).
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

// Passes a message in an epoch to a handler of the program, like a message without one.
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
