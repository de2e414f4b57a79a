// SPDX-License-Identifier: Apache-2.0
#include <roam/roam.hpp>
#include <string>
#include <vector>

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
  // Roam's options are taken out of a copy first, so that the rest are this program's.
  std::vector<char*> arguments(argv, argv + argc + 1);
  int left = argc;
  uts::Settings settings;
  const auto program = [&settings](roam::Runtime& rt) { return run(rt, settings); };
  try {
    const roam::ParsedArguments parsed = roam::take_options(left, arguments.data());
    if (!parsed.help) {
      const int status = uts::read_settings(left, arguments.data(), settings);
      if (status >= 0) return status;
    }
  } catch (const roam::ConfigError&) {
    // Reported below.
  }
  return roam::run(argc, argv, program);
}
