// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <roam/roam.hpp>

#include "element.hpp"
#include "report.hpp"
#include "settings.hpp"

namespace kneighbor {

namespace {

roam::Task<> iterate(roam::Runtime& rt, const Settings& settings) {
  support::require(settings.start, rt);
  Ring ring;
  if (rt.rank() == 0) {
    const roam::Index<1> extent{settings.elements};
    ring = co_await rt.create_collection<Element>(extent, support::placement_of<1>(settings.start));
    const Pattern pattern{ring,
                          settings.neighbours,
                          settings.bytes,
                          settings.work_seconds,
                          settings.byte_seconds,
                          settings.is_quadratic};
    co_await ring.for_all<&Element::set>(pattern);
  }
  const std::int64_t rounds = settings.rounds;
  const std::function<void(std::int64_t, std::int64_t)> go_on = [&](std::int64_t first,
                                                                    std::int64_t last) {
    ring.broadcast<&Element::run>(static_cast<std::int32_t>(last - first));
  };
  const support::RunFigures figures =
      co_await support::run_in_phases(rt, rounds * settings.iterations, rounds, go_on);
  if (rt.rank() != 0) co_return;
  const Counts counts = co_await ring.reduce<&Element::counts, std::plus<>>();
  check(settings, counts);
  report(settings, figures, counts);
}

}  // namespace
}  // namespace kneighbor

int main(int argc, char** argv) {
  return roam::main(argc, argv, kneighbor::read_settings, kneighbor::iterate);
}
