// SPDX-License-Identifier: Apache-2.0
// The same molecular dynamics with MPI alone: each process has a block of consecutive cells and
// does the steps in order. Along each axis, one message goes to each process that has neighbours.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <vector>

#include "report.hpp"
#include "settings.hpp"
#include "support/mpi/plain_program.hpp"

namespace md {

namespace {

/// A process's communication.
class MpiExchange final : public Exchange {
 public:
  explicit MpiExchange(const Grid& grid) : grid_(grid) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    for (std::size_t axis = 0; axis < 3; ++axis) plan(axis);
  }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int ranks() const { return ranks_; }
  [[nodiscard]] std::int64_t begin() const { return begin_of(rank_); }
  [[nodiscard]] std::int64_t end() const { return begin_of(rank_ + 1); }

  void pass(std::size_t axis, std::vector<Sides<Atom>>& sides) override { pass_any(axis, sides); }
  void pass(std::size_t axis, std::vector<Sides<Vec3>>& sides) override { pass_any(axis, sides); }
  [[nodiscard]] double largest(double value) override {
    double all = 0;
    MPI_Allreduce(&value, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
  }
  [[nodiscard]] StepResult sum(const std::vector<StepResult>& of_cells) override {
    std::vector<StepResult> all(static_cast<std::size_t>(grid_.count()));
    std::vector<int> counts;
    std::vector<int> places;
    for (int rank = 0; rank < ranks_; ++rank) {
      const auto size = static_cast<std::int64_t>(sizeof(StepResult));
      counts.push_back(static_cast<int>((begin_of(rank + 1) - begin_of(rank)) * size));
      places.push_back(static_cast<int>(begin_of(rank) * size));
    }
    MPI_Allgatherv(of_cells.data(), counts[static_cast<std::size_t>(rank_)], MPI_BYTE, all.data(),
                   counts.data(), places.data(), MPI_BYTE, MPI_COMM_WORLD);
    return sum_of(all.data(), all.size());
  }

 private:
  /// One side of one of the process's cells.
  struct Side {
    std::size_t cell;
    bool is_upper;
  };
  /// What goes to, and comes from, one process along one axis. Both are in the order of the cells
  /// that get it.
  struct Peer {
    std::vector<Side> sent;
    std::vector<Side> received;
    std::vector<char> bytes;  // sent
  };

  [[nodiscard]] std::int64_t begin_of(int rank) const { return grid_.count() * rank / ranks_; }
  [[nodiscard]] int owner(std::int64_t cell) const {
    int rank = static_cast<int>(cell * ranks_ / grid_.count());
    while (begin_of(rank + 1) <= cell) ++rank;
    while (begin_of(rank) > cell) --rank;
    return rank;
  }

  void plan(std::size_t axis) {
    struct Route {
      std::int64_t to;
      bool comes_from_upper;
      Side side;
      int peer;
    };
    std::vector<Route> sent;
    for (std::int64_t cell = begin(); cell < end(); ++cell) {
      for (const bool is_upper : {false, true}) {
        const auto own = static_cast<std::size_t>(cell - begin());
        const std::int64_t other =
            grid_.number_of(grid_.beside(grid_.index_of(cell), axis, is_upper));
        sent.push_back({other, !is_upper, {own, is_upper}, owner(other)});
        peers_[axis][owner(other)].received.push_back({own, is_upper});
      }
    }
    std::ranges::sort(
        sent, {}, [](const Route& route) { return std::pair(route.to, route.comes_from_upper); });
    for (const Route& route : sent) peers_[axis][route.peer].sent.push_back(route.side);
  }

  template <class T>
  void pass_any(std::size_t axis, std::vector<Sides<T>>& sides) {
    std::vector<MPI_Request> requests;
    for (auto& [rank, peer] : peers_[axis]) {
      pack(peer, sides);
      if (rank == rank_) continue;
      MPI_Isend(peer.bytes.data(), static_cast<int>(peer.bytes.size()), MPI_BYTE, rank,
                static_cast<int>(axis), MPI_COMM_WORLD, &requests.emplace_back());
    }
    for (auto& [rank, peer] : peers_[axis]) {
      if (rank == rank_) {
        unpack(peer, peer.bytes, sides);
        continue;
      }
      MPI_Status status;
      MPI_Probe(rank, static_cast<int>(axis), MPI_COMM_WORLD, &status);
      int size = 0;
      MPI_Get_count(&status, MPI_BYTE, &size);
      received_.resize(static_cast<std::size_t>(size));
      MPI_Recv(received_.data(), size, MPI_BYTE, rank, static_cast<int>(axis), MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
      unpack(peer, received_, sides);
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }

  template <class T>
  [[nodiscard]] static std::vector<T>& values_of(std::vector<Sides<T>>& sides, const Side& side) {
    Sides<T>& of_cell = sides[side.cell];
    return side.is_upper ? of_cell.upper : of_cell.lower;
  }

  /// Writes, for each side, the number of values and the values.
  template <class T>
  static void pack(Peer& peer, std::vector<Sides<T>>& sides) {
    std::size_t size = 0;
    for (const Side& side : peer.sent)
      size += sizeof(std::size_t) + values_of(sides, side).size() * sizeof(T);
    peer.bytes.resize(size);
    char* to = peer.bytes.data();
    for (const Side& side : peer.sent) {
      const std::vector<T>& values = values_of(sides, side);
      const std::size_t count = values.size();
      std::memcpy(to, &count, sizeof(count));
      to += sizeof(count);
      if (count > 0) std::memcpy(to, values.data(), count * sizeof(T));
      to += count * sizeof(T);
    }
  }

  template <class T>
  static void unpack(const Peer& peer, const std::vector<char>& bytes,
                     std::vector<Sides<T>>& sides) {
    const char* from = bytes.data();
    for (const Side& side : peer.received) {
      std::size_t count = 0;
      std::memcpy(&count, from, sizeof(count));
      from += sizeof(count);
      std::vector<T>& values = values_of(sides, side);
      values.resize(count);
      if (count > 0) std::memcpy(values.data(), from, count * sizeof(T));
      from += count * sizeof(T);
    }
  }

  Grid grid_;
  int rank_ = 0;
  int ranks_ = 1;
  std::array<std::map<int, Peer>, 3> peers_;
  std::vector<char> received_;
};

/// The values of all processes, one process after the other, on process 0.
template <class T>
std::vector<T> gather(const std::vector<T>& own, const MpiExchange& exchange) {
  const int size = static_cast<int>(own.size() * sizeof(T));
  std::vector<int> counts(static_cast<std::size_t>(exchange.ranks()));
  MPI_Gather(&size, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  std::vector<int> places;
  int total = 0;
  for (const int count : counts) {
    places.push_back(total);
    total += count;
  }
  std::vector<T> all(static_cast<std::size_t>(total) / sizeof(T));
  MPI_Gatherv(own.data(), size, MPI_BYTE, all.data(), counts.data(), places.data(), MPI_BYTE, 0,
              MPI_COMM_WORLD);
  return all;
}

/// Returns the exit status, on process 0.
int run(const Settings& settings) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (settings.model.grid.count() < ranks) {
    if (rank == 0) std::fprintf(stderr, "md_mpi: there are fewer cells than processes\n");
    return 2;
  }
  MpiExchange exchange(settings.model.grid);
  ListRun own(settings.model, exchange, exchange.begin(), exchange.end());
  // The results of all steps are put together at the end.
  std::vector<StepResult> results = own.results();
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (std::int64_t step = 0; step < settings.steps; ++step) {
    own.step();
    results.insert(results.end(), own.results().begin(), own.results().end());
  }
  MPI_Barrier(MPI_COMM_WORLD);
  Outcome outcome;
  outcome.seconds = MPI_Wtime() - begin;
  outcome.ranks = exchange.ranks();
  outcome.list_builds = own.list_builds();
  for (std::size_t first = 0; first < results.size(); first += own.results().size()) {
    const auto at = results.begin() + static_cast<std::ptrdiff_t>(first);
    outcome.results.push_back(
        exchange.sum({at, at + static_cast<std::ptrdiff_t>(own.results().size())}));
  }
  std::vector<Summary> summaries;
  Snapshot snapshot;
  for (const ListCell& cell : own.cells()) {
    summaries.push_back(summary_of(cell));
    if (needs_snapshot(settings)) snapshot.add(snapshot_of(cell));
  }
  for (const Summary& summary : gather(summaries, exchange))
    outcome.summary = outcome.summary + summary;
  outcome.snapshot = {gather(snapshot.atoms, exchange), gather(snapshot.forces, exchange)};
  if (exchange.rank() != 0) return 0;
  check(settings, outcome);
  report(settings, outcome);
  return 0;
}

}  // namespace

}  // namespace md

int main(int argc, char** argv) {
  return support::plain_main<md::Settings>(argc, argv, md::read_settings, md::run);
}
