// SPDX-License-Identifier: Apache-2.0
// The same benchmark with MPI alone: each process has one patch, and stays with it.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "patch.hpp"
#include "report.hpp"
#include "settings.hpp"
#include "support/mpi/most_over_mean.hpp"
#include "support/mpi/plain_program.hpp"
#include "support/mpi/rank_grid.hpp"

namespace prk_pic {

namespace {

using Ranks = support::RankGrid<2>;

/// Gives the neighbours in direction d the particles that move there, and takes theirs; those that
/// have to go on in direction `out` replace the ones that were sent.
void pass(Patch& patch, const Ranks& ranks, Migrants& others, int d, int out) {
  support::Mail<Particle> mail;
  mail.send(others.low, ranks.neighbour(d, -1), 0);
  mail.send(others.high, ranks.neighbour(d, 1), 1);
  Migrants come;
  mail.receive(come.high, ranks.neighbour(d, -1), 1);
  mail.receive(come.low, ranks.neighbour(d, 1), 0);
  mail.finish();
  others = Migrants{};
  patch.take(come.high, out, others);
  patch.take(come.low, out, others);
}

void step(Patch& patch, const Ranks& ranks, const std::vector<int>& hops) {
  Migrants others = patch.move(hops.empty() ? nowhere : hops.front());
  for (std::size_t i = 0; i < hops.size(); ++i)
    pass(patch, ranks, others, hops[i], i + 1 < hops.size() ? hops[i + 1] : nowhere);
}

Found sum_of(const Found& own) {
  std::array<std::int64_t, 3> mine{own.particles, own.ids, own.misplaced};
  std::array<std::int64_t, 3> all{};
  Found sum;
  MPI_Reduce(mine.data(), all.data(), 3, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(&own.bits, &sum.bits, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  return {all[0], all[1], all[2], sum.bits};
}

int run(const Settings& settings) {
  const Ranks ranks;
  Problem problem = settings.problem;
  problem.patches = ranks.extent();
  problem.check();
  const Population population(problem);
  Patch patch(problem, population, ranks.at());
  std::vector<int> hops;
  for (int d = 0; d < 2; ++d) hops.insert(hops.end(), static_cast<std::size_t>(problem.hops(d)), d);
  std::vector<double> counts;
  step(patch, ranks, hops);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (std::int64_t s = 1; s <= problem.steps; ++s) {
    counts.push_back(static_cast<double>(patch.size()));
    step(patch, ranks, hops);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  Outcome outcome;
  outcome.seconds = MPI_Wtime() - begin;
  outcome.ranks = ranks.size();
  outcome.found = sum_of(patch.check(population, problem.steps + 1));
  const double bound = support::most_over_mean(counts, static_cast<double>(problem.particles));
  if (ranks.rank() != 0) return 0;
  require_right(problem, outcome.found);
  print(problem, outcome);
  std::printf("most over mean       %.4f\n", bound);
  return 0;
}

}  // namespace

}  // namespace prk_pic

int main(int argc, char** argv) {
  return support::plain_main<prk_pic::Settings>(argc, argv, prk_pic::read_settings, prk_pic::run);
}
