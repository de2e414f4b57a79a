// SPDX-License-Identifier: Apache-2.0
// How to take messages of unknown size from anybody, by MPI alone: one-way times of MPI_Isend and
// MPI_Test with each way to receive, against blocking MPI_Send and MPI_Recv, in turn in one pair of
// processes. The same with MPI_THREAD_MULTIPLE if asked for; else MPI_THREAD_SERIALIZED.
//   mpirun -n 2 --bind-to core bench_mpi_receive_ways [multiple] [--short] [--repeats N]
//
// In instructions, which no other program of the machine disturbs; each counted_ function executes
// those of 1000 messages of 8 bytes:
//   mpirun -n 2 valgrind --tool=callgrind --callgrind-out-file=counted.%p
//     bench_mpi_receive_ways --lockstep 8
//   callgrind_annotate --inclusive=yes --threshold=100 counted.<process> | grep 'counted_.*\['
#include <mpi.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "../support/arguments.hpp"
#include "../support/raw_mpi.hpp"
#include "../support/receive_ways.hpp"
#include "../support/turn.hpp"

namespace {

template <class Method>
class Pair {
 public:
  explicit Pair(int rank) : peer_(1 - rank) {}

  double one_way(int bytes, int count, int rounds) {
    bench::Blocks blocks;
    for (int i = 0; i < rounds * (count + 2); ++i) {
      if (i == 2 * rounds) blocks.begin(count, rounds);
      if (peer_ == 1) send(bytes);
      receive();
      if (peer_ == 0) send(bytes);
      if (i >= 2 * rounds) static_cast<void>(blocks.next());
    }
    look();  // as an idle rank does, which posts what is to be posted
    return blocks.seconds_per_round() / 2;
  }
  // Short messages have left when MPI_Isend returns, with both libraries.
  void send(int bytes) {
    MPI_Request request = MPI_REQUEST_NULL;
    int sent = 0;
    MPI_Isend(sending_.data(), bytes, MPI_BYTE, peer_, 0, MPI_COMM_WORLD, &request);
    MPI_Test(&request, &sent, MPI_STATUS_IGNORE);
    if (sent == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  void receive() {
    while (!look()) {
    }
  }
  bool look() {
    MPI_Status status;
    return method_.take(receiving_.data(), status);
  }

 private:
  const int peer_;
  Method method_;
  std::vector<char> sending_ = std::vector<char>(bench::largest);
  std::vector<char> receiving_ = std::vector<char>(bench::largest);
};

template <class Method>
[[gnu::noinline]] void counted_send(Pair<Method>& pair, int bytes) {
  pair.send(bytes);
}
template <class Method>
[[gnu::noinline]] void counted_receive(Pair<Method>& pair) {
  pair.receive();
}
template <class Method>
[[gnu::noinline]] bool counted_idle(Pair<Method>& pair) {
  return pair.look();
}

template <class Method>
void play_in_step(const bench::Turn& turn, int rank, int bytes) {
  Pair<Method> pair(rank);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 1000; ++i) {
    turn.take([&] { counted_send(pair, bytes); });
    turn.take([&] { counted_receive(pair); });
    turn.take([&] { static_cast<void>(counted_idle(pair)); });
  }
}

class Comparison {
 public:
  Comparison(bench::RawMpi& mpi, const bench::Settings& settings, const char* title)
      : mpi_(mpi), settings_(settings), report_(title, "MPI_Send+Recv", "us") {}

  template <class Method>
  void measure() {
    for (const int bytes : {8, 64, 512, bench::largest}) {
      const auto size = static_cast<std::size_t>(bytes);
      const int blocks = bench::blocks_for(size, settings_.is_short);
      const int rounds = bench::rounds_for(size);
      const double raw = mpi_.one_way(size, blocks, rounds);
      Pair<Method> pair(mpi_.rank());
      MPI_Barrier(MPI_COMM_WORLD);
      const double ours = pair.one_way(bytes, blocks, rounds);
      MPI_Barrier(MPI_COMM_WORLD);
      std::string row = Method::name;
      row.append(", ").append(bench::size_name(size));
      report_.add(row, raw, ours);
    }
  }
  void finish() const {
    if (mpi_.rank() == 0) report_.finish(settings_);
  }

 private:
  bench::RawMpi& mpi_;
  const bench::Settings settings_;
  bench::Report report_;
};

template <class Visit>
void for_each_way(Visit&& visit) {
  visit.template operator()<bench::PersistentRing>();
  visit.template operator()<bench::LongRing>();
  visit.template operator()<bench::OnePersistent>();
  visit.template operator()<bench::PlainRing>();
  visit.template operator()<bench::Probe>();
  visit.template operator()<bench::MatchedProbe>();
}

}  // namespace

int main(int argc, char** argv) {
  const bool multiple = bench::take_argument(argc, argv, "multiple", false) != nullptr;
  const char* const lockstep = bench::take_argument(argc, argv, "--lockstep", true);
  const bench::Settings settings = bench::read_settings(argc, argv);
  bench::RawMpi mpi(argc, argv, multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_SERIALIZED);
  if (!mpi.has_two_ranks()) return 2;
  if (lockstep != nullptr) {
    const bench::Turn turn(mpi.rank());
    for_each_way(
        [&]<class Method>() { play_in_step<Method>(turn, mpi.rank(), std::atoi(lockstep)); });
    return 0;
  }
  Comparison comparison(
      mpi, settings,
      multiple ? "ways to receive, MPI_THREAD_MULTIPLE, one way" : "ways to receive, one way");
  for (int repeat = 0; repeat < settings.repeats; ++repeat)
    for_each_way([&]<class Method>() { comparison.measure<Method>(); });
  comparison.finish();
  return 0;
}
