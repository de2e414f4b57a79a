// SPDX-License-Identifier: Apache-2.0
#include <roam/roam.hpp>

#include "element.hpp"
#include "report.hpp"
#include "settings.hpp"

namespace kneighbor {

namespace {

roam::Task<> iterate(roam::Runtime& rt, const Settings& settings) {
  if (const std::string problem = support::problem_with(settings.start, rt.size());
      !problem.empty()) {
    throw roam::Error(problem);
  }
  Figures figures;
  figures.ranks = rt.size();
  figures.balancer = rt.options().balancer.name;
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
  co_await rt.quiescence();
  rt.begin_measurement();
  const roam::Instant begin = rt.now();
  figures.phases.begin(begin);
  for (std::int32_t i = 0; i < settings.iterations; ++i) {
    if (rt.rank() == 0) ring.broadcast<&Element::run>(settings.rounds);
    figures.phases.note(co_await rt.phase(), settings.rounds);
  }
  figures.total_seconds = roam::seconds(rt.now() - begin);
  rt.end_measurement();
  figures.run = co_await rt.summarise_statistics();
  if (rt.rank() != 0) co_return;
  figures.counts = co_await ring.reduce<&Element::counts, std::plus<>>();
  check(settings, figures.counts);
  report(settings, figures);
}

}  // namespace
}  // namespace kneighbor

int main(int argc, char** argv) {
  return roam::main(argc, argv, kneighbor::read_settings, kneighbor::iterate);
}
