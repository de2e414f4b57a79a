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

// The constants below are chosen, for the reason given in the comment, unless it says that they
// were measured.

// Objects given in one answer; the asking rank comes back for more.
constexpr std::uint32_t most_objects = 1024;
// Candidates looked at for one object to be given, so that the time of a search does not grow with
// the number of objects.
constexpr int most_candidates = 16;
// An object that arrived less than recent_factor times its moving cost ago has to gain
// recent_penalty times its cost, against ping-pong (tests/balance: Transfer).
constexpr double recent_factor = 10;
constexpr double recent_penalty = 4;
// To improve only the present cycle, an object moves if it waits here for this multiple of its work
// and the workers there are idle for this multiple of it (B2: studies/stencil_overhead).
constexpr double cyclic_penalty = 4;
// Number of cycles; work that waits longer than this is not that of one cycle.
constexpr double unusual_cycle = 2;
// The least number of times that the gain of a permanent improvement counts (B2:
// studies/stencil_overhead).
constexpr double least_times = 8;
// Part of an object's work. Moving an object improves balance if the two ranks differ by more than
// half of the total change. Measured loads are never exactly equal, which asks for more than one
// half; a whole object would ask for too much.
constexpr double part_to_differ_by = 0.75;
// An object that has run for this multiple of the work it has now is expected to get more.
constexpr double repeating = 2;

// Time for which new work settles: a part of an object's work, and a lower bound in seconds.
constexpr double settling_part = 1e-3;
constexpr double shortest_settling = 1e-8;
/// Time for which the object would wait at the end of this rank's queue.
double wait_here(const RankLoad& ours, const RankLoad& theirs, const ObjectLoad& object) {
  if (ours.running + ours.queued <= ours.workers) return 0;
  const double before = ours.queued_total(ours.rate(theirs)) - object.seconds;
  return ours.first_free_seconds + std::max(0.0, before) / ours.workers;
}

/// Chooses the objects for one request, one by one, then moves them all.
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
  /// Work left here per worker.
  [[nodiscard]] double ours() const { return ours_.total(our_rate()) / ours_.workers; }
  [[nodiscard]] double theirs() const {
    return request_.load.total(request_.load.rate(ours_)) + given_.seconds;
  }
  /// The work whose transfer makes loads per worker equal (between ranks that are alike, half the
  /// difference), bounded by what is asked for.
  [[nodiscard]] double fits() const {
    const RankLoad& theirs = request_.load;
    const double equalising =
        (ours() - this->theirs() / theirs.workers) / (1.0 / ours_.workers + 1.0 / theirs.workers);
    return std::min(equalising, request_.want_seconds - given_.seconds);
  }

  // Visits objects from the largest down while some can be chosen. What fits shrinks with each of
  // them; when the next objects have become too large, the visit starts anew at what still fits.
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

  // Chooses an object that is larger than what fits, because a worker there has nothing to do: its
  // work has to end before ours would. Ours ends after an even share of what is left and, unless we
  // have one worker, a part of an object.
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

  /// Chooses the object if it gains more than it adds to the cost.
  bool consider(const ObjectLoad& object) {
    const double alone = host_.move_seconds(object.bytes);
    const double cost = std::min(alone, host_.extra_move_seconds(object.bytes));
    const double earlier = earlier_start(ours_, request_.load, given_, request_.count, object);
    // However long the wait, the gain is at most the object's work.
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

  /// Updates the loads as if the object had left.
  void leave(const ObjectLoad& object) {
    --ours_.queued;
    ours_.queued_seconds -= object.seconds;
    ours_.seconds -= object.seconds;
    ++given_.objects;
    given_.seconds += object.seconds;
    given_share_ += share_of(object);
    given_in_cycle_ += in_cycle(object);
  }

  /// The gain that all chosen objects must have together; the latency of the message counts once.
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
      // The latency is divided among the objects in proportion to their gain beyond their own cost.
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

  /// True if the object is expected to get more work than it has now, and there are no cycles that
  /// tell how much.
  [[nodiscard]] bool repeats(const ObjectLoad& object) const {
    return ours_.cycle_seconds <= 0 && object.run_seconds > repeating * object.seconds;
  }
  /// Time for which both ranks have been observed since an object last moved.
  [[nodiscard]] double seen_seconds() const {
    return std::min(ours_.observed_seconds, request_.load.observed_seconds);
  }
  /// The part of a worker's time that the object uses.
  [[nodiscard]] double share_of(const ObjectLoad& object) const {
    return object.run_seconds <= 0
               ? 0
               : object.run_seconds / std::max(ours_.phase_seconds, object.run_seconds);
  }
  /// The number of times that the move is expected to gain: what has been observed for a while is
  /// expected to last for as long again.
  [[nodiscard]] double times_to_come(const ObjectLoad& object) const {
    const bool does_repeat = repeats(object);
    if (!does_repeat && !is_better_for_good(object)) return 1;
    const double from_one_to_the_next =
        does_repeat ? object.seconds / share_of(object) : ours_.cycle_seconds;
    return from_one_to_the_next > 0 ? std::max(least_times, seen_seconds() / from_one_to_the_next)
                                    : least_times;
  }
  /// An object that repeats moves if the workers there have been idle for more of the time than
  /// those here; a short wait is no reason.
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

  /// Where work comes in cycles, an object moves if it is better off there in the next cycles, too,
  /// or if it waits long in this one while the workers there, judging by earlier cycles, would be
  /// idle. Exceptions are objects that have not run yet, which may not come again in each cycle,
  /// and waits longer than usual cycles.
  [[nodiscard]] bool suits_cycles(const ObjectLoad& object, double earlier) const {
    if (ours_.cycle_seconds <= 0 || !object.has_run || is_better_for_good(object)) return true;
    if (earlier > unusual_cycle * ours_.cycle_seconds) return true;
    const RankLoad& theirs = request_.load;
    return earlier > cyclic_penalty * object.seconds &&
           (theirs.cycle_seconds <= 0 ||
            theirs.idle_left_seconds > cyclic_penalty * work_with(object));
  }

  [[nodiscard]] bool is_better_for_good(const ObjectLoad& object) const {
    return (cycles_differ_for_good() || differ_for_good()) &&
           busy_difference() * ours_.cycle_seconds >
               per_worker(given_in_cycle_ + part_to_differ_by * in_cycle(object));
  }
  /// If cycles are longer than interruptions, few of them are disturbed. One may be, so that what
  /// an interruption can have caused is no evidence.
  [[nodiscard]] bool cycles_differ_for_good() const {
    const double seen =
        std::min(ours_.cycles_observed_seconds, request_.load.cycles_observed_seconds);
    if (ours_.cycle_seconds < Interruptions::longest_usual || seen <= 0) return false;
    const double of_interruption = Interruptions::longest_usual / seen;
    return idle_evidence(busy_difference() - of_interruption, seen) >= enough_evidence;
  }
  [[nodiscard]] double busy_difference() const { return ours_.busy_part - request_.load.busy_part; }
  /// The object's work in a whole cycle, of which a part may be done.
  [[nodiscard]] double in_cycle(const ObjectLoad& object) const {
    return std::max(object.seconds, share_of(object) * ours_.cycle_seconds);
  }
  /// The change in the difference of work per worker between here and there if `work` moves.
  [[nodiscard]] double per_worker(double work) const {
    return work * (1.0 / ours_.workers + 1.0 / request_.load.workers);
  }

  /// Work per worker there, with the object and what was given.
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
  RankLoad ours_;  // without the chosen objects
  Transfer given_;
  double given_share_ = 0;
  double given_in_cycle_ = 0;  // the same in seconds of a cycle
  std::vector<Chosen> chosen_;
  std::unordered_set<ObjectId> ids_;  // ids of the chosen objects
  double chosen_gain_ = 0;
  double chosen_cost_ = 0;     // without the latency of the message
  double penalised_cost_ = 0;  // the same, with recently arrived objects counted several times
  double penalties_ = 0;       // sum of these factors
  double latency_ = 0;
  // Of the moves that were not worth it, the one that would have gained most:
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
  // Average work of a waiting object, without the objects that it will create.
  const double object = load.queued_total(load.rate()) / load.queued / load.growth;
  // A job that starts work on all ranks does so by a tree of messages.
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
        load.first_free_seconds, load.cycle_seconds, load.busy_part, load.cycles_observed_seconds,
        load.idle_left_seconds, load.idle_part, load.observed_seconds, load.phase_seconds,
        load.growth}) {
    if (!std::isfinite(value) || value < 0) throw MalformedMessage("a load is not a number");
  }
  if (load.workers == 0) throw MalformedMessage("a rank without workers");
}

}  // namespace roam::balance
