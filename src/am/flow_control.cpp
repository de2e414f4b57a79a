// SPDX-License-Identifier: Apache-2.0
#include "roam/am/detail/flow_control.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

#include "am/credits.hpp"
#include "roam/am/detail/coalescer.hpp"

namespace roam::am {

namespace {

// The size of batches of waiting messages, if the network recommends none.
constexpr std::size_t waiting_batch_bytes = 4096;
constexpr std::size_t smallest_window = std::size_t{64} << 10;
constexpr std::size_t largest_window = std::size_t{1} << 20;
// A rank with several workers has others that run handlers: a worker that is held back looks for
// other items to run only after a while.
constexpr Duration patience_of_several_workers = std::chrono::microseconds(100);
constexpr Duration turn_of_nested_runs = std::chrono::microseconds(20);
constexpr Duration first_patience = std::chrono::seconds(1);
// A rank counts as one that only spins if it has received no message for this long; a sender's
// memory in use counts as stuck if it has not decreased for this long.
constexpr Duration time_to_spin = std::chrono::milliseconds(10);

std::unique_ptr<Credits> make_credits(const transport::Endpoint& endpoint,
                                      const MessengerOptions& options) {
  const transport::Capabilities& network = endpoint.capabilities();
  if (!network.credits) return nullptr;
  const auto others = static_cast<std::size_t>(std::max(endpoint.size() - 1, 1));
  const std::size_t share =
      std::clamp(options.receive_memory_bytes / others, smallest_window, largest_window);
  const std::size_t batch = network.batch_bytes > 0 ? network.batch_bytes : waiting_batch_bytes;
  const std::size_t longest = std::min(options.message_threshold_bytes, network.max_message_bytes);
  return std::make_unique<Credits>(options.window_bytes.value_or(share), std::min(batch, longest));
}

}  // namespace

FlowControl::~FlowControl() = default;

FlowControl::FlowControl(transport::Endpoint& endpoint, exec::Engine& engine,
                         const MessengerOptions& options, const MessageMemory& memory,
                         const Coalescer* coalescer)
    : endpoint_(endpoint),
      engine_(engine),
      memory_(memory),
      coalescer_(coalescer),
      high_water_bytes_(options.high_water_bytes),
      receive_memory_bytes_(options.receive_memory_bytes),
      credits_(make_credits(endpoint, options)) {}

// Credit is withheld as long as too much is held. But what is held while the rank is at rest waits
// for messages, and these may need the credit. The same may be true while something spins: then
// credit is given when a time, the patience, has passed, which is longer each time.
bool FlowControl::withholds_credit(Instant now) {
  const std::size_t held = held_bytes();
  most_held_bytes_.store(std::max(held, most_held_bytes_.load(std::memory_order_relaxed)),
                         std::memory_order_relaxed);
  if (held < receive_memory_bytes_) {
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

// True if all that has run while nothing arrived are handlers that wait in a loop, which are short
// and run over and over again. None of them will free a buffer by itself. (A long handler may; so
// may handlers that have not run yet, which the sender notices when its memory comes back.)
bool FlowControl::is_only_spinning(Instant now) {
  if (now - watched_since_ < time_to_spin) return false;
  if (watched_since_ == silent_since_) {
    engine_.note_finished(finished_then_);
    watched_since_ = now;
    return false;
  }
  return engine_.busy_since(finished_then_) <= held_back_.load(std::memory_order_relaxed);
}

// Held-back senders count as items too, but they wait for others.
bool FlowControl::is_at_rest() const {
  return engine_.unfinished() <= held_back_.load(std::memory_order_relaxed);
}

void FlowControl::look_for_rest(Instant now) {
  publish_rest(is_at_rest() || is_only_spinning(now));
}

void FlowControl::publish_rest(bool at_rest) {
  if (at_rest == is_published_at_rest_) return;
  is_published_at_rest_ = at_rest;
  endpoint_.set_at_rest(at_rest);
}

std::size_t FlowControl::own_bytes_in_use() const {
  return memory_.sent_bytes_in_use() + (coalescer_ != nullptr ? coalescer_->bytes_in_use() : 0);
}

std::size_t FlowControl::held_bytes() const {
  if (credits_ == nullptr) return own_bytes_in_use();
  return endpoint_.held_bytes() + memory_.entry_bytes_in_use();
}

bool FlowControl::is_over_mark(bool may_wait_for_handlers) {
  const std::size_t mark = high_water_bytes_;
  std::size_t unsent = endpoint_.unsent_bytes() + waiting_bytes_.load(std::memory_order_relaxed);
  if (credits_ != nullptr && may_wait_for_handlers) unsent += credits_->waiting_bytes();
  // What is sent from the program's own memory takes none of the runtime's.
  unsent -= std::min(unsent, lent_bytes_.load(std::memory_order_relaxed));
  if (unsent > mark) return true;
  if (credits_ != nullptr || !may_wait_for_handlers) return false;
  const std::size_t in_use = own_bytes_in_use();
  if (in_use > most_held_bytes_.load(std::memory_order_relaxed))
    most_held_bytes_.store(in_use, std::memory_order_relaxed);
  if (in_use <= mark) raised_mark_bytes_.store(0, std::memory_order_relaxed);
  return in_use > std::max(mark, raised_mark_bytes_.load(std::memory_order_relaxed));
}

void FlowControl::hold_back_sender() {
  const bool is_worker = engine_.this_slot() < engine_.workers();
  // In polling mode handlers run on the thread of the program, which would wait for itself.
  const bool may_wait = is_worker || engine_.options().progress != ProgressMode::polling;
  if (!is_over_mark(may_wait) || engine_.clock().is_virtual()) return;
  // What is sent inside progress (by system handlers, timers, other pollers) frees memory
  // elsewhere, and nobody else can make progress meanwhile: so it is never held back. Neither is
  // what a handler sends that runs deep inside held-back ones.
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
        // Nobody has anything to do: programs hold the memory in use, and may do so for as long as
        // they like.
        raised_mark_bytes_.store(in_use + high_water_bytes_ / 4, std::memory_order_relaxed);
      }
    }
    if (done == 0) std::this_thread::yield();
  }
  if (is_worker) held_back_.fetch_sub(1, std::memory_order_relaxed);
}

void FlowControl::add_to(MessengerStats& stats) const {
  stats.held_bytes = held_bytes();
  stats.most_held_bytes = most_held_bytes_.load(std::memory_order_relaxed);
  stats.times_held_back = times_held_back_.load(std::memory_order_relaxed);
  if (credits_ == nullptr) return;
  stats.waiting_bytes = credits_->waiting_bytes();
  stats.most_waiting_bytes = credits_->most_waiting_bytes();
}

}  // namespace roam::am
