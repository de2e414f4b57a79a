// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <roam/offload/offload.hpp>

#include "cells.hpp"

namespace amr_steps {

namespace {

/// What a rank shows its neighbour: at the beginning of the present step and of the next one, since
/// the neighbour may be a step ahead of it.
struct Rim {
  std::array<double, 2> values{};
  [[nodiscard]] double& of_step(std::uint32_t step) { return values[step % 2]; }
};

double rim_of_step(std::uint32_t step) { return roam::here().local<Rim>().of_step(step); }

roam::Task<double> step(roam::Runtime& rt, const Settings& settings, Cells& cells,
                        std::uint32_t number) {
  const auto left = static_cast<std::int32_t>((rt.rank().value() + rt.size() - 1) % rt.size());
  const double from_left = co_await rt.request<&rim_of_step>(left, number);
  const auto outputs =
      static_cast<std::uint32_t>(std::max<std::size_t>(1, settings.output_bytes / sizeof(double)));
  const double other = settings.task_seconds * settings.other_share / (1 - settings.other_share);
  std::vector<roam::offload::Result<void>> corrected;
  corrected.reserve(cells.size());
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    const auto correct = [&rt, &cells, cell, from_left, other](std::vector<double>&& prediction) {
      cells.correct(cell, prediction, from_left);
      rt.compute(roam::from_seconds(other));
    };
    corrected.push_back(roam::offload::spawn_then<&predict>(rt, correct, cells.input(cell), outputs,
                                                            settings.task_seconds));
  }
  const auto& delay = settings.delay;
  if (delay && delay->rank == rt.rank().value() && number % delay->every == delay->every - 1)
    rt.compute(roam::from_seconds(delay->seconds));
  co_await roam::offload::when_all(std::move(corrected));
  rt.local<Rim>().of_step(number + 1) = cells.rim();
  const double next_step = co_await rt.allreduce<roam::Min>(1.0 + from_left * from_left);
  roam::offload::next_step(rt);
  co_return next_step;
}

std::uint64_t join_checksums(std::uint64_t a, std::uint64_t b) {
  return (a ^ (b + 0x9E3779B97F4A7C15ULL)) * 0x100000001b3ULL;
}

}  // namespace

roam::Task<> run_steps(roam::Runtime& rt, const Settings& settings, Result& result) {
  Cells cells(settings, rt.rank().value());
  rt.local<Rim>().of_step(0) = cells.rim();
  co_await rt.barrier();
  for (std::uint32_t number = 0; number < settings.steps; ++number) {
    if (number == std::min(settings.warm_up, settings.steps - 1)) rt.begin_measurement();
    const roam::Instant begin = rt.now();
    (void)co_await step(rt, settings, cells, number);
    if (rt.rank() == 0) result.step_seconds.push_back(roam::seconds(rt.now() - begin));
  }
  const auto checksum = co_await rt.reduce<&join_checksums>(0, cells.checksum());
  const roam::RunSummary summary = co_await rt.summarise_statistics();
  if (rt.rank() != 0) co_return;
  result.checksum = checksum.value_or(0);
  result.summary = summary;
}

}  // namespace amr_steps
