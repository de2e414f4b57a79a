// SPDX-License-Identifier: Apache-2.0
// The same with MPI alone: each process has one patch of the box, and stays with it.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "settings.hpp"
#include "support/mpi/most_over_mean.hpp"
#include "support/mpi/plain_program.hpp"
#include "support/mpi/rank_grid.hpp"

namespace simple_pic {

namespace {

using Ranks = support::RankGrid<3>;

std::int64_t sum_of(std::int64_t own) {
  std::int64_t sum = 0;
  MPI_Allreduce(&own, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

/// Exchanges particles with the six neighbours; those that have to go on replace the others.
void pass(Patch& patch, const Ranks& ranks, Migrants& out, Migrants& come) {
  support::Mail<Particle> mail;
  for (int side = 0; side < 6; ++side)
    mail.send(out.through[static_cast<std::size_t>(side)],
              ranks.neighbour(side / 2, side % 2 == 0 ? -1 : 1), side);
  for (int side = 0; side < 6; ++side)
    mail.receive(come.through[static_cast<std::size_t>(side)],
                 ranks.neighbour(side / 2, side % 2 == 0 ? 1 : -1), side);
  mail.finish();
  for (auto& sent : out.through) sent.clear();
  for (const auto& particles : come.through) patch.take(particles, out);
}

int run(const Settings& settings) {
  const Ranks ranks;
  Box box = settings.box;
  box.patches = ranks.extent();
  for (std::size_t d = 0; d < 3; ++d)
    if (box.patches[d] > box.cells[d]) throw std::runtime_error("more processes than cells");
  Patch patch(box, ranks.at());
  Streamed streamed;
  Migrants come;
  std::int64_t at_step = 0;
  std::vector<double> counts;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int step = 0; step < settings.steps; ++step) {
    at_step += settings.sign_of(step);
    counts.push_back(static_cast<double>(patch.size()));
    Migrants out = patch.move(settings.sign_of(step));
    int rounds = 0;
    for (std::int64_t left = sum_of(out.count()); left > 0; left = sum_of(out.count())) {
      if (rounds++ == 0) streamed.migrants += left;
      pass(patch, ranks, out, come);
    }
    streamed.most_rounds = std::max(streamed.most_rounds, rounds);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  streamed.seconds = MPI_Wtime() - begin;
  const Found own = patch.check(box, at_step);
  streamed.found.particles =
      static_cast<std::uint64_t>(sum_of(static_cast<std::int64_t>(own.particles)));
  streamed.found.ids = static_cast<std::uint64_t>(sum_of(static_cast<std::int64_t>(own.ids)));
  streamed.found.misplaced =
      static_cast<std::uint64_t>(sum_of(static_cast<std::int64_t>(own.misplaced)));
  const double bound = support::most_over_mean(counts, static_cast<double>(box.particles()));
  if (ranks.rank() != 0) return 0;
  report(settings, streamed);
  std::printf("most over mean       %.4f\n", bound);
  return 0;
}

}  // namespace

}  // namespace simple_pic

int main(int argc, char** argv) {
  return support::plain_main<simple_pic::Settings>(argc, argv, simple_pic::read_settings,
                                                   simple_pic::run);
}
