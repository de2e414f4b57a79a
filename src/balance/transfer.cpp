// SPDX-License-Identifier: Apache-2.0
#include "roam/balance/transfer.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <string>
#include <unordered_set>
#include <vector>

#include "balance/idle_evidence.hpp"
#include "roam/balance/detail/interruptions.hpp"
#include "roam/core/error.hpp"

namespace roam::balance {

namespace {

// What is not said to be measured is chosen, for the reason that the sentence gives.

// Objects given in one answer; the asking rank comes back for more.
constexpr std::uint32_t most_objects = 1024;
// Candidates looked at for one place before giving up: what a look takes must not grow with the
// objects.
constexpr int most_candidates = 16;
// An object that arrived less than so many times its moving cost ago has to gain so many times as
// much: no ping-pong (tests/balance: Transfer).
constexpr double recent_factor = 10;
constexpr double recent_penalty = 4;
// For the sake of one cycle alone an object moves if it waits for so many times its work, and they
// have time for so many like it (B2: studies/stencil_overhead).
constexpr double cyclic_penalty = 4;
// Cycles: work that waits for so many is not that of one.
constexpr double unusual_cycle = 2;
// Times that a move for good gains what it gains once, at least (B2: studies/stencil_overhead).
constexpr double least_times = 8;
// Part of an object's work. To move an object brings two ranks closer if they differ by more than
// half of what it takes away from one and adds to the other. Measured loads are never quite equal,
// and a whole object is what too much of it would be.
constexpr double part_to_differ_by = 0.75;
// An object that has run for so many times the work it has now will have more.
constexpr double repeating = 2;

// How long new work settles: a part of an object's work, and at least so many seconds.
constexpr double settling_part = 1e-3;
constexpr double shortest_settling = 1e-8;
/// Of the object at the end of this rank's queue.
double wait_here(const RankLoad& ours, const RankLoad& theirs, const ObjectLoad& object) {
  if (ours.running + ours.queued <= ours.workers) return 0;
  const double before = ours.queued_total(ours.rate(theirs)) - object.seconds;
  return ours.first_free_seconds + std::max(0.0, before) / ours.workers;
}

/// Chooses what one request is given, object by object, then moves it all.
class Giver {
 public:
  Giver(PolicyHost& host, const WorkRequest& request, std::string_view reason)
      : host_(host), request_(request), reason_(reason), ours_(host.load()) {}

  Transfer give() {
    choose_what_fits();
    while (given_.objects < std::min(most_objects, request_.count) && choose_for_a_worker()) {
    }
    if (chosen_.empty() || chosen_gain_ <= least_gain()) {
      tell_why_nothing_moves();
      return {};
    }
    move_chosen();
    return given_;
  }

 private:
  [[nodiscard]] double our_rate() const { return ours_.rate(request_.load); }
  /// Work left per worker here.
  [[nodiscard]] double ours() const { return ours_.total(our_rate()) / ours_.workers; }
  [[nodiscard]] double theirs() const {
    return request_.load.total(request_.load.rate(ours_)) + given_.seconds;
  }
  /// What makes loads per worker equal: for ranks alike half the difference. No more than is asked
  /// for.
  [[nodiscard]] double fits() const {
    const RankLoad& theirs = request_.load;
    const double equalising =
        (ours() - this->theirs() / theirs.workers) / (1.0 / ours_.workers + 1.0 / theirs.workers);
    return std::min(equalising, request_.want_seconds - given_.seconds);
  }

  // Downwards in one go, as far as objects can be chosen: what fits shrinks with each of them, and
  // what no longer does is left out by beginning anew below it.
  void choose_what_fits() {
    bool goes_on = true;
    while (goes_on) {
      goes_on = false;
      const double limit = fits();
      if (limit <= 0 || ours_.queued == 0) return;
      int in_vain = 0;
      host_.for_each_movable(limit, our_rate(), [&](const ObjectLoad& object) {
        if (given_.objects == most_objects || ours_.queued == 0) return false;
        const double fit = fits();
        if (object.seconds > fit) {
          goes_on = fit < limit;
          return fit > 0 && !goes_on;
        }
        if (is_chosen(object)) return true;
        in_vain = consider(object) ? 0 : in_vain + 1;
        return in_vain < most_candidates;
      });
    }
  }

  // Larger than what fits, but a worker there has nothing to do: its work has to end before ours
  // would. Our end: an even share of what is left and, unless we have one worker, a part of an
  // object.
  bool choose_for_a_worker() {
    if (ours_.queued == 0) return false;
    const RankLoad& theirs = request_.load;
    const double own = 1.0 / ours_.workers;
    const double average = ours_.queued_total(our_rate()) / ours_.queued;
    const double start =
        std::max(0.0, theirs.seconds_until_idle(theirs.rate(ours_))) + host_.move_seconds(0);
    const double ends_in_time = (ours() + (1 - own) * average - start) / (1 + own);
    bool is_placed = false;
    int looked_at = 0;
    const auto largest = [&](const ObjectLoad& object) {
      if (is_chosen(object)) return true;
      is_placed = consider(object);
      return !is_placed && ++looked_at < most_candidates;
    };
    if (ends_in_time > 0) host_.for_each_movable(ends_in_time, our_rate(), largest);
    if (is_placed) return true;
    const auto smallest = [&](const ObjectLoad& object) {
      if (is_chosen(object)) return true;
      is_placed = consider(object);
      return false;
    };
    host_.for_each_movable_above(std::max(0.0, ends_in_time), our_rate(), smallest);
    return is_placed;
  }

  [[nodiscard]] bool is_chosen(const ObjectLoad& object) const {
    return ids_.contains(object.object);
  }

  /// Chooses it if that gains more than it adds to the cost.
  bool consider(const ObjectLoad& object) {
    const double alone = host_.move_seconds(object.bytes);
    const double cost = std::min(alone, host_.extra_move_seconds(object.bytes));
    const double earlier = earlier_start(ours_, request_.load, given_, request_.count, object);
    // Whatever the waits, no more work leaves this rank than the object's.
    if (!is_welcome(object)) return false;
    const double gain = times_to_come(object) * std::min(earlier, object.seconds);
    const double age = object.arrived_ns < 0 ? recent_factor * alone
                                             : seconds(host_.now() - Instant(object.arrived_ns));
    const double times = age < recent_factor * alone ? recent_penalty : 1;
    if (gain <= times * cost) {
      if (gain > vain_gain_) vain_gain_ = gain, vain_cost_ = times * alone;
      return false;
    }
    if (!suits_cycles(object, earlier)) return false;
    if (chosen_.empty()) latency_ = alone - cost;
    chosen_.push_back({object, gain, cost, wait_here(ours_, request_.load, object), explain()});
    chosen_gain_ += gain;
    chosen_cost_ += cost;
    penalised_cost_ += times * cost;
    penalties_ += times;
    ids_.insert(object.object);
    leave(object);
    return true;
  }

  /// As loads will be once it has gone.
  void leave(const ObjectLoad& object) {
    --ours_.queued;
    ours_.queued_seconds -= object.seconds;
    ours_.seconds -= object.seconds;
    ++given_.objects;
    given_.seconds += object.seconds;
    given_share_ += share_of(object);
  }

  /// What all that is chosen has to gain together: the message is paid for once.
  [[nodiscard]] double least_gain() const {
    return penalised_cost_ + latency_ * penalties_ / static_cast<double>(chosen_.size());
  }

  void tell_why_nothing_moves() {
    if (!chosen_.empty()) {
      host_.gave_nothing(chosen_gain_, least_gain());
    } else if (vain_gain_ > 0) {
      host_.gave_nothing(vain_gain_, vain_cost_);
    }
  }

  void move_chosen() {
    std::vector<Decision> decisions;
    decisions.reserve(chosen_.size());
    for (Chosen& one : chosen_) {
      Decision decision;
      decision.to = request_.from;
      decision.object = one.object.object;
      decision.load_seconds = one.object.seconds;
      decision.bytes = one.object.bytes;
      decision.gain_seconds = one.gain;
      // The rest of the cost falls to each by what it gains beyond its own.
      decision.cost_seconds =
          one.cost + latency_ * (one.gain - one.cost) / (chosen_gain_ - chosen_cost_);
      decision.stay_seconds = one.stay_seconds;
      decision.reason = std::move(one.reason);
      decisions.push_back(std::move(decision));
    }
    const std::vector<ObjectId> stay = host_.migrate_together(std::move(decisions));
    for (const ObjectId object : stay) {
      const auto found =
          std::ranges::find(chosen_, object, [](const Chosen& one) { return one.object.object; });
      --given_.objects;
      given_.seconds -= found->object.seconds;
    }
  }

  /// It comes with more work than is here now, and not in cycles that tell how much.
  [[nodiscard]] bool repeats(const ObjectLoad& object) const {
    return ours_.cycle_seconds <= 0 && object.run_seconds > repeating * object.seconds;
  }
  /// For so long both ranks are known since something has moved.
  [[nodiscard]] double seen_seconds() const {
    return std::min(ours_.observed_seconds, request_.load.observed_seconds);
  }
  /// Of a worker's time.
  [[nodiscard]] double share_of(const ObjectLoad& object) const {
    return object.run_seconds <= 0
               ? 0
               : object.run_seconds / std::max(ours_.phase_seconds, object.run_seconds);
  }
  /// So many times it is to gain: what has been seen for a while is taken to go on for as long.
  [[nodiscard]] double times_to_come(const ObjectLoad& object) const {
    const bool does_repeat = repeats(object);
    if (!does_repeat && !is_better_for_good(object)) return 1;
    const double from_one_to_the_next =
        does_repeat ? object.seconds / share_of(object) : ours_.cycle_seconds;
    return from_one_to_the_next > 0 ? std::max(least_times, seen_seconds() / from_one_to_the_next)
                                    : least_times;
  }
  /// Such an object moves if the workers there have been idle for more of the time than here: not
  /// for a short wait.
  [[nodiscard]] bool is_welcome(const ObjectLoad& object) const {
    if (!repeats(object)) return true;
    return differ_for_good() &&
           idle_difference() > per_worker(given_share_ + part_to_differ_by * share_of(object));
  }
  [[nodiscard]] double idle_difference() const { return request_.load.idle_part - ours_.idle_part; }
  [[nodiscard]] bool differ_for_good() const {
    return ours_.was_interrupted == 0 &&
           idle_evidence(idle_difference(), seen_seconds()) >= enough_evidence;
  }

  /// Where work comes in cycles: it will be better there in the next ones, too, or it waits long in
  /// this one while they, as ever, would wait for others. Objects that have not run yet are none of
  /// those that come again in each cycle, and a cycle with more work than usual ones is none.
  [[nodiscard]] bool suits_cycles(const ObjectLoad& object, double earlier) const {
    if (ours_.cycle_seconds <= 0 || !object.has_run || is_better_for_good(object)) return true;
    if (earlier > unusual_cycle * ours_.cycle_seconds) return true;
    const RankLoad& theirs = request_.load;
    return earlier > cyclic_penalty * object.seconds &&
           (theirs.cycle_seconds <= 0 ||
            theirs.idle_left_seconds > cyclic_penalty * work_with(object));
  }

  [[nodiscard]] bool is_better_for_good(const ObjectLoad& object) const {
    const RankLoad& theirs = request_.load;
    // Of cycles longer than interruptions few are disturbed, and the usual one says enough.
    return (ours_.cycle_seconds >= Interruptions::longest_usual || differ_for_good()) &&
           (ours_.busy_part - theirs.busy_part) * ours_.cycle_seconds >
               per_worker(given_.seconds + part_to_differ_by * object.seconds);
  }
  /// By how much the workers here and there come closer if so much moves.
  [[nodiscard]] double per_worker(double work) const {
    return work * (1.0 / ours_.workers + 1.0 / request_.load.workers);
  }

  /// Of a worker there.
  [[nodiscard]] double work_with(const ObjectLoad& object) const {
    return (given_.seconds + object.seconds) / request_.load.workers;
  }

  [[nodiscard]] std::string explain() const {
    const RankLoad& theirs = request_.load;
    const double there = (theirs.total(theirs.rate(ours_)) + given_.seconds) / theirs.workers;
    std::array<char, 96> text{};
    std::snprintf(text.data(), text.size(), ": work left per worker %.3g s here, %.3g s there",
                  ours_.total(ours_.rate(theirs)) / ours_.workers, there);
    return std::string(reason_) + text.data();
  }

  struct Chosen {
    ObjectLoad object;
    double gain;
    double cost;
    double stay_seconds;
    std::string reason;
  };

  PolicyHost& host_;
  const WorkRequest& request_;
  const std::string_view reason_;
  RankLoad ours_;  // without what is chosen
  Transfer given_;
  double given_share_ = 0;
  std::vector<Chosen> chosen_;
  std::unordered_set<ObjectId> ids_;  // of these
  double chosen_gain_ = 0;
  double chosen_cost_ = 0;     // but for the latency of the message
  double penalised_cost_ = 0;  // the same, of what has arrived only just now several times
  double penalties_ = 0;       // how many times, of all together
  double latency_ = 0;
  // Of what was not worth it, the one that would have gained most.
  double vain_gain_ = 0;
  double vain_cost_ = 0;
};

}  // namespace

double earlier_start(const RankLoad& ours, const RankLoad& theirs, const Transfer& given,
                     std::uint32_t welcome, const ObjectLoad& object) {
  double wait_there = theirs.seconds_until_idle(theirs.rate(ours));
  if (given.objects >= welcome) wait_there += given.seconds / theirs.workers;
  return wait_here(ours, theirs, object) - wait_there;
}

Transfer give(PolicyHost& host, const WorkRequest& request, std::string_view reason) {
  return Giver(host, request, reason).give();
}

bool has_spare(const PolicyHost& host, const RankLoad& load) {
  return load.running + load.queued > load.workers && load.queued > 0 &&
         load.queued_total(load.rate()) > host.move_seconds(0);
}

void Settling::watch(const PolicyHost& host, const RankLoad& load) {
  if (!has_spare(host, load)) {
    spare_since_ = never;
  } else if (spare_since_ == never) {
    spare_since_ = host.now();
  }
}

double Settling::seconds_left(const PolicyHost& host, const RankLoad& load) const {
  if (spare_since_ == never || load.queued == 0) return 0;
  const bool is_known = load.seconds_per_weight > 0 || load.queued_weight <= 0;
  // Of what waits, without what is to come of it.
  const double object = load.queued_total(load.rate()) / load.queued / load.growth;
  // A job that starts work everywhere does so by a tree of messages.
  const double spreading = host.round_trip_seconds() * std::bit_width(unsigned(host.size()));
  const double known = std::min(std::max(settling_part * object, spreading), most_seconds);
  const double settling = is_known ? known : most_seconds;
  const double left = std::max(settling - seconds(host.now() - spare_since_),
                               host.start_up_seconds() - seconds(host.now()));
  return left < shortest_settling ? 0 : left;
}

void check_load(const RankLoad& load) {
  for (const double value :
       {load.seconds, load.weight, load.queued_seconds, load.queued_weight, load.seconds_per_weight,
        load.first_free_seconds, load.cycle_seconds, load.busy_part, load.idle_left_seconds,
        load.idle_part, load.observed_seconds, load.phase_seconds, load.growth}) {
    if (!std::isfinite(value) || value < 0) throw MalformedMessage("a load is not a number");
  }
  if (load.workers == 0) throw MalformedMessage("a rank without workers");
}

}  // namespace roam::balance
