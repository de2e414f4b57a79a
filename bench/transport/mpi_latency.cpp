// SPDX-License-Identifier: Apache-2.0
// One-way time of a message between two ranks over the MPI endpoint alone, without handlers,
// workers and serialisation, against MPI_Send and MPI_Recv, in turn in one pair of processes. Large
// ones also as bulk transfers into a buffer of their own.
//   mpirun -n 2 --bind-to core bench_mpi_latency [--short] [--repeats N] [--json FILE]
#include <mpi.h>

#include <cstdio>
#include <memory>
#include <utility>

#include "../support/raw_mpi.hpp"
#include "roam/core/buffer_pool.hpp"
#include "roam/transport/mpi/mpi_network.hpp"

namespace {

using roam::Rank;
using roam::core::Buffer;
using roam::transport::BulkTag;

struct Counter final : roam::transport::Sink {
  void message(Rank /*source*/, Buffer data) override { last = std::move(data), ++count; }
  void bulk(Rank /*source*/, BulkTag /*tag*/, Buffer data) override {
    last = std::move(data), ++count;
  }
  void peer_failed(Rank peer, const char* reason) override {
    std::fprintf(stderr, "%d: %s\n", peer.value(), reason);
  }
  Buffer last;
  int count = 0;
};

/// One rank's endpoint, for the time of a phase. `count` blocks of `rounds` there and back.
class Player {
 public:
  explicit Player(roam::transport::Network& network)
      : endpoint_(network.endpoint(network.local_ranks().front())),
        rank_(endpoint_->rank().value()) {}
  ~Player() { endpoint_->close(false); }

  /// Seconds one way.
  double message(std::size_t bytes, int count, int rounds) {
    const auto send = [&] {
      Buffer data = pool_->take(bytes);
      data.set_size(bytes);
      endpoint_->send(1 - rank_, std::move(data));
    };
    return time(count, rounds, send, [&] { await(); });
  }
  /// The receiver knows size and tag beforehand, as after a message that announced them.
  double bulk(std::size_t bytes, int count, int rounds) {
    const auto pool = roam::core::BufferPool::create(bytes, 4);
    const auto last = static_cast<BulkTag>(rounds * (count + 2));
    BulkTag sent = 0;
    BulkTag received = 0;
    endpoint_->receive_bulk(1 - rank_, 0, bytes);
    const auto send = [&] {
      Buffer data = pool->take();
      data.set_size(bytes);
      endpoint_->send_bulk(1 - rank_, sent++, std::move(data));
    };
    const auto receive = [&] {
      await();
      if (++received < last) endpoint_->receive_bulk(1 - rank_, received, bytes);
    };
    return time(count, rounds, send, receive);
  }

 private:
  void await() {
    const int before = sink_.count;
    while (sink_.count == before) endpoint_->progress(sink_, 16);
  }
  template <class Send, class Receive>
  double time(int count, int rounds, Send&& send, Receive&& receive) {
    bench::Blocks blocks;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < rounds * (count + 2); ++i) {
      if (i == 2 * rounds) blocks.begin(count, rounds);
      if (rank_ == 0) send();
      receive();
      if (rank_ == 1) send();
      if (i >= 2 * rounds) static_cast<void>(blocks.next());
    }
    while (endpoint_->unsent_bytes() != 0) endpoint_->progress(sink_, 16);
    return blocks.seconds_per_round() / 2;
  }

  std::unique_ptr<roam::transport::Endpoint> endpoint_;
  const int rank_;
  roam::core::BufferPool::Handle pool_ = roam::core::BufferPool::create(65536);
  Counter sink_;
};

}  // namespace

int main(int argc, char** argv) {
  bench::RawMpi mpi(argc, argv);
  if (!mpi.has_two_ranks()) return 2;
  const bench::Settings settings = bench::read_settings(argc, argv);
  bench::Report report("a message over the MPI endpoint alone, one way", "MPI_Send+Recv", "us");
  const auto compare = [&](std::size_t bytes, const char* series, auto measure) {
    const int count = bench::blocks_for(bytes, settings.is_short);
    const int rounds = bench::rounds_for(bytes);
    const double raw = mpi.one_way(bytes, count, rounds);
    const auto network = roam::transport::make_mpi_network(MPI_COMM_WORLD);
    Player player(*network);
    report.add({bench::size_name(bytes) + ", " + series, series, bytes}, raw,
               measure(player, count, rounds));
  };
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    for (const std::size_t bytes : {8, 64, 512, 4096, 16384, 65536}) {
      compare(bytes, "message", [bytes](Player& player, int count, int rounds) {
        return player.message(bytes, count, rounds);
      });
    }
    for (const std::size_t bytes : {65536, 262144, 1 << 20, 4 << 20}) {
      compare(bytes, "bulk", [bytes](Player& player, int count, int rounds) {
        return player.bulk(bytes, count, rounds);
      });
    }
  }
  if (mpi.rank() == 0) report.finish(settings);
  return 0;
}
