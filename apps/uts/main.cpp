// SPDX-License-Identifier: Apache-2.0
#include <roam/roam.hpp>
#include <string>

#include "search.hpp"
#include "settings.hpp"

namespace {

roam::Task<> run(roam::Runtime& rt, const uts::Settings& settings) {
  uts::Result result;
  co_await uts::search(rt, settings, result);
  if (rt.rank() != 0) co_return;
  uts::check_nodes(settings, result);
  uts::print_report(settings, result);
  if (uts::efficiency(result) >= settings.least_efficiency) co_return;
  throw roam::Error("the efficiency is " + std::to_string(uts::efficiency(result)) +
                    ", less than " + std::to_string(settings.least_efficiency));
}

}  // namespace

int main(int argc, char** argv) {
  // Depth first by default: whole levels of the tree would not fit into any cache.
  roam::Options defaults;
  defaults.scheduler.name = "lifo";
  return roam::main(argc, argv, uts::read_settings, run, defaults);
}
