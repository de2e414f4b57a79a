// SPDX-License-Identifier: Apache-2.0
// The same iteration with MPI alone: each process has one block. In each step it exchanges faces
// with its neighbours and adds to the largest change, for which it waits one step later.
#include <algorithm>

#include "block.hpp"
#include "report.hpp"
#include "settings.hpp"
#include "support/mpi/plain_program.hpp"
#include "support/mpi/rank_grid.hpp"

namespace jacobi {

namespace {

/// The block of a process, and messages to and from its neighbours.
template <int D>
class Part {
 public:
  Part(const support::RankGrid<D>& ranks, const std::array<std::int64_t, D>& cells)
      : ranks_(ranks) {
    std::array<std::int64_t, D> begin{};
    std::array<std::int64_t, D> extent{};
    for (std::size_t d = 0; d < D; ++d) {
      if (ranks.extent()[d] > cells[d]) throw std::runtime_error("more processes than cells");
      begin[d] = ranks.at()[d] * cells[d] / ranks.extent()[d];
      extent[d] = (ranks.at()[d] + 1) * cells[d] / ranks.extent()[d] - begin[d];
    }
    block_ = Block<D>(begin, extent, cells);
    for (std::size_t side = 0; side < 2 * D; ++side) {
      block_.copy_face(side, come_[side]);  // as large as what will come
      beyond_[side] = &come_[side];
    }
  }

  void step() {
    std::vector<MPI_Request> requests;
    for (std::size_t side = 0; side < 2 * D; ++side) {
      if (block_.is_edge(side)) continue;
      MPI_Irecv(come_[side].data(), static_cast<int>(come_[side].size()), MPI_DOUBLE, other(side),
                static_cast<int>(opposite(side)), MPI_COMM_WORLD, &requests.emplace_back());
    }
    for (std::size_t side = 0; side < 2 * D; ++side) {
      if (block_.is_edge(side)) continue;
      block_.copy_face(side, go_[side]);
      MPI_Isend(go_[side].data(), static_cast<int>(go_[side].size()), MPI_DOUBLE, other(side),
                static_cast<int>(side), MPI_COMM_WORLD, &requests.emplace_back());
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    const double change = block_.relax(beyond_);
    MPI_Wait(&reduction_, MPI_STATUS_IGNORE);
    own_change_ = change;
    MPI_Iallreduce(&own_change_, &change_, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &reduction_);
  }

  /// Waits for the last step; the result is that of process 0.
  Result finish() {
    MPI_Wait(&reduction_, MPI_STATUS_IGNORE);
    return {change_, 0, 0};
  }
  [[nodiscard]] std::uint64_t fingerprint() const {
    const std::uint64_t own = block_.fingerprint();
    std::uint64_t sum = 0;
    MPI_Reduce(&own, &sum, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    return sum;
  }

 private:
  [[nodiscard]] int other(std::size_t side) const {
    return ranks_.neighbour(static_cast<int>(side / 2), side % 2 == 0 ? -1 : 1);
  }

  const support::RankGrid<D>& ranks_;
  Block<D> block_;
  std::array<Face, 2 * D> go_;
  std::array<Face, 2 * D> come_;
  std::array<const Face*, 2 * D> beyond_{};
  double own_change_ = 0;
  double change_ = 0;
  MPI_Request reduction_ = MPI_REQUEST_NULL;
};

template <int D>
void iterate(const Settings& settings) {
  const support::RankGrid<D> ranks;
  Part<D> part(ranks, settings.cells<D>());
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int step = 0; step < settings.steps; ++step) part.step();
  Result result = part.finish();
  MPI_Barrier(MPI_COMM_WORLD);
  result.seconds = MPI_Wtime() - begin;
  result.fingerprint = part.fingerprint();
  if (ranks.rank() == 0) report<D>(settings, result, ranks.size());
}

int run(const Settings& settings) {
  settings.dimensions == 2 ? iterate<2>(settings) : iterate<3>(settings);
  return 0;
}

}  // namespace

}  // namespace jacobi

int main(int argc, char** argv) {
  return support::plain_main<jacobi::Settings>(argc, argv, jacobi::read_settings, jacobi::run);
}
