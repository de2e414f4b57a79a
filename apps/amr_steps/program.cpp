// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <roam/offload/offload.hpp>
#include <roam/trace/run_trace.hpp>
#include <utility>
#include <vector>

#include "cells.hpp"

namespace amr_steps {

namespace {

/// The values received from a rank's left neighbour for the present and the next step, since the
/// neighbour may end the present step first.
struct Rim {
  std::array<double, 2> values{};
  [[nodiscard]] double& of_step(std::uint32_t step) { return values[step % 2]; }
};

void take_rim(std::uint32_t step, double value) { roam::here().local<Rim>().of_step(step) = value; }

void let_others_run() {}

/// The time at which a rank had nothing more to do in a step.
struct Arrival {
  double seconds = 0;  ///< counted from the beginning of the step
  std::int32_t rank = 0;
};
Arrival later(const Arrival& a, const Arrival& b) {
  return a.seconds > b.seconds || (a.seconds == b.seconds && a.rank < b.rank) ? a : b;
}

/// Runs the steps of one rank.
class Stepper {
 public:
  Stepper(roam::Runtime& rt, const Settings& settings)
      : rt_(rt), settings_(settings), cells_(settings, rt.rank().value()) {}
  [[nodiscard]] const Cells& cells() const { return cells_; }

  roam::Task<> step(std::uint32_t number) {
    const roam::Instant begin = rt_.now();
    const double from_left = rt_.local<Rim>().of_step(number);
    hold_up(number);
    cells_.refine(number);
    early_.resize(cells_.size());
    std::vector<roam::offload::Result<void>> corrected =
        co_await begin_predictions(number, from_left);
    co_await roam::offload::when_all(std::move(corrected));
    co_await correct_early(number, from_left);
    const roam::Instant done = rt_.now();
    co_await show_rim(number + 1);
    (void)co_await rt_.allreduce<roam::Min>(1.0 + from_left * from_left);
    if (settings_.waits_for_master) co_await say_waits(begin, done);
    roam::offload::next_step(rt_);
  }

  /// Sends the boundary value to the right neighbour, which has received it when this returns.
  roam::Task<> show_rim(std::uint32_t step) {
    const auto right = static_cast<std::int32_t>((rt_.rank().value() + 1) % rt_.size());
    co_await rt_.request<&take_rim>(right, step, cells_.rim());
  }

 private:
  using Prediction = roam::Array<double>;
  static constexpr std::size_t spawned_at_once = 16;

  [[nodiscard]] std::uint32_t outputs() const {
    return static_cast<std::uint32_t>(
        std::max<std::size_t>(1, settings_.output_bytes / sizeof(double)));
  }
  /// Whether the cell's next prediction begins early: the first cells do, if the step after
  /// `number` has as many.
  [[nodiscard]] bool goes_ahead(std::size_t cell, std::uint32_t number) const {
    const auto next = cells_of(settings_, rt_.rank().value(), number + 1);
    return number + 1 < settings_.steps && cell < next &&
           static_cast<double>(cell) < settings_.optimistic * static_cast<double>(cells_.size());
  }
  [[nodiscard]] double task_seconds(std::size_t cell, std::uint32_t step) const {
    return task_seconds_of(settings_, rt_.rank().value(), step, cell);
  }
  void correct(std::size_t cell, const Prediction& prediction, double from_left,
               std::uint32_t number) {
    cells_.correct(cell, {prediction.data(), prediction.size()}, from_left);
    rt_.compute(roam::from_seconds(task_seconds(cell, number) * settings_.other_share /
                                   (1 - settings_.other_share)));
    if (goes_ahead(cell, number)) {
      early_[cell].emplace(roam::offload::spawn<&predict>(rt_, cells_.input(cell), outputs(),
                                                          task_seconds(cell, number + 1)));
    }
  }
  roam::Task<std::vector<roam::offload::Result<void>>> begin_predictions(std::uint32_t number,
                                                                         double from_left) {
    std::vector<roam::offload::Result<void>> corrected;
    corrected.reserve(cells_.size());
    for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
      if (settings_.spawn_seconds > 0) {
        rt_.compute(roam::from_seconds(settings_.spawn_seconds));
        // Suspends now and then: messages of a handler leave when it ends, so that in virtual time,
        // too, these tasks are there before the next ones.
        if (cell % spawned_at_once == spawned_at_once - 1)
          (void)co_await rt_.request<&let_others_run>(rt_.rank());
      }
      if (early_[cell]) {
        came_early_.emplace_back(cell, std::move(*early_[cell]));
        early_[cell].reset();
        continue;
      }
      const auto correct_cell = [this, cell, from_left, number](Prediction&& prediction) {
        correct(cell, prediction, from_left, number);
      };
      corrected.push_back(roam::offload::spawn_then<&predict>(
          rt_, correct_cell, cells_.input(cell), outputs(), task_seconds(cell, number)));
    }
    co_return corrected;
  }
  // Corrects the cells whose predictions began in the step before.
  roam::Task<> correct_early(std::uint32_t number, double from_left) {
    for (auto& [cell, result] : std::exchange(came_early_, {})) {
      const Prediction prediction = co_await result;
      correct(cell, prediction, from_left, number);
    }
  }
  void hold_up(std::uint32_t number) {
    const auto& delay = settings_.delay;
    if (delay && delay->rank == rt_.rank().value() && number % delay->every == delay->every - 1)
      rt_.compute(roam::from_seconds(delay->seconds));
  }
  roam::Task<> say_waits(roam::Instant begin, roam::Instant done) {
    const std::int32_t own = rt_.rank().value();
    const Arrival last = co_await rt_.allreduce<&later>(Arrival{roam::seconds(done - begin), own});
    if (last.rank == own) co_return;
    const double wait = std::max(0.0, last.seconds - roam::seconds(done - begin));
    roam::offload::waited_for(rt_, own == 0 ? last.rank : 0,
                              roam::from_seconds(wait * rt_.workers()));
  }

  roam::Runtime& rt_;
  const Settings& settings_;
  Cells cells_;
  std::vector<std::optional<roam::offload::Result<Prediction>>> early_;  // by cell
  std::vector<std::pair<std::size_t, roam::offload::Result<Prediction>>> came_early_;
};

std::uint64_t join_checksums(std::uint64_t a, std::uint64_t b) {
  return (a ^ (b + 0x9E3779B97F4A7C15ULL)) * 0x100000001b3ULL;
}

}  // namespace

roam::Task<> run_steps(roam::Runtime& rt, const Settings& settings, Result& result) {
  Stepper stepper(rt, settings);
  co_await stepper.show_rim(0);
  co_await rt.barrier();
  for (std::uint32_t number = 0; number < settings.steps; ++number) {
    if (number == std::min(settings.warm_up, settings.steps - 1)) rt.begin_measurement();
    const roam::Instant begin = rt.now();
    co_await stepper.step(number);
    if (rt.rank() == 0) result.step_seconds.push_back(roam::seconds(rt.now() - begin));
  }
  const auto checksum = co_await rt.reduce<&join_checksums>(0, stepper.cells().checksum());
  const roam::RunSummary summary = co_await rt.summarise_statistics();
  if (rt.rank() != 0) co_return;
  result.checksum = checksum.value_or(0);
  result.summary = summary;
  result.offloading = roam::offload::Offloader::of(rt).step_records();
}

}  // namespace amr_steps
