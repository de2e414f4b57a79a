// SPDX-License-Identifier: Apache-2.0
#include "roam/am/detail/collectives.hpp"

#include <algorithm>
#include <cstring>

#include "collective_part.hpp"
#include "collective_schedule.hpp"
#include "roam/core/error.hpp"

namespace roam::am {

namespace {

// How many past calls are remembered: enough to name the call to which a late message belongs.
constexpr std::size_t past_kept = 64;

CollectiveKey read_key(const CollectivePart& part, std::int32_t size) {
  if (part.what > static_cast<std::uint64_t>(CollectiveKind::allgather) || part.root.value() < 0 ||
      part.root.value() >= size || CollectiveTypes::find(part.types) == nullptr)
    throw MalformedMessage("not a part of a collective");
  return {static_cast<CollectiveKind>(part.what), part.root, part.types};
}

}  // namespace

Collectives::Collectives(Messenger& messenger) : messenger_(messenger) {
  messenger_.bind<&Collectives::on_part>(*this);
}

Collectives::~Collectives() {
  for (const auto& [sequence, call] : calls_) messenger_.engine().waits().remove(call.get());
}

CollectiveCall& Collectives::call(std::uint64_t sequence, const CollectiveKey& key,
                                  Rank heard_from) {
  auto& call = calls_[sequence];
  if (call == nullptr) {
    call = std::make_shared<CollectiveCall>(*this, sequence, key, heard_from);
    messenger_.engine().waits().add(call.get());
  }
  return *call;
}

std::shared_ptr<CollectiveCall> Collectives::start(const CollectiveKey& key,
                                                   core::Owned<CollectiveValue> value) {
  const std::int32_t size = messenger_.size();
  if (key.root.value() < 0 || key.root.value() >= size) {
    throw Error(describe(key) + ": rank " + std::to_string(key.root.value()) +
                " does not exist; the job has ranks 0 to " + std::to_string(size - 1));
  }
  auto steps = collective_schedule(key.kind, rank(), size, key.root);
  std::shared_ptr<CollectiveCall> started;
  std::string report;
  {
    const core::LockGuard guard(lock_);
    if (ended_) {
      started = std::make_shared<CollectiveCall>(*this, next_sequence_, key, rank());
      started->finish(*ended_, ended_text_);
      return started;
    }
    started = call(next_sequence_++, key, rank()).shared_from_this();
    if (started->key_ != key)
      report = mismatch(started->sequence_, key, rank(), started->key_, started->heard_from_);
    started->steps_ = std::move(steps);
    started->value_ = std::move(value);
    started->is_running_ = true;
    started->is_called_.store(true, std::memory_order_release);
  }
  if (!report.empty()) {
    fail(report);
  } else if (messenger_.engine().is_ahead_of_time()) {
    started->queue();  // the rank's part begins when the handler ends
  } else {
    started->advance();
  }
  return started;
}

void Collectives::on_part(const CollectivePart& part, Incoming&& value) {
  arrived(part.sequence, read_key(part, messenger_.size()), std::move(value));
}

void Collectives::arrived(std::uint64_t sequence, const CollectiveKey& key, Incoming&& message) {
  const Rank source = message.source;
  std::string report;
  std::shared_ptr<CollectiveCall> ready;
  {
    const core::LockGuard guard(lock_);
    if (ended_) return;
    if (sequence < next_sequence_ && !calls_.contains(sequence)) {
      report = late_message(sequence, key, source);
    } else {
      CollectiveCall& part = call(sequence, key, source);
      const bool is_called = part.is_called_.load(std::memory_order_relaxed);
      if (part.key_ != key) {
        report = mismatch(sequence, part.key_, is_called ? rank() : part.heard_from_, key, source);
      } else if (std::any_of(part.arrivals_.begin(), part.arrivals_.end(),
                             [&](const Incoming& other) { return other.source == source; })) {
        throw MalformedMessage("a second part of one rank in one collective");
      } else {
        part.arrivals_.push_back(std::move(message));
        if (is_called && !std::exchange(part.is_running_, true)) ready = part.shared_from_this();
      }
    }
  }
  if (!report.empty()) fail(report);
  if (ready != nullptr) ready->queue();
}

std::string Collectives::late_message(std::uint64_t sequence, const CollectiveKey& key,
                                      Rank source) const {
  const auto past = std::find_if(past_.begin(), past_.end(),
                                 [&](const Past& p) { return p.sequence == sequence; });
  if (past == past_.end() || past->key == key)
    throw MalformedMessage("a part of a collective that is over");
  return mismatch(sequence, past->key, rank(), key, source);
}

std::string Collectives::mismatch(std::uint64_t sequence, const CollectiveKey& one, Rank on_one,
                                  const CollectiveKey& other, Rank on_other) {
  return "collective call " + std::to_string(sequence + 1) + " is " + describe(one) + " on rank " +
         std::to_string(on_one.value()) + " but " + describe(other) + " on rank " +
         std::to_string(on_other.value()) +
         "; all ranks have to make the same collective calls in the same order";
}

void Collectives::send(const CollectiveCall& call, const CollectiveStep& step) {
  Outgoing<CollectivePart> part = messenger_.begin(CollectivePart{
      call.sequence_, static_cast<std::uint64_t>(call.key_.kind), call.key_.types, call.key_.root});
  call.value_->pack(part.packer(), step);
  messenger_.post(step.peer, std::move(part));
}

void Collectives::completed(CollectiveCall& call) {
  std::shared_ptr<CollectiveCall> kept;
  {
    const core::LockGuard guard(lock_);
    const auto place = calls_.find(call.sequence_);
    if (place == calls_.end()) return;  // it has ended otherwise
    kept = std::move(place->second);
    calls_.erase(place);
    messenger_.engine().waits().remove(&call);
    past_.push_back({call.sequence_, call.key_});
    if (past_.size() > past_kept) past_.pop_front();
  }
  call.finish(CollectiveCall::Outcome::value, {});
}

void Collectives::fail(const std::string& report) {
  const Calls ended = take_all(CollectiveCall::Outcome::failed, report);
  // The report goes first, because the coroutines that wake up may report what they got, too.
  if (on_failure_) on_failure_(report);
  for (const auto& [sequence, call] : ended) call->finish(CollectiveCall::Outcome::failed, report);
}

void Collectives::abort_all(const std::string& reason) {
  const Calls ended = take_all(CollectiveCall::Outcome::aborted, reason);
  for (const auto& [sequence, call] : ended) call->finish(CollectiveCall::Outcome::aborted, reason);
}

Collectives::Calls Collectives::take_all(CollectiveCall::Outcome outcome, const std::string& text) {
  Calls taken;
  const core::LockGuard guard(lock_);
  if (ended_) return taken;
  ended_ = outcome;
  ended_text_ = text;
  taken.swap(calls_);
  for (const auto& [sequence, call] : taken) messenger_.engine().waits().remove(call.get());
  return taken;
}

void Collectives::set_failure_handler(std::function<void(const std::string&)> handler) {
  on_failure_ = std::move(handler);
}

}  // namespace roam::am
