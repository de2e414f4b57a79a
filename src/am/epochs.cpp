// SPDX-License-Identifier: Apache-2.0
#include "roam/am/detail/epochs.hpp"

#include "epoch_report.hpp"
#include "roam/am/detail/messenger.hpp"
#include "roam/core/error.hpp"

namespace roam::am {

namespace {

/// Runs on the rank that began the epoch, for a coroutine that waits elsewhere.
Task<> wait_at_root(Epoch epoch) {
  return exec::current()->engine->services().get<Messenger>()->epochs().ended(epoch);
}

}  // namespace

Epochs::Epochs(Messenger& messenger) : messenger_(messenger) {
  messenger_.bind<&Epochs::on_message>(*this);
  messenger_.bind<&Epochs::on_report>(*this);
}

Epochs::~Epochs() = default;

// Never inlined, so that coroutines may call it.
[[gnu::noinline]] std::uint64_t Epochs::current() {
  const exec::Context* const context = exec::detail::current_context;
  return context == nullptr ? 0 : context->epoch;
}

bool Epochs::is_own(std::uint64_t epoch) const { return Epoch(epoch).root() == messenger_.rank(); }

// True for any epoch of another rank, and for one that was begun here and is not over.
bool Epochs::may_exist(std::uint64_t epoch) const {
  const Rank root = Epoch(epoch).root();
  if (epoch == 0 || root.value() < 0 || root.value() >= messenger_.size()) return false;
  return !is_own(epoch) || locals_.contains(epoch);
}

Epoch Epochs::begin() {
  const std::uint64_t outer = current();
  if (outer != 0) begin_work(outer);
  const core::LockGuard guard(lock_);
  const Epoch epoch(messenger_.rank(), next_serial_++);
  Local& local = locals_[epoch.value()];
  local.is_open = true;
  local.outer = outer;
  return epoch;
}

void Epochs::close(Epoch epoch) {
  if (!epoch || !is_own(epoch.value()))
    throw Error("epoch " + to_string(epoch) + " can be closed only by the rank that began it");
  Ended ended;
  {
    const core::LockGuard guard(lock_);
    const auto local = locals_.find(epoch.value());
    if (local == locals_.end()) return;  // the epoch is over
    local->second.is_open = false;
    ended = take_if_over(local);
  }
  carry_out(ended);
}

Task<> Epochs::finished(Epoch epoch) {
  if (!epoch) co_return;
  if (epoch.value() == current())
    throw Error("epoch " + to_string(epoch) + " is awaited by its own work, which it waits for");
  if (is_own(epoch.value())) {
    close(epoch);
    co_await ended(epoch);
  } else {
    auto reply = messenger_.request<&wait_at_root>(epoch.root(), epoch);
    co_await reply;
  }
}

Task<> Epochs::ended(Epoch epoch) {
  Awaiter awaiter(*this, epoch);
  co_await awaiter;
}

bool Epochs::add_waiter(Waiter* waiter) {
  exec::WaitList& waits = messenger_.engine().waits();
  waits.add(waiter);
  {
    const core::LockGuard guard(lock_);
    if (const auto local = locals_.find(waiter->epoch.value()); local != locals_.end()) {
      waiter->next = std::exchange(local->second.waiters, waiter);
      return true;
    }
  }
  waits.remove(waiter);  // the epoch is over
  return false;
}

std::string Epochs::Waiter::waits_for() const { return "the end of epoch " + to_string(epoch); }

std::string Epochs::Waiter::who() const {
  return execution() == nullptr ? "a coroutine" : execution()->describe();
}

Epochs::Membership::Membership(Epochs& epochs, Epoch epoch) : epochs_(epochs), epoch_(epoch) {
  exec::Context* const context = exec::detail::current_context;
  if (context == nullptr || context->engine != &epochs.messenger_.engine() ||
      context->slot >= epochs.messenger_.engine().workers())
    throw Error("an epoch was entered on a thread where no Roam handler or main program runs");
  outer_ = context->epoch;
  if (epoch && epoch.value() != outer_) {
    if (!epochs.begin_work_if_open(epoch))
      throw Error("epoch " + to_string(epoch) +
                  " takes no more work from here: it was begun by another rank, or is closed");
    holds_work_ = true;
  }
  context->epoch = epoch.value();
}

Epochs::Membership::~Membership() {
  exec::detail::current_context->epoch = outer_;
  if (holds_work_) epochs_.end_work(epoch_.value());
}

bool Epochs::begin_work_if_open(Epoch epoch) {
  if (!is_own(epoch.value())) return false;
  const core::LockGuard guard(lock_);
  const auto local = locals_.find(epoch.value());
  if (local == locals_.end() || !local->second.is_open) return false;
  ++local->second.unfinished;
  return true;
}

void Epochs::count(Counts& counts, std::int32_t rank, std::int64_t by) {
  const auto entry = counts.try_emplace(rank, 0).first;
  // Computed unsigned, because a forged report may contain any number.
  entry->second = static_cast<std::int64_t>(static_cast<std::uint64_t>(entry->second) +
                                            static_cast<std::uint64_t>(by));
  if (entry->second == 0) counts.erase(entry);
}

void Epochs::sent(std::uint64_t epoch, Rank to, std::int64_t number) {
  const core::LockGuard guard(lock_);
  count(locals_[epoch].counts, to.value(), number);
}

bool Epochs::taken_in(std::uint64_t epoch) {
  const core::LockGuard guard(lock_);
  if (!may_exist(epoch)) return false;
  Local& local = locals_[epoch];
  ++local.unfinished;
  count(local.counts, messenger_.rank().value(), -1);
  return true;
}

void Epochs::begin_work(std::uint64_t epoch) {
  const core::LockGuard guard(lock_);
  ++locals_[epoch].unfinished;
}

void Epochs::end_work(std::uint64_t epoch) {
  Ended ended;
  Report due = Report::none;
  {
    const core::LockGuard guard(lock_);
    if (is_stopped_) return;
    const auto local = locals_.find(epoch);
    if (--local->second.unfinished > 0) return;
    if (is_own(epoch)) {
      ended = take_if_over(local);
    } else {
      due = settle(local);
    }
  }
  carry_out(ended);
  if (due == Report::later) report_later(epoch);
}

// For an epoch that was begun on this rank.
Epochs::Ended Epochs::take_if_over(Locals::iterator local) {
  const Local& state = local->second;
  if (is_stopped_ || state.is_open || state.unfinished > 0 || !state.counts.empty()) return {};
  const Ended ended{state.waiters, state.outer};
  locals_.erase(local);
  return ended;
}

void Epochs::carry_out(const Ended& ended) {
  for (Waiter* waiter = ended.waiters; waiter != nullptr;) {
    Waiter* const next = waiter->next;
    messenger_.engine().waits().remove(waiter);
    waiter->resume();  // may destroy the waiter
    waiter = next;
  }
  if (ended.outer != 0) end_work(ended.outer);
}

std::size_t Epochs::size() const {
  const core::LockGuard guard(lock_);
  return locals_.size();
}

std::vector<EpochState> Epochs::unfinished() const {
  const core::LockGuard guard(lock_);
  std::vector<EpochState> states;
  states.reserve(locals_.size());
  for (const auto& [epoch, local] : locals_)
    states.push_back({Epoch(epoch), local.unfinished, local.is_open, is_own(epoch)});
  return states;
}

void Epochs::stop() {
  const core::LockGuard guard(lock_);
  is_stopped_ = true;
}

}  // namespace roam::am
