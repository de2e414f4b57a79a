// SPDX-License-Identifier: Apache-2.0
// Diffusive balancing (PREMA, appendix I.2, figure 13, made complete): a rank that will soon be
// short of work asks its neighbourhood for loads, then asks the most loaded neighbours for the
// amount that would bring it to the neighbourhood's mean. Neighbours without work are replaced.
// Whoever had nothing to give remembers who asked and says so when work has come, so that ranks
// without work need not keep asking.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "roam/balance/registry.hpp"
#include "roam/balance/transfer.hpp"
#include "roam/core/error.hpp"

namespace roam::balance {
namespace {

struct Settings {
  std::int32_t neighbours = 8;
  bool is_ring = false;
  bool replace_all = false;
  double low_seconds = 0;  // 0: from measured latencies
  double longest_pause = 1;
};

enum class Kind : std::uint32_t { question, answer, request, reply, offer };

/// All messages between the policies have this one form.
struct Note {
  RankLoad load;            // of the sender
  double want_seconds = 0;  // request
  double settles_in =
      0;  // answer, reply: what waits here is too new to be given, for so many seconds
  std::uint32_t count = 0;  // request: workers without work; reply: objects given; offer: passes
  std::uint32_t round = 0;  // question, request; repeated by the answer and the reply
  std::int32_t hint = -1;   // answer, reply: another rank that had work lately; offer: whose it is
  Kind kind = Kind::question;
};

// Ranks remembered as short of work, and told at once when there is some.
constexpr std::size_t most_hungry = 64;
constexpr std::size_t most_offers = 8;
// Times an offer is passed on from ranks that have work themselves.
constexpr std::uint32_t most_passes = 4;
constexpr Duration longest_offer_pause = std::chrono::hours(24);
// Donors asked in one round.
constexpr std::size_t most_donors = 4;
// Loads further ahead are looked at again after this.
constexpr double longest_outlook = 1e6;
// A request asks for work that lasts so many times the low threshold, no more: what is moved late
// is moved knowing more, and a rank that has taken too much has to give it back.
constexpr double horizon = 64;
// Pauses shrink by this part of the time spent with work.
constexpr int forgetting = 64;

class Diffusion final : public Policy {
 public:
  Diffusion(const Settings& settings, PolicyHost& host)
      : settings_(settings),
        host_(host),
        wanted_neighbours_(
            static_cast<std::size_t>(std::min(settings.neighbours, host.size() - 1))) {}

  Instant balance(Instant now) override;
  void receive(Rank source, std::span<const std::byte> message) override;

 private:
  enum class Phase : std::uint8_t { rest, asking, requesting };
  struct Neighbour {
    Rank rank;
    RankLoad load;
    bool answered = false;
    double settles_in = 0;
    bool is_exhausted = false;  // had nothing, or refused
  };

  // the rank that is short of work
  [[nodiscard]] double low_seconds() const;
  void begin_round(const RankLoad& load, Instant now);
  void choose_donors();
  void conclude(Instant now);
  void choose_neighbours();
  [[nodiscard]] Rank another_neighbour();
  [[nodiscard]] Rank random_rank();
  [[nodiscard]] bool is_neighbour(Rank rank) const;
  void on_answer(Rank source, const Note& note);
  void on_reply(Rank source, const Note& note);
  void on_offer(Rank source, const Note& note);
  void pass_offer_on(Rank donor, const Note& note);

  // the rank that is asked
  void on_request(Rank source, const Note& note);
  void remember_hungry(Rank rank);
  [[nodiscard]] Instant offer_spare(const RankLoad& load, Instant now);
  void hear_of_hunger();
  void remember_hint(Rank rank, const RankLoad& load);
  [[nodiscard]] std::int32_t hint_for(Rank rank) const;

  void send(Rank to, Kind kind, Note note);
  [[nodiscard]] Duration shortest_pause() const {
    return from_seconds(2 * host_.round_trip_seconds());
  }
  [[nodiscard]] Duration longest_pause() const { return from_seconds(settings_.longest_pause); }
  [[nodiscard]] Duration patience() const {
    return from_seconds(std::max(1.0, 2000 * host_.round_trip_seconds()));
  }

  const Settings settings_;
  PolicyHost& host_;
  const std::size_t wanted_neighbours_;

  std::vector<Neighbour> neighbours_;
  std::int32_t ring_step_ = 0;
  Phase phase_ = Phase::rest;
  std::uint32_t round_ = 0;
  std::size_t answers_due_ = 0;
  bool round_gave_work_ = false;
  bool round_saw_work_ = false;
  Instant deadline_{0};  // of the round's phase
  Instant next_round_{0};
  Duration pause_{0};           // before the next round, if that is fruitless again
  Instant settles_at_ = never;  // when the first neighbour's new work can be given
  Instant loaded_since_{0};
  bool was_loaded_ = false;
  std::uint32_t deserts_ = 0;  // rounds in a row in which nobody had any work
  bool is_dormant_ = false;    // until work or an offer comes

  std::vector<Rank> hungry_;  // the latest, most likely still hungry, last
  Settling settling_;
  bool is_somebody_hungry_ = false;  // has asked this rank
  Instant next_offer_{0};
  Duration offer_pause_{0};
  Rank hint_;  // the last that was heard to have work to spare
};

void Diffusion::send(Rank to, Kind kind, Note note) {
  note.kind = kind;
  core::Packer packer = host_.message();
  packer.write(&note, sizeof note);
  host_.send(to, std::move(packer));
}

void Diffusion::receive(Rank source, std::span<const std::byte> message) {
  const Note note = read_note<Note>(message, "diffusion");
  if (!std::isfinite(note.want_seconds) ||
      !(note.settles_in >= 0 && note.settles_in <= Settling::most_seconds) || note.hint < -1 ||
      note.hint >= host_.size()) {
    throw MalformedMessage("diffusion: message out of range");
  }
  remember_hint(source, note.load);
  switch (note.kind) {
    case Kind::question: {
      Note answer;
      answer.load = host_.load();
      settling_.watch(host_, answer.load);
      answer.settles_in = settling_.seconds_left(host_, answer.load);
      answer.round = note.round;
      answer.hint = hint_for(source);
      if (!has_spare(host_, answer.load)) remember_hungry(source);
      if (!is_somebody_hungry_ || offer_pause_ > longest_pause()) hear_of_hunger();
      return send(source, Kind::answer, answer);
    }
    case Kind::answer:
      return on_answer(source, note);
    case Kind::request:
      return on_request(source, note);
    case Kind::reply:
      return on_reply(source, note);
    case Kind::offer:
      return on_offer(source, note);
  }
  throw MalformedMessage("diffusion: unknown kind of message");
}

// --- the rank that is short of work ---

// The work left must last until the answers, the reply and the first object have come, twice over.
double Diffusion::low_seconds() const {
  if (settings_.low_seconds > 0) return settings_.low_seconds;
  return 2 * (2 * host_.round_trip_seconds() + host_.move_seconds(0));
}

Instant Diffusion::balance(Instant now) {
  if (host_.size() == 1) return never;
  const RankLoad load = host_.load();
  settling_.watch(host_, load);
  const Instant next_offer = offer_spare(load, now);
  const double lasts = load.seconds_until_idle(load.rate());
  const double low = low_seconds();
  if (phase_ != Phase::rest) {
    if (now < deadline_) return deadline_;
    conclude(now);  // somebody does not answer
  }
  if (lasts >= low) {
    if (!was_loaded_) loaded_since_ = now;
    was_loaded_ = true;
    return std::min(next_offer,
                    now + from_seconds(std::clamp(lasts - low, low / 4, longest_outlook)));
  }
  if (was_loaded_) {
    was_loaded_ = false;
    is_dormant_ = false;
    deserts_ = 0;
    pause_ = std::max(shortest_pause(), pause_ - (now - loaded_since_) / forgetting);
    next_round_ = std::min(next_round_, now + pause_);
    if (pause_ == shortest_pause()) next_round_ = now;
  }
  if (is_dormant_) return never;
  if (now < next_round_) return next_round_;
  begin_round(load, now);
  return deadline_;
}

void Diffusion::begin_round(const RankLoad& load, Instant now) {
  choose_neighbours();
  ++round_;
  phase_ = Phase::asking;
  deadline_ = now + patience();
  answers_due_ = neighbours_.size();
  round_gave_work_ = round_saw_work_ = false;
  settles_at_ = never;
  Note note;
  note.load = load;
  note.round = round_;
  for (Neighbour& neighbour : neighbours_) {
    neighbour.answered = neighbour.is_exhausted = false;
    send(neighbour.rank, Kind::question, note);
  }
}

void Diffusion::on_answer(Rank source, const Note& note) {
  if (phase_ != Phase::asking || note.round != round_) return;  // too late
  for (Neighbour& neighbour : neighbours_) {
    if (neighbour.rank != source || neighbour.answered) continue;
    neighbour.answered = true;
    neighbour.load = note.load;
    neighbour.settles_in = note.settles_in;
    neighbour.is_exhausted = !has_spare(host_, note.load);
    if (note.load.running + note.load.queued > 0) round_saw_work_ = true;
    if (note.hint >= 0 && Rank(note.hint) != host_.rank()) hint_ = Rank(note.hint);
    if (--answers_due_ == 0) choose_donors();
    return;
  }
}

void Diffusion::choose_donors() {
  const RankLoad own = host_.load();
  const double lasts = own.seconds_until_idle(own.rate());
  phase_ = Phase::requesting;
  answers_due_ = 0;
  if (lasts >= low_seconds()) {  // work has come meanwhile
    round_gave_work_ = true;
    return conclude(host_.now());
  }
  std::vector<Neighbour*> donors;
  double all_seconds = own.total();
  double all_workers = own.workers;
  for (Neighbour& neighbour : neighbours_) {
    if (!neighbour.answered) continue;
    all_seconds += neighbour.load.total(neighbour.load.rate(own));
    all_workers += neighbour.load.workers;
    if (!has_spare(host_, neighbour.load)) continue;
    if (neighbour.settles_in > 0) {
      settles_at_ = std::min(settles_at_, host_.now() + from_seconds(neighbour.settles_in));
    } else {
      donors.push_back(&neighbour);
    }
  }
  const auto wait = [&own](const Neighbour* n) {
    return n->load.seconds_until_idle(n->load.rate(own));
  };
  std::ranges::stable_sort(
      donors, [&](const Neighbour* a, const Neighbour* b) { return wait(a) > wait(b); });
  // What lifts this rank to the mean of the neighbourhood, as far as it is needed soon.
  double want = std::clamp(all_seconds / all_workers * own.workers - own.total(), 0.0,
                           horizon * low_seconds() * own.workers);
  std::uint32_t idle = std::max(own.idle_workers(), 1U);
  for (Neighbour* donor : donors) {
    if (answers_due_ == most_donors || (want <= 0 && idle == 0)) break;
    if (wait(donor) - lasts <= host_.move_seconds(0)) {
      donor->is_exhausted = true;
      continue;
    }
    Note note;
    note.load = own;
    note.want_seconds = want;
    note.count = idle;
    note.round = round_;
    ++answers_due_;
    send(donor->rank, Kind::request, note);
    // It gives half at most.
    const double spare = donor->load.queued_total(donor->load.rate(own)) / 2;
    want = std::max(0.0, want - spare);
    idle -= std::min(idle, (donor->load.queued + 1) / 2);
  }
  if (answers_due_ == 0) conclude(host_.now());
}

void Diffusion::on_reply(Rank source, const Note& note) {
  // Objects come before the reply that announces them, so the load is up to date.
  if (phase_ != Phase::requesting || note.round != round_) return;
  if (note.count > 0) round_gave_work_ = true;
  for (Neighbour& neighbour : neighbours_) {
    if (neighbour.rank == source) neighbour.is_exhausted = note.count == 0;
  }
  if (--answers_due_ == 0) conclude(host_.now());
}

void Diffusion::conclude(Instant now) {
  phase_ = Phase::rest;
  for (Neighbour& neighbour : neighbours_) {
    if (!neighbour.answered) neighbour.is_exhausted = true;
  }
  if (round_gave_work_) {
    pause_ = shortest_pause();
    next_round_ = now;
    deserts_ = 0;
    return;
  }
  pause_ = std::max(pause_, shortest_pause());
  if (settles_at_ != never) {
    next_round_ = settles_at_ + shortest_pause();
    deserts_ = 0;
    return;
  }
  // A random part keeps ranks that starve together from asking together.
  next_round_ = now + pause_ / 2 + from_seconds(seconds(pause_) * host_.random().unit());
  pause_ = std::min(2 * pause_, longest_pause());
  if (settings_.replace_all && !round_saw_work_) {
    for (Neighbour& neighbour : neighbours_) neighbour.is_exhausted = true;
  }
  if (round_saw_work_) {
    deserts_ = 0;
  } else if (++deserts_ > 2 + std::log2(static_cast<double>(host_.size()))) {
    is_dormant_ = true;
  }
}

bool Diffusion::is_neighbour(Rank rank) const {
  return std::ranges::any_of(neighbours_, [rank](const Neighbour& n) { return n.rank == rank; });
}

Rank Diffusion::random_rank() {
  const auto others = static_cast<std::uint64_t>(host_.size() - 1);
  const auto offset = 1 + static_cast<std::int64_t>(host_.random().below(others));
  return {static_cast<std::int32_t>((host_.rank().value() + offset) % host_.size())};
}

Rank Diffusion::another_neighbour() {
  const std::int32_t size = host_.size();
  if (hint_ != no_rank && !is_neighbour(hint_)) return std::exchange(hint_, no_rank);
  for (;;) {
    std::int32_t offset = 0;
    if (settings_.is_ring) {  // 1, -1, 2, -2, ...
      ring_step_ = ring_step_ % (size - 1) + 1;
      offset = ring_step_ % 2 == 1 ? (ring_step_ + 1) / 2 : -ring_step_ / 2;
    } else {
      offset = random_rank().value() - host_.rank().value();
    }
    const Rank rank((host_.rank().value() + offset + size) % size);
    if (!is_neighbour(rank)) return rank;
  }
}

// Fills the neighbourhood up to its size, without those that had no work in the last round.
void Diffusion::choose_neighbours() {
  if (wanted_neighbours_ < static_cast<std::size_t>(host_.size() - 1)) {
    std::erase_if(neighbours_, [](const Neighbour& n) { return n.is_exhausted; });
  }
  while (neighbours_.size() < wanted_neighbours_) {
    neighbours_.push_back({.rank = another_neighbour(), .load = {}});
  }
}

void Diffusion::on_offer(Rank source, const Note& note) {
  const Rank donor = note.hint < 0 ? source : Rank(note.hint);
  const RankLoad own = host_.load();
  if (own.seconds_until_idle(own.rate()) >= low_seconds()) {
    return pass_offer_on(donor, note);
  }
  is_dormant_ = false;
  deserts_ = 0;
  if (phase_ != Phase::rest || donor == host_.rank()) return;
  if (!is_neighbour(donor)) {
    if (neighbours_.size() >= wanted_neighbours_) neighbours_.erase(neighbours_.begin());
    neighbours_.push_back({.rank = donor, .load = {}});
  }
  // A round with a single answer.
  ++round_;
  for (Neighbour& neighbour : neighbours_) {
    neighbour.answered = neighbour.rank == donor;
    if (neighbour.rank != donor) continue;
    neighbour.load = note.load;
    neighbour.settles_in = 0;
  }
  deadline_ = host_.now() + patience();
  round_gave_work_ = false;
  round_saw_work_ = true;
  settles_at_ = never;
  choose_donors();
}

// To one that is known here to be short of work: ranks that have work and ranks that lack it meet
// at a third one long before they meet each other.
void Diffusion::pass_offer_on(Rank donor, const Note& note) {
  if (note.count >= most_passes || hungry_.empty()) return;
  const Rank to = hungry_.back();
  hungry_.pop_back();
  if (to == donor) return;
  Note passed = note;
  passed.hint = donor.value();
  ++passed.count;
  send(to, Kind::offer, passed);
}

// --- the rank that is asked ---

void Diffusion::on_request(Rank source, const Note& note) {
  Transfer given;
  if (settling_.seconds_left(host_, host_.load()) <= 0) {
    given = give(host_, {source, note.load, note.want_seconds, note.count}, "diffusion");
  }
  // If what looks like work to spare is not, others are told of it at a slower rate.
  if (given.objects == 0) {
    remember_hungry(source);
  } else {
    hear_of_hunger();
  }
  Note reply;
  reply.load = host_.load();
  reply.count = given.objects;
  reply.round = note.round;
  reply.hint = hint_for(source);
  send(source, Kind::reply, reply);
}

void Diffusion::hear_of_hunger() {
  is_somebody_hungry_ = true;
  offer_pause_ = Duration::zero();
  next_offer_ = host_.now() + shortest_pause();
}

void Diffusion::remember_hungry(Rank rank) {
  std::erase(hungry_, rank);
  if (hungry_.size() == most_hungry) hungry_.erase(hungry_.begin());
  hungry_.push_back(rank);
}

// Tells those who asked in vain, and if somebody has asked lately, others that may know of more.
Instant Diffusion::offer_spare(const RankLoad& load, Instant now) {
  if (!is_somebody_hungry_ || !has_spare(host_, load)) return never;
  next_offer_ = std::max(next_offer_, now + from_seconds(settling_.seconds_left(host_, load)));
  if (now < next_offer_) return next_offer_;
  // What the last of the queue would gain by starting elsewhere at once.
  const double rate = load.rate();
  const double gain =
      load.seconds_until_idle(rate) - load.queued_total(rate) / load.queued / load.workers;
  if (gain <= low_seconds()) return never;
  Note note;
  note.load = load;
  const std::size_t count =
      std::min({hungry_.size(), static_cast<std::size_t>(load.queued), most_offers});
  for (std::size_t i = 0; i < count; ++i) {
    send(hungry_.back(), Kind::offer, note);
    hungry_.pop_back();
  }
  if (count == 0 && host_.size() > 2) {
    send(random_rank(), Kind::offer, note);
    send(random_rank(), Kind::offer, note);
  }
  // Without limit, so that work that is never wanted costs a few messages in all.
  offer_pause_ = std::clamp(2 * offer_pause_, shortest_pause(), longest_offer_pause);
  next_offer_ = now + offer_pause_;
  return next_offer_;
}

void Diffusion::remember_hint(Rank rank, const RankLoad& load) {
  if (has_spare(host_, load)) {
    hint_ = rank;
  } else if (rank == hint_) {
    hint_ = no_rank;
  }
}

std::int32_t Diffusion::hint_for(Rank rank) const { return hint_ == rank ? -1 : hint_.value(); }

const PolicyRegistrar registrar{
    {.name = "diffusion",
     .description = "ranks short of work ask a neighbourhood of other ranks",
     .parameters =
         {{.name = "neighbours",
           .description = "ranks in a neighbourhood",
           .default_value = "8",
           .minimum = 1,
           .maximum = 64,
           .is_integer = true},
          {.name = "selection",
           .description = "which: random ones, or the nearest in the ring of ranks",
           .default_value = "random",
           .words = {"random", "ring"}},
          {.name = "replace",
           .description =
               "neighbours replaced after a round: those without work, or all if none had any",
           .default_value = "exhausted",
           .words = {"exhausted", "all"}},
          {.name = "low_seconds",
           .description = "work per worker below which a rank asks; 0: from measured latencies",
           .default_value = "0",
           .minimum = 0,
           .maximum = 1e6},
          {.name = "longest_pause",
           .description = "seconds between fruitless rounds at most",
           .default_value = "1",
           .minimum = 1e-6,
           .maximum = 1e6}},
     .create = [](const Parameters& parameters, PolicyHost& host) -> std::unique_ptr<Policy> {
       Settings settings;
       settings.neighbours = parameters.integer("neighbours");
       settings.is_ring = parameters.word("selection") == "ring";
       settings.replace_all = parameters.word("replace") == "all";
       settings.low_seconds = parameters.number("low_seconds");
       settings.longest_pause = parameters.number("longest_pause");
       return std::make_unique<Diffusion>(settings, host);
     }}};

}  // namespace
}  // namespace roam::balance
