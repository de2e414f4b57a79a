// SPDX-License-Identifier: Apache-2.0
// Flow control (A3): the part of Messenger that waits for credit, gives it, and holds senders back.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <thread>

#include "own_messages.hpp"
#include "roam/am/messenger.hpp"

namespace roam::am {

namespace {

// Waiting messages are put together into batches of this size at most, where the network has no
// wish of its own.
constexpr std::size_t waiting_batch_bytes = 4096;
constexpr std::size_t smallest_window = std::size_t{64} << 10;
constexpr std::size_t largest_window = std::size_t{1} << 20;
// A rank of several workers has others that run handlers: one of them that is held back looks for
// work of its own only after a while.
constexpr Duration patience_of_several_workers = std::chrono::microseconds(100);
constexpr Duration turn_of_nested_runs = std::chrono::microseconds(20);
constexpr Duration first_patience = std::chrono::seconds(1);
// So long a rank must have seen no message to be one that only spins; so long a sender's memory
// must not have become less.
constexpr Duration time_to_spin = std::chrono::milliseconds(10);

bool is_counted(const core::Buffer& message, const core::Buffer& bulk) {
  WireHeader header;
  std::memcpy(&header, message.data(), sizeof header);
  if ((header.flags & WireHeader::announce) != 0) std::memcpy(&header, bulk.data(), sizeof header);
  return (header.flags & WireHeader::counted) != 0;
}

}  // namespace

std::unique_ptr<Credits> Messenger::make_credits() const {
  if (!capabilities_.credits) return nullptr;
  const auto others = static_cast<std::size_t>(std::max(size_ - 1, 1));
  const std::size_t share =
      std::clamp(options_.receive_memory_bytes / others, smallest_window, largest_window);
  const std::size_t batch =
      capabilities_.batch_bytes > 0 ? capabilities_.batch_bytes : waiting_batch_bytes;
  return std::make_unique<Credits>(options_.window_bytes.value_or(share),
                                   std::min(batch, largest_single_));
}

// Messages that are no work of the program (a grant, the news that the job is over) wait for
// nothing: whoever waits for credit may depend on them. There are few.
void Messenger::wait_for_credit(Rank destination, core::Buffer&& message, core::Buffer&& bulk,
                                std::uint32_t tag) {
  if (!is_counted(message, bulk)) {
    credits_->count_sent(destination, Credits::charge(message, bulk));
    return send_now(destination, std::move(message), std::move(bulk), tag);
  }
  if (coalescer_ != nullptr) {  // what is older goes first
    coalescer_->flush(destination,
                      [this](Rank to, core::Buffer&& batch) { send_one(to, std::move(batch)); });
  }
  keep_for_credit(destination, std::move(message), std::move(bulk), tag);
}

void Messenger::keep_for_credit(Rank destination, core::Buffer&& message, core::Buffer&& bulk,
                                std::uint32_t tag) {
  if (!engine_.is_ahead_of_time())
    return credits_->hold(destination, {std::move(message), std::move(bulk), tag});
  transmit_in_time(destination, std::move(message), std::move(bulk), tag);
}

// Nothing may send it before the virtual time that the handler has come to.
void Messenger::transmit_in_time(Rank destination, core::Buffer&& message, core::Buffer&& bulk,
                                 std::uint32_t tag) {
  auto node = std::make_shared<OutboxNode>();
  node->destination = destination;
  node->message = std::move(message);
  node->bulk = std::move(bulk);
  node->tag = tag;
  engine_.call_at(engine_.now(), [this, node] {
    transmit(node->destination, std::move(node->message), std::move(node->bulk), node->tag);
  });
}

void Messenger::send_waiting(Rank destination) {
  credits_->send_waiting(destination, [this, destination](Credits::Waiting&& waiting) {
    send_now(destination, std::move(waiting.message), std::move(waiting.bulk), waiting.tag);
  });
}

void Messenger::send_all_waiting() {
  for (const Rank rank : credits_->waited_for()) {
    credits_->grant_all_to(rank);
    send_waiting(rank);
  }
}

void Messenger::on_credit(const Credit& credit, Rank source) {
  if (credits_ == nullptr || !credits_->take_grant(source, credit.total_bytes))
    throw MalformedMessage("credit for what was not sent");
  send_waiting(source);
}

void Messenger::give_credit(Instant now) {
  const std::size_t held = held_bytes();
  most_held_bytes_.store(std::max(held, most_held_bytes_.load(std::memory_order_relaxed)),
                         std::memory_order_relaxed);
  if (withholds_credit(held, now)) return;
  credits_->grant_due([this](Rank source, std::uint64_t total) {
    core::Buffer message = begin(Credit{total}).take().take();
    WireHeader header;
    header.handler = message_id<Credit>;
    header.checked_size = static_cast<std::uint32_t>(message.size());
    std::memcpy(message.data(), &header, sizeof header);
    static_cast<void>(count_beside(message.size(), false));
    credits_->count_sent(source, Credits::charge(message.size()));
    send_now(source, std::move(message), {}, 0);
  });
}

// As long as there is too much. But what is held while the rank is at rest waits for messages, and
// those may be the ones that need the credit. So it may be while something spins; then patience
// ends, later each time.
bool Messenger::withholds_credit(std::size_t held, Instant now) {
  if (held < options_.receive_memory_bytes) {
    least_held_bytes_ = std::numeric_limits<std::size_t>::max();
    patience_ = first_patience;
    return false;
  }
  if (is_at_rest()) return false;
  if (held < least_held_bytes_) {
    least_held_bytes_ = held;
    withheld_since_ = now;
  }
  if (now - withheld_since_ < patience_) return true;
  patience_ *= 2;
  withheld_since_ = now;
  return false;
}

// Held-back senders are items too, and wait for others.
bool Messenger::is_at_rest() const {
  return engine_.unfinished() <= held_back_.load(std::memory_order_relaxed);
}

// What has run while nothing arrived are handlers that wait in a loop: over and over again, and all
// of them short. None will let go of a buffer by itself. (A long one may; so may those that have
// not run yet, of which the sender sees that its memory comes back.)
bool Messenger::is_only_spinning(Instant now) {
  if (now - watched_since_ < time_to_spin) return false;
  if (watched_since_ == silent_since_) {
    engine_.note_finished(finished_then_);
    watched_since_ = now;
    return false;
  }
  return engine_.busy_since(finished_then_) <= held_back_.load(std::memory_order_relaxed);
}

void Messenger::publish_rest(bool at_rest) {
  if (at_rest == is_published_at_rest_) return;
  is_published_at_rest_ = at_rest;
  endpoint_.set_at_rest(at_rest);
}

std::size_t Messenger::own_bytes_in_use() const {
  std::size_t bytes = 0;
  for (const auto& pool : pools_) bytes += pool->blocks_in_use() * pool->block_bytes();
  if (coalescer_ != nullptr) bytes += coalescer_->bytes_in_use();
  if (has_large_memory_.load(std::memory_order_acquire)) bytes += large_memory_->bytes_in_use();
  return bytes;
}

std::size_t Messenger::held_bytes() const {
  if (credits_ == nullptr) return own_bytes_in_use();
  std::size_t bytes = endpoint_.held_bytes();
  for (const auto& pool : entries_) bytes += pool->blocks_in_use() * pool->block_bytes();
  return bytes;
}

bool Messenger::is_over_mark(bool may_wait_for_handlers) {
  const std::size_t mark = options_.high_water_bytes;
  std::size_t unsent = endpoint_.unsent_bytes() + outbox_bytes_.load(std::memory_order_relaxed);
  if (credits_ != nullptr && may_wait_for_handlers) unsent += credits_->waiting_bytes();
  // What is sent from the program's own memory takes none of ours.
  unsent -= std::min(unsent, lent_bytes_.load(std::memory_order_relaxed));
  if (unsent > mark) return true;
  if (credits_ != nullptr || !may_wait_for_handlers) return false;
  const std::size_t in_use = own_bytes_in_use();
  if (in_use > most_held_bytes_.load(std::memory_order_relaxed))
    most_held_bytes_.store(in_use, std::memory_order_relaxed);
  if (in_use <= mark) raised_mark_bytes_.store(0, std::memory_order_relaxed);
  return in_use > std::max(mark, raised_mark_bytes_.load(std::memory_order_relaxed));
}

void Messenger::hold_back_sender() {
  const bool is_worker = engine_.this_slot() < engine_.workers();
  // In polling mode the handlers run on the thread of the program: it would wait for itself.
  const bool may_wait = is_worker || engine_.options().progress != ProgressMode::polling;
  if (!is_over_mark(may_wait) || engine_.clock().is_virtual()) return;
  // What is sent inside progress (system handlers, timers, other pollers) is what makes room
  // elsewhere, and nobody else can make progress meanwhile: it never waits. Neither does what is
  // sent by a handler that runs deep inside held-back ones.
  if (engine_.is_progressing() || engine_.nesting() == exec::Engine::deepest_nesting) return;
  times_held_back_.fetch_add(1, std::memory_order_relaxed);
  if (is_worker) held_back_.fetch_add(1, std::memory_order_relaxed);
  const Instant patient_until =
      engine_.workers() == 1 ? Instant(0) : engine_.now() + patience_of_several_workers;
  std::size_t least_in_use = std::numeric_limits<std::size_t>::max();
  Instant least_since{0};
  while (is_over_mark(may_wait) && !engine_.stopped()) {
    const std::size_t done = engine_.help_progress();
    if (is_worker && engine_.now() >= patient_until && engine_.help_run(turn_of_nested_runs))
      continue;
    if (credits_ == nullptr && is_at_rest() && endpoint_.others_at_rest()) {
      const std::size_t in_use = own_bytes_in_use();
      if (in_use < least_in_use) {
        least_in_use = in_use;
        least_since = engine_.now();
      } else if (engine_.now() - least_since >= time_to_spin) {
        // Nobody has anything to do: what is in use is kept by programs, for as long as they like.
        raised_mark_bytes_.store(in_use + options_.high_water_bytes / 4, std::memory_order_relaxed);
      }
    }
    if (done == 0) std::this_thread::yield();
  }
  if (is_worker) held_back_.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace roam::am
