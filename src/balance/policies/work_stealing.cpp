// SPDX-License-Identifier: Apache-2.0
// Work stealing between ranks. A rank short of work asks one other rank at a time, chosen at
// random, for half of what that rank has more. After some failed attempts it asks its lifelines and
// waits: lifelines are the ranks a power of two further on in the ring, which tell it when they
// have work (Saraswat et al., "Lifeline-based global load balancing", PPoPP 2011). So nobody asks
// for ever, and work reaches all who wait in a logarithmic number of steps.
#include <algorithm>
#include <limits>
#include <vector>

#include "offers.hpp"
#include "other_ranks.hpp"
#include "roam/balance/registry.hpp"
#include "roam/balance/transfer.hpp"
#include "roam/core/error.hpp"

namespace roam::balance {
namespace {

// Seconds. If the next look would be later than this, it is taken after this time. Chosen:
// practically never.
constexpr double longest_outlook = 1e6;

struct StealingSettings {
  bool is_hierarchical = false;
  std::int32_t group = 16;
  std::int32_t attempts = 4;
  bool takes_half = true;
  double low_seconds = 0;  // 0: from measured latencies
};

class WorkStealing final : public Policy {
 public:
  WorkStealing(const StealingSettings& settings, PolicyHost& host);

  Instant balance(Instant now) override;
  void receive(Rank source, std::span<const std::byte> message) override;

 private:
  enum class Kind : std::uint32_t { request, reply, offer };
  enum class Request : std::uint32_t { attempt, lifeline, accepting_offer };
  struct Note {
    RankLoad load;             // of the sender
    std::uint32_t count = 0;   // request: workers without work; reply: objects given
    std::uint32_t serial = 0;  // number of an attempt; the reply repeats it
    Kind kind = Kind::request;
    Request request = Request::attempt;  // repeated by the reply
  };
  enum class State : std::uint8_t { working, stealing, waiting };
  struct Lifeline {
    Rank rank;
    bool knows_us = false;  // it will tell us when it has work
  };

  // the thief
  void try_to_steal(Instant now);
  [[nodiscard]] Rank choose_victim();
  void wait_for_lifelines();
  void ask(Rank victim, Request request);
  void on_reply(Rank source, const Note& note);
  [[nodiscard]] Lifeline* lifeline(Rank rank);
  void on_offer(Rank source);
  [[nodiscard]] double low_seconds() const {
    if (settings_.low_seconds > 0) return settings_.low_seconds;
    return 2 * (host_.round_trip_seconds() + host_.move_seconds(0));
  }

  // the victim
  void on_request(Rank source, const Note& note);
  [[nodiscard]] Instant offer_spare(const RankLoad& load);

  void send(Rank to, Note note);

  const StealingSettings settings_;
  PolicyHost& host_;
  State state_ = State::working;
  std::int32_t vain_attempts_ = 0;
  std::uint32_t serial_ = 0;
  Instant asked_{0};     // start of the attempt
  Instant deadline_{0};  // end of the attempt
  std::vector<Lifeline> lifelines_;
  Offers offers_;
  Settling settling_;
};

WorkStealing::WorkStealing(const StealingSettings& settings, PolicyHost& host)
    : settings_(settings), host_(host), offers_(host) {
  for (std::int64_t step = 1; step < host.size(); step *= 2) {
    const std::int64_t rank = (host.rank().value() + step) % host.size();
    lifelines_.push_back({Rank(static_cast<std::int32_t>(rank))});
  }
}

void WorkStealing::send(Rank to, Note note) {
  note.load = host_.load();
  core::Packer packer = host_.message();
  packer.write(&note, sizeof note);
  host_.send(to, std::move(packer));
}

void WorkStealing::receive(Rank source, std::span<const std::byte> message) {
  const Note note = read_note<Note>(message, "work_stealing");
  if (note.request > Request::accepting_offer) {
    throw MalformedMessage("work_stealing: unknown kind of request");
  }
  switch (note.kind) {
    case Kind::request:
      return on_request(source, note);
    case Kind::reply:
      return on_reply(source, note);
    case Kind::offer:
      return on_offer(source);
  }
  throw MalformedMessage("work_stealing: unknown kind of message");
}

// --- the thief ---

Instant WorkStealing::balance(Instant now) {
  if (host_.size() == 1) return never;
  const RankLoad load = host_.load();
  settling_.watch(host_, load);
  const Instant next = offer_spare(load);
  const double lasts = load.seconds_until_idle(load.rate());
  const double low = low_seconds();
  if (lasts >= low) {
    state_ = State::working;
    vain_attempts_ = 0;
    return std::min(next, now + from_seconds(std::clamp(lasts - low, low / 4, longest_outlook)));
  }
  if (state_ == State::waiting) return next;
  if (state_ == State::stealing) {
    if (now < deadline_) return std::min(next, deadline_);
    ++vain_attempts_;  // the victim does not answer
  }
  try_to_steal(now);
  return state_ == State::stealing ? std::min(next, deadline_) : next;
}

void WorkStealing::try_to_steal(Instant now) {
  if (vain_attempts_ >= settings_.attempts) return wait_for_lifelines();
  state_ = State::stealing;
  ++serial_;
  asked_ = now;
  deadline_ = now + from_seconds(std::max(1.0, 2000 * host_.round_trip_seconds()));
  ask(choose_victim(), Request::attempt);
}

// Chooses within the own group in the first half of the attempts, if groups matter.
Rank WorkStealing::choose_victim() {
  if (settings_.is_hierarchical && 2 * vain_attempts_ < settings_.attempts) {
    const std::int32_t begin = host_.rank().value() / settings_.group * settings_.group;
    const std::int32_t end = std::min(begin + settings_.group, host_.size());
    if (end - begin > 1) {
      const auto chosen = begin + static_cast<std::int32_t>(host_.random().below(
                                      static_cast<std::uint64_t>(end - begin - 1)));
      return {chosen < host_.rank().value() ? chosen : chosen + 1};
    }
  }
  return random_other_rank(host_);
}

void WorkStealing::wait_for_lifelines() {
  state_ = State::waiting;
  vain_attempts_ = 0;
  for (Lifeline& lifeline : lifelines_) {
    if (lifeline.knows_us) continue;
    lifeline.knows_us = true;
    ask(lifeline.rank, Request::lifeline);
  }
}

void WorkStealing::ask(Rank victim, Request request) {
  Note note;
  note.request = request;
  note.count = std::max(host_.load().idle_workers(), 1U);
  note.serial = serial_;
  send(victim, note);
}

WorkStealing::Lifeline* WorkStealing::lifeline(Rank rank) {
  const auto found = std::ranges::find(lifelines_, rank, &Lifeline::rank);
  return found == lifelines_.end() ? nullptr : &*found;
}

void WorkStealing::on_reply(Rank source, const Note& note) {
  if (state_ == State::stealing && note.request == Request::attempt && note.serial == serial_)
    host_.answered_after(seconds(host_.now() - asked_));
  if (note.count > 0) {
    host_.came_from(note.load);
    if (Lifeline* const giver = lifeline(source)) giver->knows_us = false;
    state_ = State::working;  // the objects came before the reply
    vain_attempts_ = 0;
    return;
  }
  if (state_ != State::stealing || note.serial != serial_) return;  // too late
  ++vain_attempts_;
  state_ = State::working;
}

void WorkStealing::on_offer(Rank source) {
  const RankLoad load = host_.load();
  const bool is_hungry = load.seconds_until_idle(load.rate()) < low_seconds();
  if (Lifeline* const giver = lifeline(source)) giver->knows_us = is_hungry;
  if (is_hungry) ask(source, Request::accepting_offer);
}

// --- the victim ---

void WorkStealing::on_request(Rank source, const Note& note) {
  const RankLoad load = host_.load();
  settling_.watch(host_, load);
  const bool has_settled = settling_.seconds_left(host_, load) <= 0;
  Transfer given;
  if (has_settled) {
    // give() takes at most what makes both ranks' loads equal.
    const double want = settings_.takes_half ? std::numeric_limits<double>::max() : 0;
    given = give(host_, {source, note.load, want, note.count}, "work_stealing");
  }
  if (given.objects > 0) {
    offers_.hear_of_hunger();
  } else {
    if (note.request != Request::attempt || !has_settled) offers_.remember(source);
    // An offer that is accepted in vain must not cause the next one.
    if (note.request == Request::lifeline || !offers_.are_wanted()) offers_.hear_of_hunger();
  }
  if (given.objects == 0 && note.request != Request::attempt) return;
  Note reply;
  reply.kind = Kind::reply;
  reply.request = note.request;
  reply.count = given.objects;
  reply.serial = note.serial;
  send(source, reply);
}

Instant WorkStealing::offer_spare(const RankLoad& load) {
  const Offers::Plan plan =
      offers_.plan(load, settling_.seconds_left(host_, load), low_seconds(), false);
  Note note;
  note.kind = Kind::offer;
  for (const Rank to : plan.to) send(to, note);
  return plan.next;
}

const PolicyRegistrar registrar{
    {.name = "work_stealing",
     .description = "ranks short of work steal from one other at a time, then wait on lifelines",
     .parameters = {{.name = "victim",
                     .description = "whom to ask: any rank, or first one of the own group",
                     .default_value = "random",
                     .words = {"random", "hierarchical"}},
                    {.name = "group",
                     .description = "consecutive ranks in a group, a node say",
                     .default_value = "16",
                     .minimum = 2,
                     .maximum = 1e6,
                     .is_integer = true},
                    {.name = "attempts",
                     .description = "vain ones before a rank waits on its lifelines",
                     .default_value = "4",
                     .minimum = 0,
                     .maximum = 1000,
                     .is_integer = true},
                    {.name = "amount",
                     .description =
                         "taken at once: half of the difference, or an object for each idle worker",
                     .default_value = "half",
                     .words = {"half", "idle"}},
                    {.name = "low_seconds",
                     .description =
                         "work per worker below which a rank asks; 0: from measured latencies",
                     .default_value = "0",
                     .minimum = 0,
                     .maximum = 1e6}},
     .create = [](const Parameters& parameters, PolicyHost& host) -> std::unique_ptr<Policy> {
       StealingSettings settings;
       settings.is_hierarchical = parameters.word("victim") == "hierarchical";
       settings.group = parameters.integer("group");
       settings.attempts = parameters.integer("attempts");
       settings.takes_half = parameters.word("amount") == "half";
       settings.low_seconds = parameters.number("low_seconds");
       return std::make_unique<WorkStealing>(settings, host);
     }}};

}  // namespace
}  // namespace roam::balance
