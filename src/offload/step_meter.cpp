// SPDX-License-Identifier: Apache-2.0
#include "step_meter.hpp"

namespace roam::offload {

StepMeter::StepMeter(const exec::Engine& engine, const HomeTasks& tasks, const Guests& guests)
    : engine_(engine), tasks_(tasks), guests_(guests) {}

StepMeter::Reading StepMeter::read() const {
  Reading reading{.when = engine_.now(),
                  .idle = engine_.idle_time(),
                  .home = tasks_.counts(),
                  .guests = guests_.counts()};
  for (WorkerIndex worker = 0; worker < engine_.workers(); ++worker) {
    reading.busy += engine_.stats(worker).busy();
  }
  return reading;
}

RankStep StepMeter::take(Rank rank) {
  const Reading now = read();
  const auto since = [](double after, double before) { return static_cast<float>(after - before); };
  const auto count = [](std::uint64_t after, std::uint64_t before) {
    return static_cast<std::uint32_t>(after - before);
  };
  RankStep step;
  step.rank = rank.value();
  step.workers = engine_.workers();
  step.seconds = static_cast<float>(seconds(now.when - last_.when));
  step.idle_seconds = static_cast<float>(seconds(now.idle - last_.idle));
  step.busy_seconds = static_cast<float>(seconds(now.busy - last_.busy));
  step.guest_seconds = since(now.guests.computed_seconds, last_.guests.computed_seconds);
  step.task_seconds = static_cast<float>(tasks_.task_seconds());
  step.tasks = count(now.home.spawned, last_.home.spawned);
  step.computed = count(now.home.computed, last_.home.computed);
  step.away = count(now.home.returned, last_.home.returned);
  step.away_excess_seconds =
      since(now.home.returned_stated_seconds, last_.home.returned_stated_seconds) -
      step.task_seconds * static_cast<float>(now.home.returned_stated - last_.home.returned_stated);
  step.guests = count(now.guests.computed, last_.guests.computed);
  step.keeps = tasks_.keeps();
  step.recomputed = count(now.home.recomputed, last_.home.recomputed);
  step.in_vain = count(now.home.late, last_.home.late);
  const std::uint32_t shipped = count(now.home.shipped, last_.home.shipped);
  if (shipped > 0)
    step.ship_seconds =
        since(now.home.ship_seconds, last_.home.ship_seconds) / static_cast<float>(shipped);
  last_ = now;
  return step;
}

}  // namespace roam::offload
