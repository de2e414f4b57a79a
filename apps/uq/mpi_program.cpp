// SPDX-License-Identifier: Apache-2.0
// The same ensemble with MPI alone: each process has a block of the tasks of each round.
#include <mpi.h>

#include <vector>

#include "support/mpi/plain_program.hpp"
#include "uq/report.hpp"
#include "uq/settings.hpp"

namespace uq {

namespace {

Outcome sample(const Ensemble& ensemble) {
  Outcome outcome;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &outcome.ranks);
  std::vector<int> counts;  // of bytes
  std::vector<int> places;
  for (int other = 0; other < outcome.ranks; ++other) {
    const std::int64_t first = ensemble.tasks * other / outcome.ranks;
    const std::int64_t end = ensemble.tasks * (other + 1) / outcome.ranks;
    const auto size = static_cast<std::int64_t>(sizeof(Statistics));
    counts.push_back(static_cast<int>((end - first) * size));
    places.push_back(static_cast<int>(first * size));
  }
  const std::int64_t begin = ensemble.tasks * rank / outcome.ranks;
  const std::int64_t end = ensemble.tasks * (rank + 1) / outcome.ranks;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin_time = MPI_Wtime();
  const Mesh mesh(ensemble.field, ensemble.elements);
  std::vector<Statistics> own;
  std::vector<Statistics> all(static_cast<std::size_t>(ensemble.tasks));
  while (outcome.rounds < ensemble.rounds && !ensemble.is_enough(outcome.statistics)) {
    own.clear();
    for (std::int64_t task = begin; task < end; ++task)
      own.push_back(statistics_of(solve(ensemble, mesh, outcome.rounds, task)));
    MPI_Allgatherv(own.data(), counts[static_cast<std::size_t>(rank)], MPI_BYTE, all.data(),
                   counts.data(), places.data(), MPI_BYTE, MPI_COMM_WORLD);
    outcome.statistics = Merge()(outcome.statistics, merged(all.data(), all.size()));
    ++outcome.rounds;
  }
  outcome.seconds = MPI_Wtime() - begin_time;
  return outcome;
}

/// Returns the exit status, on process 0.
int run(const Settings& settings) {
  const Outcome outcome = sample(settings.ensemble);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return 0;
  check(settings, outcome);
  report(settings, outcome);
  return 0;
}

}  // namespace

}  // namespace uq

int main(int argc, char** argv) {
  return support::plain_main<uq::Settings>(argc, argv, uq::read_settings, uq::run);
}
