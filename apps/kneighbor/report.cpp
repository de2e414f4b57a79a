// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <cinttypes>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace kneighbor {

void check(const Settings& settings, const Counts& counts) {
  const auto rounds =
      static_cast<std::uint64_t>(settings.iterations) * static_cast<std::uint64_t>(settings.rounds);
  const std::uint64_t messages = rounds * static_cast<std::uint64_t>(settings.elements) * 2 *
                                 static_cast<std::uint64_t>(settings.neighbours);
  const std::uint64_t bytes = 2 * messages * static_cast<std::uint64_t>(settings.bytes);
  if (counts.questions == messages && counts.answers == messages && counts.bytes == bytes &&
      counts.wrong_elements == 0) {
    return;
  }
  throw roam::Error("received " + std::to_string(counts.questions) + " messages, " +
                    std::to_string(counts.answers) + " answers, " + std::to_string(counts.bytes) +
                    " bytes instead of " + std::to_string(messages) + ", as many, " +
                    std::to_string(bytes) + "; wrong at " + std::to_string(counts.wrong_elements) +
                    " elements");
}

void report(const Settings& settings, const support::RunFigures& figures, const Counts& counts) {
  figures.print_job();
  std::printf("elements               %14d   with %d neighbours on each side\n", settings.elements,
              settings.neighbours);
  std::printf("iterations             %14d   of %d rounds\n", settings.iterations, settings.rounds);
  figures.print_times();
  std::printf("messages and answers   %14" PRIu64 "   as expected\n",
              counts.questions + counts.answers);
  std::printf("bytes                  %14" PRIu64 "   as expected\n", counts.bytes);
  if (settings.json.empty()) return;
  support::write_json(figures.json("kneighbor", {{"elements", settings.elements},
                                                 {"neighbours", settings.neighbours},
                                                 {"bytes", settings.bytes},
                                                 {"rounds", settings.rounds}}),
                      settings.json);
}

}  // namespace kneighbor
