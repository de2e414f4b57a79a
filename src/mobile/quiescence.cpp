// SPDX-License-Identifier: Apache-2.0
#include "roam/mobile/quiescence.hpp"

#include <algorithm>
#include <mutex>

#include "roam/core/error.hpp"

namespace roam::mobile {

namespace {
// Between waves that found messages still under way; doubles up to the longest.
constexpr Duration shortest_pause = std::chrono::microseconds(5);
constexpr Duration longest_pause = std::chrono::milliseconds(1);
// How long rank 0 sees no traffic before it looks whether anything can still happen.
constexpr Duration stuck_patience = std::chrono::milliseconds(2);
// Reports stay readable however much is stuck.
constexpr std::size_t longest_text = 4096;
}  // namespace

Quiescence::Quiescence(am::Messenger& messenger, ObjectSpace& space)
    : messenger_(messenger), space_(space) {
  messenger_.bind("roam.quiescence.probe", this, &Quiescence::on_probe);
  messenger_.bind("roam.quiescence.sums", this, &Quiescence::on_sums);
  messenger_.bind("roam.quiescence.verdict", this, &Quiescence::on_verdict);
}

Quiescence::Children Quiescence::children() const {
  const std::int64_t size = messenger_.size();
  const std::int64_t first = 2 * std::int64_t{messenger_.rank().value()} + 1;
  return {static_cast<std::int32_t>(std::min(first, size)),
          static_cast<std::int32_t>(std::min(first + 2, size))};
}

void Quiescence::add_waiter(Waiter* waiter) {
  {
    const std::lock_guard guard(lock_);
    waiter->next = first_waiter_;
    first_waiter_ = waiter;
  }
  wanted_.store(true, std::memory_order_release);
  next_wave_at_.store(0, std::memory_order_relaxed);
}

void Quiescence::when_finished(std::function<void()> then) {
  {
    const std::lock_guard guard(lock_);
    when_finished_ = std::move(then);
  }
  wanted_.store(true, std::memory_order_release);
  next_wave_at_.store(0, std::memory_order_relaxed);
}

void Quiescence::hold(bool held) {
  held_.store(held, std::memory_order_release);
  next_wave_at_.store(0, std::memory_order_relaxed);
}

std::size_t Quiescence::poll(Instant now) {
  if (held_.load(std::memory_order_acquire)) return 0;
  if (probing_) {
    if (answers_due_ > 0 || !messenger_.engine().is_idle()) return 0;
    answer_or_judge(now);
    return 1;
  }
  if (messenger_.rank() != 0 || ended_) return 0;
  if (now < Instant(next_wave_at_.load(std::memory_order_relaxed)) ||
      !messenger_.engine().is_idle())
    return 0;
  // Rank 0 has nothing to do itself. If it waits for quiescence, it asks at once; if its executions
  // wait for something else, it is in no hurry to find out that nothing will come.
  if (!wanted_.load(std::memory_order_acquire)) {
    const std::uint64_t traffic = messenger_.counted_received() + messenger_.counted_sent();
    if (messenger_.engine().waits().size() == 0 ||
        std::exchange(last_traffic_, traffic) != traffic) {
      next_wave_at_.store((now + stuck_patience).count(), std::memory_order_relaxed);
      return 0;
    }
  }
  start_wave(now);
  return 1;
}

Instant Quiescence::next_due() const {
  const Instant at(next_wave_at_.load(std::memory_order_relaxed));
  // While work runs here, its end brings the next turn.
  if (messenger_.rank() != 0 || ended_ || probing_ || held_.load(std::memory_order_relaxed) ||
      !messenger_.engine().is_idle())
    return never;
  return wanted_.load(std::memory_order_acquire) || messenger_.engine().waits().size() > 0 ? at
                                                                                           : never;
}

void Quiescence::start_wave(Instant) {
  probing_ = true;
  next_wave_at_.store(0, std::memory_order_relaxed);
  collected_ = {};
  texts_.clear();
  describe_ = previous_valid_ && (previous_.waiting > 0 || previous_.set_aside > 0);
  const auto below = children();
  answers_due_ = below.count();
  for (std::int32_t child = below.first; child < below.end; ++child) {
    core::Packer packer = messenger_.begin();
    core::pack(packer, describe_);
    messenger_.post(child, am::constant_handler_id("roam.quiescence.probe"), std::move(packer),
                    false);
  }
}

void Quiescence::on_probe(void* self, am::Incoming&& message) {
  auto& q = *static_cast<Quiescence*>(self);
  core::Unpacker bytes(message.payload());
  const bool describe = core::unpack<bool>(bytes);
  if (q.probing_ || q.messenger_.rank() == 0) throw MalformedMessage("unexpected quiescence probe");
  q.probing_ = true;
  q.describe_ = describe;
  q.collected_ = {};
  q.texts_.clear();
  const auto below = q.children();
  q.answers_due_ = below.count();
  for (std::int32_t child = below.first; child < below.end; ++child) {
    core::Packer packer = q.messenger_.begin();
    core::pack(packer, describe);
    q.messenger_.post(child, am::constant_handler_id("roam.quiescence.probe"), std::move(packer),
                      false);
  }
}

void Quiescence::answer_or_judge(Instant now) {
  // Idle at this moment. What was received before was counted before; read it first.
  collected_.received += messenger_.counted_received();
  collected_.sent += messenger_.counted_sent();
  collected_.waiting += messenger_.engine().waits().size();
  collected_.set_aside += space_.calls_waiting_for_their_turn();
  {
    const std::lock_guard guard(lock_);
    for (const Waiter* w = first_waiter_; w != nullptr; w = w->next) ++collected_.program_waiters;
  }
  if (describe_ && texts_.size() < longest_text) texts_ += describe_stuck();
  if (texts_.size() > longest_text) texts_.resize(longest_text);
  probing_ = false;
  if (messenger_.rank() == 0) return judge(now);
  core::Packer packer = messenger_.begin(texts_.size());
  core::pack(packer, collected_, texts_);
  messenger_.post(Rank((messenger_.rank().value() - 1) / 2),
                  am::constant_handler_id("roam.quiescence.sums"), std::move(packer), false);
}

void Quiescence::on_sums(void* self, am::Incoming&& message) {
  auto& q = *static_cast<Quiescence*>(self);
  core::Unpacker bytes(message.payload());
  const auto sums = core::unpack<Sums>(bytes);
  const auto texts = core::unpack<std::string>(bytes);
  if (!q.probing_ || q.answers_due_ == 0)
    throw MalformedMessage("unexpected answer to a quiescence probe");
  --q.answers_due_;
  q.collected_.sent += sums.sent;
  q.collected_.received += sums.received;
  q.collected_.waiting += sums.waiting;
  q.collected_.set_aside += sums.set_aside;
  q.collected_.program_waiters += sums.program_waiters;
  q.texts_ += texts;
}

void Quiescence::judge(Instant now) {
  waves_.fetch_add(1, std::memory_order_relaxed);
  const bool repeated = previous_valid_ && previous_.sent == collected_.sent &&
                        previous_.received == collected_.received &&
                        collected_.sent == collected_.received;
  const bool described = describe_;
  previous_ = collected_;
  previous_valid_ = true;
  if (!repeated) {
    const bool is_wanted = wanted_.load(std::memory_order_acquire);
    pause_ = collected_.sent == collected_.received
                 ? Duration::zero()
                 : std::clamp(2 * pause_, shortest_pause, longest_pause);
    next_wave_at_.store((now + (is_wanted ? pause_ : stuck_patience)).count(),
                        std::memory_order_relaxed);
    return;
  }
  pause_ = Duration::zero();
  if (collected_.waiting > 0 || collected_.set_aside > 0) {
    if (!described) {
      next_wave_at_.store(now.count(), std::memory_order_relaxed);  // once more, with words
      return;
    }
    ended_ = true;
    if (on_stuck_)
      on_stuck_("no progress is possible: nothing runs and no message is under way, but\n" +
                texts_);
    return;
  }
  previous_valid_ = false;
  give_verdict(collected_.program_waiters > 0 ? Verdict::quiescent : Verdict::finished);
}

void Quiescence::give_verdict(Verdict verdict) {
  const Children below = children();
  for (std::int32_t child = below.first; child < below.end; ++child) {
    core::Packer packer = messenger_.begin();
    core::pack(packer, static_cast<std::uint8_t>(verdict));
    messenger_.post(child, am::constant_handler_id("roam.quiescence.verdict"), std::move(packer),
                    false);
  }
  if (ProtocolObserver* observer = space_.protocol_observer(); observer != nullptr) {
    using Kind = ProtocolEvent::Kind;
    ProtocolEvent event;
    event.kind = verdict == Verdict::quiescent ? Kind::quiescent : Kind::finished;
    event.at = messenger_.rank();
    observer->happened(event);
  }
  Waiter* waiter = nullptr;
  std::function<void()> then;
  {
    const std::lock_guard guard(lock_);
    waiter = std::exchange(first_waiter_, nullptr);
    wanted_.store(static_cast<bool>(when_finished_), std::memory_order_release);
    if (verdict == Verdict::finished) then = std::exchange(when_finished_, nullptr);
  }
  if (verdict == Verdict::finished) ended_ = true;
  while (waiter != nullptr) {
    Waiter* next = waiter->next;
    waiter->resume();  // it may be gone now
    waiter = next;
  }
  if (then) then();
}

void Quiescence::on_verdict(void* self, am::Incoming&& message) {
  auto& q = *static_cast<Quiescence*>(self);
  core::Unpacker bytes(message.payload());
  const auto verdict = core::unpack<std::uint8_t>(bytes);
  if (verdict > static_cast<std::uint8_t>(Verdict::finished))
    throw MalformedMessage("unknown verdict");
  q.give_verdict(static_cast<Verdict>(verdict));
}

std::string Quiescence::describe_stuck() const {
  std::string text;
  const std::string rank = "  rank " + std::to_string(messenger_.rank().value()) + ": ";
  messenger_.engine().waits().for_each([&](const exec::WaitList::Entry& entry) {
    text += rank + entry.who() + " waits for " + entry.waits_for() + "\n";
  });
  for (const auto& line : space_.describe_waiting()) text += rank + line + "\n";
  return text;
}

}  // namespace roam::mobile
