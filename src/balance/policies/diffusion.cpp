// SPDX-License-Identifier: Apache-2.0
#include "diffusion.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "roam/balance/transfer.hpp"
#include "roam/core/error.hpp"

namespace roam::balance {

namespace {

// How often an offer is passed on by ranks that have work themselves.
constexpr std::uint32_t most_passes = 4;
// Donors asked in one round.
constexpr std::size_t most_donors = 4;
// Seconds. If the next look would be later than this, it is taken after this time.
constexpr double longest_outlook = 1e6;
// Multiple of the low threshold that bounds the work asked for: later requests know more, and a
// rank that has taken too much has to give it back.
constexpr double horizon = 64;
// While there is work, the pause shrinks by this fraction of the elapsed time.
constexpr int forgetting = 64;
// A rank whose work lasts no longer than this multiple of the low threshold gives only when it is
// asked: whoever is short of work asks soon.
constexpr double least_to_give = 4;

}  // namespace

Diffusion::Diffusion(const DiffusionSettings& settings, PolicyHost& host)
    : settings_(settings),
      host_(host),
      neighbourhood_(settings.neighbours, settings.is_ring, host),
      offers_(host) {}

void Diffusion::notify(ObjectId, const mobile::Record& record,
                       mobile::LoadListener::Change change) {
  if (settings_.predicts) trend_.notify(record, change);
}

RankLoad Diffusion::load_to_tell() {
  const RankLoad load = host_.load();
  return settings_.predicts ? trend_.predicted(load) : load;
}

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
  neighbourhood_.remember(source, note.load);
  switch (note.kind) {
    case Kind::question:
      return on_question(source, note);
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

// The work left must last for twice the time until the answers, the reply and the first object have
// come.
double Diffusion::low_seconds() const {
  if (settings_.low_seconds > 0) return settings_.low_seconds;
  const std::uint64_t bytes = settings_.predicts ? trend_.typical_bytes() : 0;
  return 2 * (2 * host_.round_trip_seconds() + host_.move_seconds(bytes));
}

Instant Diffusion::balance(Instant now) {
  if (host_.size() == 1) return never;
  const RankLoad load = host_.load();
  settling_.watch(host_, load);
  if (settings_.predicts) trend_.watch(load, now, 16 * host_.round_trip_seconds());
  Instant next = offer_spare(load);
  const double lasts = load.seconds_until_idle(load.rate());
  const double low = low_seconds();
  if (phase_ != Phase::rest) {
    if (now < deadline_) return deadline_;
    end_round_without_answer();
  }
  if (lasts >= low) {
    if (!was_loaded_) loaded_since_ = now;
    was_loaded_ = true;
    next = std::min(next, now + from_seconds(std::clamp(lasts - low, low / 4, longest_outlook)));
    return settings_.gives ? std::min(next, consider_giving(load, now)) : next;
  }
  if (was_loaded_) {
    was_loaded_ = false;
    is_dormant_ = false;
    rounds_without_work_ = 0;
    level_high_ = 0;
    pause_ = std::max(shortest_pause(), pause_ - (now - loaded_since_) / forgetting);
    next_round_ = std::min(next_round_, now + pause_);
    if (pause_ == shortest_pause()) next_round_ = now;
  }
  if (is_dormant_ || !settings_.asks) return never;
  // Evidence of idleness ends the wait after a fruitless round: what did not justify a move then
  // may do so now.
  if (now < next_round_ && !evidence_.has_grown(load))
    return std::min(next_round_, now + from_seconds(evidence_.seconds_left(load)));
  begin_round(Purpose::take);
  return deadline_;
}

// --- a round: questions to the neighbourhood, and the reaction to the answers ---

void Diffusion::begin_round(Purpose purpose) {
  neighbourhood_.choose();
  ++round_;
  purpose_ = purpose;
  phase_ = Phase::asking;
  asked_ = host_.now();
  deadline_ = asked_ + patience();
  answers_due_ = neighbourhood_.members().size();
  round_gave_work_ = round_saw_work_ = false;
  settles_at_ = never;
  Note note;
  note.load = load_to_tell();
  note.round = round_;
  note.is_generous = purpose == Purpose::give ? 1 : 0;
  for (Neighbour& neighbour : neighbourhood_.members()) {
    neighbour.answered = neighbour.is_exhausted = false;
    send(neighbour.rank, Kind::question, note);
  }
}

void Diffusion::on_answer(Rank source, const Note& note) {
  if (phase_ != Phase::asking || note.round != round_) return;  // too late
  Neighbour* const neighbour = neighbourhood_.find(source);
  if (neighbour == nullptr || neighbour->answered) return;
  host_.answered_after(seconds(host_.now() - asked_));
  neighbour->answered = true;
  neighbour->load = note.load;
  neighbour->settles_in = note.settles_in;
  neighbour->is_exhausted = !has_spare(host_, note.load);
  if (note.load.running + note.load.queued > 0) round_saw_work_ = true;
  if (note.hint >= 0 && Rank(note.hint) != host_.rank()) neighbourhood_.hear_of(Rank(note.hint));
  if (--answers_due_ > 0) return;
  if (purpose_ == Purpose::give) {
    give_to_neighbours();
  } else {
    choose_donors();
  }
}

void Diffusion::end_round_without_answer() {
  if (purpose_ == Purpose::give) {
    give_to_neighbours();
  } else {
    conclude();
  }
}

// --- the rank that is short of work ---

void Diffusion::choose_donors() {
  const RankLoad own = host_.load();
  const double lasts = own.seconds_until_idle(own.rate());
  phase_ = Phase::requesting;
  answers_due_ = 0;
  if (lasts >= low_seconds()) {  // work has come in the meantime
    round_gave_work_ = true;
    return conclude();
  }
  std::vector<Neighbour*> donors;
  double all_seconds = own.total();
  double all_workers = own.workers;
  for (Neighbour& neighbour : neighbourhood_.members()) {
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
  // The amount that lifts this rank to the mean of the neighbourhood, bounded by what is needed
  // soon.
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
    // The donor gives at most half of its work.
    const double spare = donor->load.queued_total(donor->load.rate(own)) / 2;
    want = std::max(0.0, want - spare);
    idle -= std::min(idle, (donor->load.queued + 1) / 2);
  }
  if (answers_due_ == 0) conclude();
}

void Diffusion::on_reply(Rank source, const Note& note) {
  // Objects come before the reply that announces them, so the load is up to date.
  if (phase_ != Phase::requesting || note.round != round_) return;
  if (note.count > 0) {
    round_gave_work_ = true;
    host_.came_from(note.load);
  }
  if (Neighbour* const neighbour = neighbourhood_.find(source)) {
    neighbour->is_exhausted = note.count == 0;
  }
  if (--answers_due_ == 0) conclude();
}

void Diffusion::conclude() {
  const Instant now = host_.now();
  phase_ = Phase::rest;
  for (Neighbour& neighbour : neighbourhood_.members()) {
    if (!neighbour.answered) neighbour.is_exhausted = true;
  }
  if (round_gave_work_) {
    pause_ = shortest_pause();
    next_round_ = now;
    rounds_without_work_ = 0;
    return;
  }
  pause_ = std::max(pause_, shortest_pause());
  if (settles_at_ != never) {
    next_round_ = settles_at_ + shortest_pause();
    rounds_without_work_ = 0;
    return;
  }
  // The random part prevents ranks that run out of work together from asking together.
  next_round_ = now + pause_ / 2 + from_seconds(seconds(pause_) * host_.random().unit());
  pause_ = std::min(2 * pause_, longest_pause());
  if (settings_.replace_all && !round_saw_work_) {
    for (Neighbour& neighbour : neighbourhood_.members()) neighbour.is_exhausted = true;
  }
  if (round_saw_work_) {
    rounds_without_work_ = 0;
  } else if (++rounds_without_work_ > 2 + std::log2(static_cast<double>(host_.size()))) {
    is_dormant_ = true;
  }
}

void Diffusion::on_offer(Rank source, const Note& note) {
  const Rank donor = note.hint < 0 ? source : Rank(note.hint);
  const RankLoad own = host_.load();
  if (own.seconds_until_idle(own.rate()) >= low_seconds()) {
    return pass_offer_on(donor, note);
  }
  is_dormant_ = false;
  rounds_without_work_ = 0;
  if (phase_ != Phase::rest || donor == host_.rank()) return;
  neighbourhood_.admit(donor);
  // An offer is treated like a round with a single answer.
  ++round_;
  purpose_ = Purpose::take;
  for (Neighbour& neighbour : neighbourhood_.members()) {
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

// Passes the offer on to a rank that is known here to be short of work: ranks with work and ranks
// without meet at a third one long before they meet each other.
void Diffusion::pass_offer_on(Rank donor, const Note& note) {
  if (note.count >= most_passes || offers_.empty()) return;
  const Rank to = offers_.take_latest();
  if (to == donor) return;
  Note passed = note;
  passed.hint = donor.value();
  ++passed.count;
  send(to, Kind::offer, passed);
}

// --- the rank that has work ---

void Diffusion::on_question(Rank source, const Note& note) {
  Note answer;
  answer.load = load_to_tell();
  const RankLoad load = host_.load();
  settling_.watch(host_, load);
  answer.settles_in = settling_.seconds_left(host_, load);
  answer.round = note.round;
  answer.hint = neighbourhood_.hint_for(source);
  if (note.is_generous == 0) {
    if (!has_spare(host_, load)) offers_.remember(source);
    if (!offers_.are_wanted() || offers_.pause() > longest_pause()) offers_.hear_of_hunger();
  }
  send(source, Kind::answer, answer);
}

void Diffusion::on_request(Rank source, const Note& note) {
  Transfer given;
  if (settling_.seconds_left(host_, host_.load()) <= 0) {
    given = give(host_, {source, note.load, note.want_seconds, note.count}, settings_.name);
  }
  // What looks like spare work turned out not to be: offers become less frequent.
  if (given.objects == 0) {
    offers_.remember(source);
  } else {
    offers_.hear_of_hunger();
  }
  Note reply;
  reply.load = load_to_tell();
  reply.count = given.objects;
  reply.round = note.round;
  reply.hint = neighbourhood_.hint_for(source);
  send(source, Kind::reply, reply);
}

// Offers work to those who asked in vain and, if somebody has asked lately, to others that may know
// ranks without work.
Instant Diffusion::offer_spare(const RankLoad& load) {
  if (!settings_.asks) return never;
  const Offers::Plan plan =
      offers_.plan(load, settling_.seconds_left(host_, load), low_seconds(), true);
  Note note;
  note.load = load;
  for (const Rank to : plan.to) send(to, Kind::offer, note);
  return plan.next;
}

// Loads are compared whenever the work left has halved or doubled: often enough to react to a
// difference in half the time in which it matters, and only log n times for n seconds of work.
Instant Diffusion::consider_giving(const RankLoad& load, Instant now) {
  if (!has_spare(host_, load)) return never;
  const double lasts = load.seconds_until_idle(load.rate());
  if (lasts <= least_to_give * low_seconds()) return never;
  const Instant settled = now + from_seconds(settling_.seconds_left(host_, load));
  const bool is_due = lasts <= level_low_ || lasts >= level_high_;
  const Instant due = std::max({settled, next_level_, is_due ? now : never});
  if (now < due) {
    return is_due ? due : std::max(next_level_, now + from_seconds(lasts - level_low_));
  }
  level_low_ = lasts / 2;
  level_high_ = 2 * lasts;
  next_level_ = now + shortest_pause();
  begin_round(Purpose::give);
  return deadline_;
}

void Diffusion::give_to_neighbours() {
  phase_ = Phase::rest;
  const RankLoad own = host_.load();
  double all_seconds = own.total();
  double all_workers = own.workers;
  std::vector<Neighbour*> takers;
  for (Neighbour& neighbour : neighbourhood_.members()) {
    neighbour.is_exhausted = true;  // others are asked the next time
    if (!neighbour.answered) continue;
    all_seconds += neighbour.load.total(neighbour.load.rate(own));
    all_workers += neighbour.load.workers;
    takers.push_back(&neighbour);
  }
  const auto wait = [&own](const Neighbour* n) {
    return n->load.seconds_until_idle(n->load.rate(own));
  };
  std::ranges::stable_sort(
      takers, [&](const Neighbour* a, const Neighbour* b) { return wait(a) < wait(b); });
  const double mean = all_seconds / all_workers;
  bool has_given = false;
  for (Neighbour* taker : takers) {
    const RankLoad& load = taker->load;
    const double want = std::max(0.0, mean * load.workers - load.total(load.rate(own)));
    const std::uint32_t idle = load.idle_workers();
    if (want <= 0 && idle == 0) break;
    const Transfer given = give(host_, {taker->rank, load, want, idle}, settings_.name);
    if (given.objects == 0) continue;
    taker->is_exhausted = false;
    has_given = true;
  }
  // There may be more to level out: compares next at three quarters of the work instead of half.
  if (has_given) level_low_ *= 1.5;
}

}  // namespace roam::balance
