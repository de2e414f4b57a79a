// SPDX-License-Identifier: Apache-2.0
#include "roam/mobile/detail/quiescence.hpp"

#include <algorithm>
#include <mutex>

#include "roam/am/detail/system_handlers.hpp"
#include "roam/core/error.hpp"
#include "roam/mobile/detail/stuck_report.hpp"

namespace roam::mobile {

namespace {
// The pause between waves that found messages still under way; it doubles up to the longest.
constexpr Duration shortest_pause = std::chrono::microseconds(5);
constexpr Duration longest_pause = std::chrono::milliseconds(1);
// How long rank 0 sees no traffic before it examines whether anything can still happen.
constexpr Duration stuck_patience = std::chrono::milliseconds(2);
}  // namespace

/// Begins a wave: a rank that gets it passes it on, and answers once it and all ranks below it have
/// been idle.
struct Quiescence::Probe {
  static constexpr am::MessageKind kind{"roam.quiescence.probe", am::Counted::no};
  bool describe = false;  // true: facts for the stuck report are wanted
  static constexpr auto fields(auto& m) { return std::tie(m.describe); }
};

/// The answer to a wave; StuckFacts follow if they were wanted.
struct Quiescence::Collected {
  static constexpr am::MessageKind kind{"roam.quiescence.sums", am::Counted::no, am::Behind::bytes};
  Sums sums;
  static constexpr auto fields(auto& m) { return std::tie(m.sums); }
};

/// Tells what rank 0 has concluded.
struct Quiescence::Judged {
  static constexpr am::MessageKind kind{"roam.quiescence.verdict", am::Counted::no};
  Verdict verdict = Verdict::quiescent;
  static constexpr auto fields(auto& m) { return std::tie(m.verdict); }
};

Quiescence::Quiescence(am::Messenger& messenger, ObjectSpace& space)
    : messenger_(messenger),
      space_(space),
      tree_(messenger.rank(), messenger.size()),
      facts_(core::make_owned<StuckFacts>()) {
  messenger_.bind<&Quiescence::on_probe>(*this);
  messenger_.bind<&Quiescence::on_sums>(*this);
  messenger_.bind<&Quiescence::on_verdict>(*this);
}

Quiescence::~Quiescence() = default;

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

// A report of an epoch that is due counts as work, because its message has still to be sent.
bool Quiescence::is_idle() const {
  return messenger_.engine().is_idle() && messenger_.epochs().is_settled();
}

void Quiescence::add_to(exec::WorkingSet& set) const {
  set.add(*this);
  space_.add_to(set);
}

std::size_t Quiescence::poll(Instant now) {
  if (held_.load(std::memory_order_acquire)) return 0;
  if (probing_) {
    if (answers_due_ > 0 || !is_idle()) return 0;
    answer_or_judge(now);
    return 1;
  }
  if (messenger_.rank() != 0 || ended_) return 0;
  if (now < Instant(next_wave_at_.load(std::memory_order_relaxed)) || !is_idle()) return 0;
  // Rank 0 itself has nothing to do. If it waits for quiescence, it asks at once; if its executions
  // wait for something else, there is no hurry to find out that it will never come.
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
  // While work runs here, the next turn comes when it ends; the same holds for the timer of a
  // report.
  if (messenger_.rank() != 0 || ended_ || probing_ || held_.load(std::memory_order_relaxed) ||
      !is_idle())
    return never;
  return wanted_.load(std::memory_order_acquire) || messenger_.engine().waits().size() > 0 ? at
                                                                                           : never;
}

void Quiescence::start_wave(Instant) {
  next_wave_at_.store(0, std::memory_order_relaxed);
  begin_wave(may_be_stuck());
}

void Quiescence::begin_wave(bool describe) {
  probing_ = true;
  describe_ = describe;
  collected_ = {};
  *facts_ = {};
  answers_due_ = tree_.children().size();
  for (const Rank child : tree_.children()) messenger_.post(child, Probe{describe});
}

void Quiescence::on_probe(const Probe& probe) {
  if (probing_ || messenger_.rank() == 0) throw MalformedMessage("unexpected quiescence probe");
  begin_wave(probe.describe);
}

void Quiescence::answer_or_judge(Instant now) {
  // The rank is idle at this moment. Messages received before were counted before; so this count is
  // read first.
  collected_.received += messenger_.counted_received();
  collected_.sent += messenger_.counted_sent();
  collected_.waiting += messenger_.engine().waits().size();
  collected_.deadlines += messenger_.engine().waits().deadlines();
  collected_.set_aside += space_.calls_waiting_for_their_turn();
  {
    const std::lock_guard guard(lock_);
    for (const Waiter* w = first_waiter_; w != nullptr; w = w->next) ++collected_.program_waiters;
  }
  if (describe_) add_stuck(*facts_);
  probing_ = false;
  if (messenger_.rank() == 0) return judge(now);
  auto message = messenger_.begin(Collected{collected_});
  if (describe_) core::pack(message.packer(), *facts_);
  messenger_.post(*tree_.parent(), std::move(message));
}

void Quiescence::on_sums(const Collected& collected, am::Incoming&& facts) {
  if (!probing_ || answers_due_ == 0)
    throw MalformedMessage("unexpected answer to a quiescence probe");
  if (describe_) {
    core::Unpacker bytes(facts.payload());
    facts_->add(core::unpack<StuckFacts>(bytes));
  }
  --answers_due_;
  collected_.add(collected.sums);
}

void Quiescence::Sums::add(const Sums& other) {
  sent += other.sent;
  received += other.received;
  waiting += other.waiting;
  set_aside += other.set_aside;
  program_waiters += other.program_waiters;
  deadlines += other.deadlines;
}

void Quiescence::judge(Instant now) {
  waves_.fetch_add(1, std::memory_order_relaxed);
  const bool repeated = previous_.sent == collected_.sent &&
                        previous_.received == collected_.received &&
                        collected_.sent == collected_.received;
  const bool described = describe_;
  previous_ = collected_;
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
    if (collected_.deadlines > 0) {  // some of the waits will end in time
      next_wave_at_.store((now + stuck_patience).count(), std::memory_order_relaxed);
      return;
    }
    if (!described) {
      next_wave_at_.store(now.count(), std::memory_order_relaxed);  // once more, to collect facts
      return;
    }
    ended_ = true;
    if (on_stuck_) on_stuck_(*facts_);
    return;
  }
  give_verdict(collected_.program_waiters > 0 ? Verdict::quiescent : Verdict::finished);
}

void Quiescence::give_verdict(Verdict verdict) {
  for (const Rank child : tree_.children()) messenger_.post(child, Judged{verdict});
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
    waiter->resume();  // may destroy the waiter
    waiter = next;
  }
  if (then) then();
}

void Quiescence::on_verdict(const Judged& judged) {
  if (judged.verdict > Verdict::finished) throw MalformedMessage("unknown verdict");
  give_verdict(judged.verdict);
}

bool Quiescence::may_be_stuck() const {
  return (previous_.waiting > 0 || previous_.set_aside > 0) && previous_.deadlines == 0;
}

void Quiescence::add_stuck(StuckFacts& facts) const {
  const std::int32_t rank = messenger_.rank().value();
  messenger_.engine().waits().for_each([&](const exec::WaitList::Entry& entry) {
    const auto details = entry.details();
    StuckWait wait;
    wait.rank = rank;
    wait.execution = reinterpret_cast<std::uintptr_t>(details.execution);
    wait.subject = details.subject.value();
    wait.awaited_object = details.awaited_object.value();
    wait.awaited_answer = details.awaited_answer;
    if (details.execution != nullptr) {
      const exec::Execution::Request request = details.execution->answers();
      wait.answers_rank = request.rank.value();
      wait.answers_number = request.number;
    }
    wait.who = entry.who();
    wait.waits_for = entry.waits_for();
    facts.add(std::move(wait));
  });
  add_waiters(facts);
  space_.add_stuck(facts);
  for (const am::EpochState& epoch : messenger_.epochs().unfinished())
    facts.add(StuckEpoch{rank, epoch.epoch.value(), epoch.unfinished, epoch.is_open});
  if (stuck_source_) stuck_source_(facts);
}

// Those who wait for quiescence do not wait in vain as long as everything else can go on, so they
// are not listed as waits of their own.
void Quiescence::add_waiters(StuckFacts& facts) const {
  const std::lock_guard guard(lock_);
  for (const Waiter* waiter = first_waiter_; waiter != nullptr; waiter = waiter->next) {
    const exec::Execution* execution = waiter->execution();
    facts.add(StuckAtEnd{execution == nullptr ? "the program" : execution->describe(),
                         waiter->called,
                         {messenger_.rank().value()},
                         1});
  }
}

void Quiescence::set_stuck_handler(std::function<void(const StuckFacts&)> handler) {
  on_stuck_ = std::move(handler);
}

void Quiescence::set_stuck_source(std::function<void(StuckFacts&)> source) {
  stuck_source_ = std::move(source);
}

}  // namespace roam::mobile
