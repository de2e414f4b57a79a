// SPDX-License-Identifier: Apache-2.0
#include "uq/settings.hpp"

#include <map>
#include <string>

#include "support/command_line.hpp"

namespace uq {

std::vector<Pack> solve(const Ensemble& ensemble, const Mesh& mesh, std::int64_t round,
                        std::int64_t task) {
  std::vector<Pack> solutions;
  std::int64_t sample = round * ensemble.samples_of_round() + task * ensemble.samples_of_task();
  for (std::int64_t pack = 0; pack < ensemble.packs; ++pack) {
    if (!ensemble.one_by_one) {
      solutions.push_back(solve_pack(mesh, ensemble.field, sample));
      sample += static_cast<std::int64_t>(pack_size);
      continue;
    }
    for (double& solution : solutions.emplace_back())
      solution = solve_one(mesh, ensemble.field, sample++);
  }
  return solutions;
}

Statistics statistics_of(const std::vector<Pack>& packs) {
  std::vector<Statistics> all;
  all.reserve(packs.size());
  for (const Pack& pack : packs) all.push_back(statistics_of(pack));
  return merged(all.data(), all.size());
}

int read_settings(int argc, char** argv, Settings& settings) {
  CLI::App app(
      "An ensemble: -(a u')' = 1, u(0) = u(1) = 0, solved for many random coefficients a, eight at "
      "a time; mean and variance of u(1/2) against the closed form.\n"
      "uq is a flow program, and Roam's own options are listed by --roam-help; uq_mpi uses MPI "
      "alone.");
  const std::map<std::string, Kind> kinds{
      {"constant", Kind::constant}, {"layers", Kind::layers}, {"graded", Kind::graded}};
  Ensemble& ensemble = settings.ensemble;
  app.add_option("--field", ensemble.field.kind,
                 "a is A (constant), A left and B right of the middle (layers), or A (1 + x) "
                 "(graded); A and B are random")
      ->transform(CLI::CheckedTransformer(kinds))
      ->default_str("layers");
  app.add_option("--low", ensemble.field.low, "the least value of A and B")
      ->check(CLI::Range(1e-6, 1e6))
      ->capture_default_str();
  app.add_option("--high", ensemble.field.high, "the largest value of A and B")
      ->check(CLI::Range(1e-6, 1e6))
      ->capture_default_str();
  app.add_option("--seed", ensemble.field.seed, "of the random numbers")->capture_default_str();
  app.add_option("--elements", ensemble.elements, "of the mesh; an even number")
      ->check(CLI::Range(2, 10'000'000))
      ->capture_default_str();
  app.add_option("--rounds", ensemble.rounds, "of tasks")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  app.add_option("--tasks", ensemble.tasks, "of a round")
      ->check(CLI::Range(1, 10'000'000))
      ->capture_default_str();
  app.add_option("--packs", ensemble.packs, "of eight samples, of a task")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--tolerance", ensemble.tolerance,
                 "ends after a round when the standard error is at most this part of the mean; 0: "
                 "after all rounds")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_flag("--one-by-one", ensemble.one_by_one,
               "solve for one sample at a time instead of eight: the same result, more slowly");
  app.add_option("--element-seconds", settings.element_seconds,
                 "time for each element and sample, on simulated machines")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  return support::parse(app, argc, argv, [&] {
    if (ensemble.field.high < 1.01 * ensemble.field.low)
      throw CLI::ValidationError("--high: must be at least 1.01 times --low");
    if (ensemble.elements % 2 != 0)
      throw CLI::ValidationError("--elements: must be even, so that 1/2 is a node");
  });
}

}  // namespace uq
