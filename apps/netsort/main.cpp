// SPDX-License-Identifier: Apache-2.0
#include <roam/roam.hpp>
#include <vector>

#include "settings.hpp"
#include "sort.hpp"

int main(int argc, char** argv) {
  // Roam's options are taken out of a copy first, so that the rest are this program's.
  std::vector<char*> arguments(argv, argv + argc + 1);
  int left = argc;
  netsort::Settings settings;
  const auto program = [&settings](roam::Runtime& rt) { return netsort::sort(rt, settings); };
  try {
    const roam::ParsedArguments parsed = roam::take_options(left, arguments.data());
    if (!parsed.help) {
      const int status = netsort::read_settings(left, arguments.data(), settings);
      if (status >= 0) return status;
    }
  } catch (const roam::ConfigError&) {
    // Reported below.
  }
  return roam::run(argc, argv, program);
}
