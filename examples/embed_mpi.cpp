// SPDX-License-Identifier: Apache-2.0
// A plain MPI program with a main loop and messages of its own, in which Roam works beside: start
// it with mpirun. Roam is started and stopped twice.
#include <mpi.h>

#include <cstdio>
#include <roam/roam.hpp>
#include <roam/transport/mpi/mpi_network.hpp>

// --- what Roam does: an object that wanders over all ranks ---

struct Wanderer {
  int stops = 0;
  void hop(roam::mobile_ptr<Wanderer> self, int hops) {
    ++stops;
    if (hops == 0) return;
    self.migrate((roam::here().rank().value() + 1) % roam::here().size());
    self.send<&Wanderer::hop>(self, hops - 1);
  }
  int total() const { return stops; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(stops);
  }
};

roam::Task<> tour(roam::Runtime& rt, int& stops) {
  roam::mobile_ptr<Wanderer> wanderer;
  if (rt.rank() == 0) {
    wanderer = rt.create<Wanderer>();
    wanderer.send<&Wanderer::hop>(wanderer, 10 * rt.size());
  }
  co_await rt.quiescence();
  if (wanderer) stops = co_await wanderer.call<&Wanderer::total>();
  stops = co_await rt.broadcast(0, stops);
}

// --- what the program does: the numbers of all ranks go around a ring ---

long add_around_the_ring(MPI_Comm communicator, roam::Session& session) {
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &size);
  long token = rank;
  long sum = 0;
  for (int step = 0; step < size; ++step) {
    long next = 0;
    MPI_Request requests[2];
    MPI_Irecv(&next, 1, MPI_LONG, MPI_ANY_SOURCE, MPI_ANY_TAG, communicator, &requests[0]);
    MPI_Isend(&token, 1, MPI_LONG, (rank + 1) % size, step, communicator, &requests[1]);
    for (int arrived = 0; arrived == 0;) {
      session.poll();  // the only place where Roam's handlers run
      MPI_Testall(2, requests, &arrived, MPI_STATUSES_IGNORE);
    }
    sum += token = next;
  }
  return sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm own = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  int status = 0;
  try {
    for (int round = 1; round <= 2; ++round) {
      const auto network = roam::transport::make_mpi_network(own);
      roam::Session session(*network);
      int stops = 0;
      session.start([&stops](roam::Runtime& rt) { return tour(rt, stops); });
      const long sum = add_around_the_ring(own, session);
      session.finish();
      const int ranks = network->size();
      if (sum != ranks * (ranks - 1L) / 2 || stops != 10 * ranks + 1) status = 1;
      if (session.runtime().rank() == 0)
        std::printf("round %d: the ring adds up to %ld, the wanderer made %d stops\n", round, sum,
                    stops);
    }
  } catch (const roam::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Comm_free(&own);
  MPI_Finalize();
  return status;
}
