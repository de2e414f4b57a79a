// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include "support/command_line.hpp"

namespace kneighbor {

namespace {

void check_together(const Settings& settings) {
  if (settings.elements > 2 * settings.neighbours) return;
  throw CLI::ValidationError("--elements: " + std::to_string(settings.elements) +
                             " elements have no " + std::to_string(settings.neighbours) +
                             " different neighbours on each side; " +
                             std::to_string(2 * settings.neighbours + 1) + " have");
}

}  // namespace

int read_settings(int argc, char** argv, Settings& settings) {
  CLI::App app(
      "A ring of elements, each of which sends messages to its nearest neighbours on both sides "
      "and "
      "waits until they have come back: the benchmark kNeighbor. Nothing but communication.\n"
      "Roam's own options are listed by --roam-help.");
  app.add_option("--elements", settings.elements, "of the ring")
      ->check(CLI::Range(3, 100'000'000))
      ->capture_default_str();
  app.add_option("--neighbours", settings.neighbours, "on each side")
      ->check(CLI::Range(1, 1'000))
      ->capture_default_str();
  app.add_option("--iterations", settings.iterations, "with a phase at the end of each")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  app.add_option("--rounds", settings.rounds, "of an iteration: all messages sent and come back")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  app.add_option("--bytes", settings.bytes, "of a message")
      ->check(CLI::Range(std::int64_t{16}, std::int64_t{1} << 30))
      ->capture_default_str();
  app.add_option("--work-seconds", settings.work_seconds,
                 "time that an element computes in each round: a spin, or virtual time")
      ->check(CLI::Range(0.0, 1e3))
      ->capture_default_str();
  app.add_option("--byte-seconds", settings.byte_seconds,
                 "time in which a byte of a message is written, on simulated machines")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_flag("--quadratic", settings.is_quadratic,
               "element i of n works for (i^2/n)^2 of that, scaled to the last one");
  app.add_option("--start", settings.start,
                 "where the elements are at the beginning: in the order of ranks (tree), or as "
                 "apps/support/README.md says")
      ->transform(CLI::CheckedTransformer(support::starts()))
      ->default_str("tree");
  app.add_option("--json", settings.json, "write the figures to this file");
  return support::parse(app, argc, argv, [&] { check_together(settings); });
}

}  // namespace kneighbor
