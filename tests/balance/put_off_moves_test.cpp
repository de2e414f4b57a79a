// SPDX-License-Identifier: Apache-2.0
// Moves that cost more than they gain in one phase: when they are judged again, and for how many
// phases their gain counts then.
#include "balance/put_off_moves.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "balance/decision_times.hpp"
#include "roam/runtime/simulated_job.hpp"

namespace roam::balance::put_off_moves_test {

/// Has work, other work in each phase, or always the same.
struct Piece {
  std::vector<std::uint8_t> data;
  explicit Piece(std::size_t bytes = 0) : data(bytes) {}
  void work(double seconds) { roam::here().compute(roam::from_seconds(seconds)); }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(data);
  }
};

namespace {

/// Two ranks; the first has objects 10 and 11, the second object 20.
std::vector<placement::RankLoads> loads(double of_10, double of_11, double of_20) {
  std::vector<placement::RankLoads> told(2);
  told[0].of.objects = {10, 11};
  told[0].of.seconds = {of_10, of_11};
  told[0].of.bytes = {1000, 1000};
  told[1].of.objects = {20};
  told[1].of.seconds = {of_20};
  told[1].of.bytes = {1000};
  return told;
}

PhaseReport put_off(std::uint32_t phase, double gain, double cost, std::uint32_t gain_phases = 1) {
  PhaseReport report;
  report.phase = phase;
  report.expected_max_seconds = report.predicted_max_seconds = 1.5;
  report.expected_mean_seconds = 1;
  report.gain_seconds = gain * gain_phases;
  report.gain_phases = gain_phases;
  report.cost_seconds = cost;
  report.asked_seconds = 1e-3;
  return report;
}

TEST(PutOffMoves, count_for_as_many_phases_as_they_would_have_gained_in) {
  PutOffMoves moves;
  EXPECT_FALSE(moves.has_any());
  EXPECT_EQ(moves.phases_with(1, 1, 7), 1U) << "nothing has been put off";
  moves.propose({{11, 1, 1000, 0, 1}});
  moves.note(put_off(7, 0.5, 2), true);
  ASSERT_TRUE(moves.has_any());
  EXPECT_EQ(moves.phases_with(0.5, 0.5, 8), 2U);
  moves.note(put_off(8, 0.5, 2, 2), true);
  EXPECT_EQ(moves.phases_with(0.5, 0.25, 9), 3U) << "half of the gain is left";
  EXPECT_EQ(moves.phases_with(0.5, 0.24, 9), 1U) << "loads have changed";
  EXPECT_EQ(moves.phases_with(-0.1, -0.1, 9), 1U) << "nothing to gain";
  EXPECT_EQ(moves.phases_with(0.5, 0.5, 500), 4U) << "twice as many as were counted before";
  for (std::uint32_t phases = 4; phases <= 64; phases *= 2)
    moves.note(put_off(500, 0.5, 50, phases), true);
  EXPECT_EQ(moves.phases_with(0.5, 0.5, 600), PutOffMoves::most_phases);
}

TEST(PutOffMoves, are_judged_by_loads_that_they_were_not_made_for) {
  PutOffMoves moves;
  moves.propose({{11, 1, 1000, 0, 1}, {99, 1, 1000, 1, 0}});  // object 99 has ended since
  moves.note(put_off(0, 0.5, 2), true);
  const auto gain_with = [&moves](const std::vector<placement::RankLoads>& told, double most) {
    return moves.gain(told, placement::gather(told, false), most);
  };
  EXPECT_DOUBLE_EQ(gain_with(loads(2, 1, 1), 3), 1);
  EXPECT_DOUBLE_EQ(gain_with(loads(1, 3, 2), 4), -1) << "the second rank would have 5";
  EXPECT_DOUBLE_EQ(PutOffMoves().gain(loads(2, 1, 1), {}, 3), 0);
}

TEST(PutOffMoves, are_kept_while_they_last_and_replaced_if_they_do_not) {
  PutOffMoves moves;
  moves.note(put_off(0, 0.5, 5), true);
  moves.note(put_off(3, 0.5, 5, 4), true);
  EXPECT_EQ(moves.phases_with(0.5, 0.5, 4), 5U) << "those of phase 0 have gained until now";
  moves.note(put_off(4, 0.5, 5, 1), true);
  EXPECT_EQ(moves.phases_with(0.5, 0.5, 5), 6U) << "phase 4 may have been disturbed";
  moves.note(put_off(5, 0.5, 5, 1), true);
  EXPECT_EQ(moves.phases_with(0.5, 0.5, 6), 2U) << "loads had changed in phases 4 and 5";
  moves.note(put_off(6, 0.5, 5), false);
  EXPECT_EQ(moves.phases_with(0.5, 0.5, 7), 2U) << "another strategy says nothing about these";
  PhaseReport moved = put_off(7, 0.5, 1, 3);
  moved.moved_objects = 1;
  moves.note(moved, true);
  EXPECT_FALSE(moves.has_any());
}

TEST(PutOffMoves, are_given_up_if_nothing_is_to_be_gained_twice_in_a_row) {
  PutOffMoves moves;
  moves.note(put_off(7, 0.5, 5), true);
  moves.note(put_off(8, -0.1, 5), true);
  EXPECT_EQ(moves.phases_with(0.5, 0.5, 9), 2U) << "phase 8 may have been disturbed";
  moves.note(put_off(9, 0.5, 5, 2), true);
  moves.note(put_off(10, -0.1, 5), true);
  EXPECT_EQ(moves.phases_with(0.5, 0.5, 11), 4U) << "those of phase 7 have lasted since";
  moves.note(put_off(11, -0.1, 5), true);
  EXPECT_FALSE(moves.has_any());
}

/// Ends phases of the same imbalance until the strategy is asked.
std::uint32_t next_asked(DecisionTimes& times, std::uint32_t phase, double most_gain,
                         double asking = 1e-3) {
  for (std::uint32_t last = phase + 200; phase < last; ++phase) {
    if (times.is_time({.number = phase,
                       .most_gain_seconds = most_gain,
                       .gain_by_work_seconds = most_gain,
                       .mean_seconds = 1,
                       .least_move_seconds = 1e-6,
                       .asking_seconds = asking}))
      return phase;
  }
  return phase;
}

TEST(DecisionTimes, moves_put_off_are_judged_soon_and_others_at_growing_intervals) {
  DecisionTimes times;
  EXPECT_EQ(next_asked(times, 0, 0.5), 0U);
  times.note(put_off(0, 0.5, 2), true);
  EXPECT_EQ(next_asked(times, 1, 0.5), 1U) << "would they still have gained?";
  times.note(put_off(1, 0.5, 2, 2), true);
  EXPECT_EQ(next_asked(times, 2, 0.5), 2U) << "they would";
  times.note(put_off(2, 0.5, 2, 1), true);
  EXPECT_EQ(next_asked(times, 3, 0.5), 3U) << "they would not, but the phase may be to blame";
  times.note(put_off(3, 0.5, 2, 1), true);
  EXPECT_EQ(next_asked(times, 4, 0.5), 4U) << "nor now, but they may be made for such a phase";
  times.note(put_off(4, 0.5, 2, 1), true);
  const std::uint32_t later = next_asked(times, 5, 0.5);
  EXPECT_GT(later, 8U) << "nor would those that have replaced them";
  times.note(put_off(later, 0.5, 2, 1), true);
  EXPECT_GT(next_asked(times, later + 1, 0.5), later + 12) << "nor would the next ones";
}

TEST(DecisionTimes, moves_that_can_never_pay_are_not_judged_soon) {
  DecisionTimes times;
  times.note(put_off(0, 0.5, 100), true);
  EXPECT_EQ(next_asked(times, 1, 0.5), 3U) << "after a pause, as if nothing had been found";
}

TEST(DecisionTimes, judging_takes_a_small_part_of_what_is_missed) {
  DecisionTimes times;
  times.note(put_off(0, 0.019, 0.08), true);
  EXPECT_EQ(next_asked(times, 1, 0.5, 0.01), 5U)
      << "19 ms are missed in each phase, asking takes 10";
}

TEST(DecisionTimes, a_promise_is_broken_if_the_phase_has_not_become_shorter) {
  const auto pause_after = [](double seconds, double mean) {
    DecisionTimes times;
    PhaseReport moved = put_off(0, 0.4, 0.1);
    moved.moved_objects = 1;
    moved.seconds = 2;
    moved.mean_load_seconds = 1;
    times.note(moved, true);
    PhaseReport next;
    next.phase = 1;
    next.seconds = seconds;
    next.mean_load_seconds = mean;
    times.settle(Promise::Fate::kept, next);
    return next_asked(times, 1, 5);
  };
  EXPECT_EQ(pause_after(1.6, 1), 1U);
  EXPECT_EQ(pause_after(2, 1), 3U) << "as long as before";
  EXPECT_EQ(pause_after(2, 1.25), 1U) << "as long as before, with more work";
}

/// `disturbed`: as `stays`, but in the second phase another rank has most work.
enum class Load : std::uint8_t { stays, disturbed, random };

struct Outcome {
  double seconds = 0;
  std::vector<PhaseReport> reports;
};

constexpr std::int32_t ranks = 8;
constexpr int phases = 40;
constexpr std::size_t piece_bytes = 1'000'000;  // a move takes 2 ms, as guessed

/// Pieces of a megabyte whose moves cost more than a phase of about 3 ms could gain.
Outcome run(const std::string& balancer, Load load, std::uint64_t seed = 1) {
  Options options;
  options.simulate.emplace();
  options.simulate->ranks = ranks;
  options.simulate->workers_per_rank = 1;
  options.simulate->network.front().bandwidth_bytes_per_second = 5e8;
  options.balancer = parse_plugin_choice(balancer);
  SimulatedJob job({.options = options});
  Outcome outcome;
  EXPECT_TRUE(job.run([&](Runtime& rt) -> Task<> {
    std::vector<mobile_ptr<Piece>> mine;
    for (int i = 0; i < 8; ++i) mine.push_back(rt.create<Piece>(Piece(piece_bytes)));
    core::Random random(seed * ranks + static_cast<std::uint64_t>(rt.rank().value()));
    for (int phase = 0; phase < phases; ++phase) {
      const int busiest = load == Load::disturbed && phase == 1 ? ranks / 2 : 0;
      for (const auto& piece : mine) {
        const double times =
            load == Load::random ? (random.below(4) == 0 ? 8 : 1) : (rt.rank() == busiest ? 4 : 1);
        piece.send<&Piece::work>(2e-4 * times);
      }
      const PhaseReport report = co_await rt.phase();
      if (rt.rank() == 0) outcome.reports.push_back(report);
    }
  })) << job.error();
  outcome.seconds = roam::seconds(job.runtime(0).now() - Instant{});
  return outcome;
}

/// The first phase at whose end objects move.
std::uint32_t first_move(const Outcome& outcome) {
  const auto moved = std::ranges::find_if(
      outcome.reports, [](const PhaseReport& report) { return report.moved_objects > 0; });
  return moved == outcome.reports.end() ? phases : moved->phase;
}

class PutOff : public ::testing::TestWithParam<std::string> {};

TEST_P(PutOff, B3_moves_are_made_once_they_would_have_paid_in_the_phases_since) {
  const Outcome balanced = run(GetParam(), Load::stays);
  const auto moved = std::ranges::find_if(
      balanced.reports, [](const PhaseReport& report) { return report.moved_objects > 0; });
  ASSERT_NE(moved, balanced.reports.end());
  EXPECT_GT(moved->phase, 0U) << "in one phase, nothing gains what it costs";
  EXPECT_GT(moved->gain_phases, 1U);
  EXPECT_LE(moved->gain_phases, moved->phase + 1);
  EXPECT_GT(moved->gain_seconds, moved->cost_seconds);
  EXPECT_LT(moved->gain_seconds / moved->gain_phases, moved->cost_seconds);
  EXPECT_LT(balanced.seconds, 0.75 * run("none", Load::stays).seconds);
}

TEST_P(PutOff, B3_a_disturbed_phase_delays_moves_by_little_more_than_itself) {
  const std::uint32_t undisturbed = first_move(run(GetParam(), Load::stays));
  EXPECT_LE(first_move(run(GetParam(), Load::disturbed)), undisturbed + 2);
}

TEST_P(PutOff, B3_little_is_lost_if_loads_change_at_random) {
  double with = 0;
  double without = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    with += run(GetParam(), Load::random, seed).seconds;
    without += run("none", Load::random, seed).seconds;
  }
  EXPECT_LT(with, 1.01 * without) << with / without;
}

INSTANTIATE_TEST_SUITE_P(Strategies, PutOff,
                         ::testing::Values("refine", "greedy", "hybrid:group_ranks=4",
                                           "hierarchical:arity=2"),
                         [](const auto& tested) {
                           return tested.param.substr(0, tested.param.find(':'));
                         });

}  // namespace
}  // namespace roam::balance::put_off_moves_test
