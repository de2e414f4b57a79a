// SPDX-License-Identifier: Apache-2.0
#include <roam/roam.hpp>
#include <vector>

#include "search.hpp"
#include "settings.hpp"

int main(int argc, char** argv) {
  // Roam's options are taken out of a copy first, so that the rest are this program's.
  std::vector<char*> arguments(argv, argv + argc + 1);
  int left = argc;
  uts::Settings settings;
  const auto program = [&settings](roam::Runtime& rt) { return uts::search(rt, settings); };
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
