// SPDX-License-Identifier: Apache-2.0
// One-way time of a message between two ranks: MPI_Send/MPI_Recv against an Endpoint, alternating
// in one run.
//   mpirun -n 2 bench_mpi_latency
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

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

class Bench {
 public:
  explicit Bench(roam::transport::Network& network)
      : endpoint_(network.endpoint(network.local_ranks().front())),
        rank_(endpoint_->rank().value()) {
    MPI_Comm_dup(MPI_COMM_WORLD, &raw_);
  }
  ~Bench() {
    endpoint_->close(false);
    MPI_Comm_free(&raw_);
  }

  double raw_us(int bytes, int rounds) {
    return time(
        rounds, [&] { MPI_Send(send_.data(), bytes, MPI_BYTE, 1 - rank_, 0, raw_); },
        [&] { MPI_Recv(receive_.data(), bytes, MPI_BYTE, 1 - rank_, 0, raw_, MPI_STATUS_IGNORE); });
  }
  double message_us(int bytes, int rounds) {
    return time(
        rounds,
        [&] {
          Buffer data = pool_->take(static_cast<std::size_t>(bytes));
          data.set_size(static_cast<std::size_t>(bytes));
          endpoint_->send(1 - rank_, std::move(data));
        },
        [&] { await(); });
  }
  // The receiver knows size and tag beforehand, as after a message that announced them.
  double bulk_us(int bytes, int rounds) {
    const auto size = static_cast<std::size_t>(bytes);
    const auto pool = roam::core::BufferPool::create(size, 4);
    const auto last = static_cast<BulkTag>(rounds);
    BulkTag sent = 0;
    BulkTag received = 0;
    endpoint_->receive_bulk(1 - rank_, 0, size);
    return time(
        rounds,
        [&] {
          Buffer data = pool->take();
          data.set_size(size);
          endpoint_->send_bulk(1 - rank_, sent++, std::move(data));
        },
        [&] {
          await();
          if (++received < last) endpoint_->receive_bulk(1 - rank_, received, size);
        });
  }

 private:
  void await() {
    const int before = sink_.count;
    while (sink_.count == before) endpoint_->progress(sink_, 16);
  }
  template <class Send, class Receive>
  double time(int rounds, Send&& send, Receive&& receive) {
    MPI_Barrier(raw_);
    const double start = MPI_Wtime();
    for (int i = 0; i < rounds; ++i) {
      if (rank_ == 0) send();
      receive();
      if (rank_ == 1) send();
    }
    const double result = (MPI_Wtime() - start) / rounds / 2 * 1e6;
    while (endpoint_->unsent_bytes() != 0) endpoint_->progress(sink_, 16);
    return result;
  }

  std::unique_ptr<roam::transport::Endpoint> endpoint_;
  const int rank_;
  MPI_Comm raw_ = MPI_COMM_NULL;
  std::vector<char> send_ = std::vector<char>(std::size_t{4} << 20);
  std::vector<char> receive_ = std::vector<char>(std::size_t{4} << 20);
  roam::core::BufferPool::Handle pool_ = roam::core::BufferPool::create(65536);
  Counter sink_;
};

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) {
    if (rank == 0) std::fprintf(stderr, "needs 2 ranks: mpirun -n 2 %s\n", argv[0]);
    MPI_Finalize();
    return 2;
  }
  {
    const auto network = roam::transport::make_mpi_network(MPI_COMM_WORLD);
    Bench bench(*network);
    if (rank == 0) {
      std::printf("%9s %22s %22s %14s %24s\n", "", "median", "10th percentile", "", "");
      std::printf("%9s %10s %11s %10s %11s %7s\n", "bytes", "MPI us", "Roam us", "MPI us",
                  "Roam us", "ratio");
    }
    // Short rounds: on a busy machine most are disturbed, and the 10th percentile tells more than
    // the median.
    for (const int bytes : {8, 64, 512, 4096, 16384, 65536, -65536, -(1 << 20), -(4 << 20)}) {
      const int rounds = std::abs(bytes) > 65536 ? 5 : std::abs(bytes) > 4096 ? 20 : 100;
      std::vector<double> raw;
      std::vector<double> ours;
      for (int repetition = 0; repetition < 301; ++repetition) {
        raw.push_back(bench.raw_us(std::abs(bytes), rounds));
        ours.push_back(bytes > 0 ? bench.message_us(bytes, rounds) : bench.bulk_us(-bytes, rounds));
      }
      if (rank == 0) {
        std::printf("%9d %10.2f %11.2f %10.2f %11.2f %7.2f%s\n", std::abs(bytes),
                    quantile(raw, 0.5), quantile(ours, 0.5), quantile(raw, 0.1),
                    quantile(ours, 0.1), quantile(ours, 0.1) / quantile(raw, 0.1),
                    bytes < 0 ? " bulk" : "");
        std::fflush(stdout);
      }
    }
  }
  MPI_Finalize();
  return 0;
}
