// SPDX-License-Identifier: Apache-2.0
// A8 under MPI: sessions inside a program that keeps MPI, a communicator and messages of its own,
// at the lowest thread level. Start with mpiexec -n <ranks>.
#include <gtest/gtest.h>
#include <mpi.h>

#include <vector>

#include "roam/roam.hpp"
#include "roam/transport/mpi/mpi_network.hpp"

namespace roam::mpi_session {
namespace {

bool& is_polling() {
  static bool polling = false;
  return polling;
}
int& handlers_outside() {
  static int count = 0;
  return count;
}
bool poll(Session& session) {
  is_polling() = true;
  const bool done = session.poll();
  is_polling() = false;
  return done;
}

struct Ball {
  int throws_left = 0;
  std::vector<double> load;
  void fly(mobile_ptr<Ball> self) {
    if (!is_polling()) ++handlers_outside();
    if (throws_left-- <= 0) return;
    self.migrate((here().rank().value() + throws_left) % here().size());
    self.send<&Ball::fly>(self);
  }
  [[nodiscard]] int left() const { return throws_left; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(throws_left, load);
  }
};

/// Every rank throws a few balls, heavy enough for every path of the transport.
Task<> play(Runtime& rt, int& landed) {
  std::vector<mobile_ptr<Ball>> balls;
  for (const std::size_t doubles : {0U, 1000U, 20'000U}) {
    const auto ball = rt.create<Ball>(Ball{20, std::vector<double>(doubles, 1.0)});
    ball.send<&Ball::fly>(ball);
    balls.push_back(ball);
  }
  co_await rt.quiescence();
  int mine = 0;
  for (const auto& ball : balls) {
    const int left = co_await ball.call<&Ball::left>();
    mine += left == -1;
  }
  landed = co_await rt.allreduce<std::plus<>>(mine);
}

void wait_for(std::vector<MPI_Request>& requests, MPI_Status* statuses, Session& session) {
  for (int ended = 0; ended == 0;) {
    poll(session);
    MPI_Testall(static_cast<int>(requests.size()), requests.data(), &ended, statuses);
  }
}

/// The program's own messages: everybody to everybody, received with wildcards, of many sizes.
/// True if each came once and nothing else did.
bool exchange(MPI_Comm communicator, int round, Session& session) {
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &size);
  const int longest = 10'000 * (round % 3) + size;
  std::vector<std::vector<int>> in(static_cast<std::size_t>(size),
                                   std::vector<int>(static_cast<std::size_t>(longest), -1));
  std::vector<std::vector<int>> out(static_cast<std::size_t>(size));
  std::vector<MPI_Request> requests;
  for (auto& buffer : in) {
    MPI_Irecv(buffer.data(), longest, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, communicator,
              &requests.emplace_back());
  }
  for (int r = 0; r < size; ++r) {
    auto& buffer = out[static_cast<std::size_t>(r)];
    buffer.assign(static_cast<std::size_t>(longest - r), rank * 1000 + round);
    MPI_Isend(buffer.data(), longest - r, MPI_INT, r, round, communicator,
              &requests.emplace_back());
  }
  std::vector<MPI_Status> statuses(requests.size());
  wait_for(requests, statuses.data(), session);
  // Nobody's next messages may meet these receives.
  std::vector<MPI_Request> barrier(1);
  MPI_Ibarrier(communicator, barrier.data());
  wait_for(barrier, MPI_STATUSES_IGNORE, session);
  std::vector<int> from(static_cast<std::size_t>(size), 0);
  bool good = true;
  for (std::size_t i = 0; i < in.size(); ++i) {
    int count = 0;
    MPI_Get_count(&statuses[i], MPI_INT, &count);
    const int source = statuses[i].MPI_SOURCE;
    good = good && statuses[i].MPI_TAG == round && count == longest - rank &&
           ++from[static_cast<std::size_t>(source)] == 1 && in[i].front() == source * 1000 + round;
  }
  return good;
}

void run_beside(MPI_Comm roams, MPI_Comm own) {
  const auto network = transport::make_mpi_network(roams);
  Session session(*network);
  int landed = 0;
  session.start([&landed](Runtime& rt) { return play(rt, landed); });
  for (int round = 0; round < 12; ++round) EXPECT_TRUE(exchange(own, round, session));
  is_polling() = true;  // finish() polls
  session.finish();
  is_polling() = false;
  EXPECT_EQ(landed, 3 * network->size());
  EXPECT_EQ(session.runtime().messenger().stats().messages_rejected, 0U);
  EXPECT_EQ(handlers_outside(), 0);
}

TEST(SessionUnderMpi, A8_works_beside_the_programs_own_messages_and_again_afterwards) {
  MPI_Comm own = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  for (int i = 0; i < 3; ++i) run_beside(own, own);
  MPI_Comm_free(&own);
}

TEST(SessionUnderMpi, on_a_part_of_the_ranks_in_another_order) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  run_beside(half, MPI_COMM_WORLD);
  MPI_Comm_free(&half);
}

TEST(SessionUnderMpi, two_side_by_side) {
  const auto first_network = transport::make_mpi_network(MPI_COMM_WORLD);
  const auto second_network = transport::make_mpi_network(MPI_COMM_WORLD);
  Session first(*first_network);
  Session second(*second_network);
  int landed[2] = {};
  is_polling() = true;
  first.start([&](Runtime& rt) { return play(rt, landed[0]); });
  second.start([&](Runtime& rt) { return play(rt, landed[1]); });
  while (!first.is_over() || !second.is_over()) {
    (void)first.poll();
    (void)second.poll();
  }
  first.finish();
  second.finish();
  is_polling() = false;
  EXPECT_EQ(landed[0], 3 * first_network->size());
  EXPECT_EQ(landed[1], 3 * first_network->size());
}

int& arrays_heard() {
  static int count = 0;
  return count;
}
void hear(std::vector<double> array) {
  (void)array;
  ++arrays_heard();
}

// Rank 0 sends more than there is credit for and then waits for rank 1 in MPI, which needs it all.
TEST(SessionUnderMpi, A3_after_a_flush_nothing_waits_for_the_next_poll) {
  const auto network = transport::make_mpi_network(MPI_COMM_WORLD);
  Session session(*network);
  const int rank = session.runtime().rank().value();
  constexpr int arrays = 60;
  int token = 0;
  if (network->size() > 1 && rank == 0) {
    for (int i = 0; i < arrays; ++i) session.runtime().send<&hear>(1, std::vector<double>(4096, i));
    EXPECT_GT(session.runtime().messenger().stats().waiting_bytes, 0U);
    session.runtime().messenger().flush();
    EXPECT_EQ(session.runtime().messenger().stats().waiting_bytes, 0U);
    MPI_Recv(&token, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank == 1) {
    while (arrays_heard() < arrays) (void)session.poll();
    MPI_Send(&token, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
  }
  session.finish();
}

}  // namespace
}  // namespace roam::mpi_session

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  ::testing::InitGoogleTest(&argc, argv);
  int failed = RUN_ALL_TESTS();
  int anywhere = 0;
  MPI_Allreduce(&failed, &anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return anywhere;
}
