// SPDX-License-Identifier: Apache-2.0
#include <roam/roam.hpp>
#include <vector>

#include "report.hpp"
#include "settings.hpp"

namespace imbalance {

/// An amount of work that is the same in every iteration.
struct Unit {
  double seconds = 0;
  std::int64_t done = 0;
  std::vector<std::uint8_t> data;
  void work() {
    ++done;
    roam::here().compute(roam::from_seconds(seconds));
  }
  [[nodiscard]] std::int64_t count() const { return done; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(seconds, done, data);
  }
};

namespace {

std::vector<roam::mobile_ptr<Unit>> create_units(roam::Runtime& rt, const Settings& settings,
                                                 double& total_seconds) {
  roam::core::Random random(settings.seed * 1'000'003 +
                            static_cast<std::uint64_t>(rt.rank().value()));
  const double position = rt.size() == 1 ? 0.5 : double(rt.rank().value()) / (rt.size() - 1);
  const double factor =
      (1 + (settings.steepness - 1) * position) / (1 + (settings.steepness - 1) / 2);
  std::vector<roam::mobile_ptr<Unit>> units;
  for (std::int32_t i = 0; i < settings.objects_per_rank; ++i) {
    const double variation = 1 + settings.spread * (2 * random.unit() - 1);
    const double seconds =
        settings.mean_seconds * rt.workers() / settings.objects_per_rank * factor * variation;
    total_seconds += seconds;
    units.push_back(
        rt.create<Unit>(Unit{seconds, 0, std::vector<std::uint8_t>(settings.object_bytes)}));
  }
  return units;
}

roam::Task<> iterate(roam::Runtime& rt, const Settings& settings) {
  Figures figures;
  figures.ranks = rt.size();
  figures.balancer = rt.options().balancer.name;
  double my_seconds = 0;
  const auto units = create_units(rt, settings, my_seconds);
  figures.ideal_seconds = (co_await rt.allreduce<std::plus<>>(my_seconds)) /
                          (static_cast<double>(rt.size()) * rt.workers());
  if (rt.rank() == 0) print_header();
  co_await rt.quiescence();
  const roam::Instant begin = rt.now();
  for (std::int32_t i = 0; i < settings.iterations; ++i) {
    for (const auto& unit : units) unit.send<&Unit::work>();
    const auto phase = co_await rt.phase();
    if (rt.rank() != 0) continue;
    figures.phases.push_back(phase);
    print_phase(phase, figures.ideal_seconds);
  }
  figures.total_seconds = roam::seconds(rt.now() - begin);
  std::int64_t done = 0;
  for (const auto& unit : units) done += co_await unit.call<&Unit::count>();
  figures.units_done = co_await rt.allreduce<std::plus<>>(done);
  if (rt.rank() != 0) co_return;
  print_summary(figures);
  if (!settings.json.empty()) write_json(figures, settings.json);
}

}  // namespace
}  // namespace imbalance

int main(int argc, char** argv) {
  return roam::main(argc, argv, imbalance::read_settings, imbalance::iterate);
}
