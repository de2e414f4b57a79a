// SPDX-License-Identifier: Apache-2.0
// The conformance suite over MPI: start with mpiexec -n <ranks>. Exits non-zero on every rank if
// any test failed on any.
#include "transport/conformance_tests.hpp"

#include "roam/core/error.hpp"
#include "roam/transport/mpi/mpi_network.hpp"
#include "roam/transport/registry.hpp"

namespace roam::transport::conformance {
namespace {

/// The largest tag that an MPI library must allow. Those that the tests run with allow more, so
/// that this program stands between them and Roam (see the end of the file).
constexpr int least_tag_bound = 32767;
/// Nullptr, or where the largest tag is that MPI is said to allow. Only the main thread uses it.
const int* said_tag_bound = nullptr;

class Mpi final : public World {
 public:
  explicit Mpi(const MpiOptions& options, const int* tag_bound = nullptr) {
    said_tag_bound = tag_bound;
    network_ = make_mpi_network(MPI_COMM_WORLD, options);
  }
  ~Mpi() override { said_tag_bound = nullptr; }
  std::int32_t size() const override { return network_->size(); }
  void run(const Main& main) override {
    try {
      Member member(network_->endpoint(network_->local_ranks().front()));
      run_alone(member, main);
    } catch (const std::exception& error) {
      // The other ranks would wait for this one.
      std::cerr << "rank " << network_->local_ranks().front().value() << ": " << error.what()
                << std::endl;
      network_->abort(1);
    }
  }

 private:
  std::unique_ptr<Network> network_;
};

const Case usual{"mpi", [](std::uint64_t /*seed*/) { return std::make_unique<Mpi>(MpiOptions{}); }};
// As between machines.
const Case without_boxes{"mpi_without_boxes", [](std::uint64_t /*seed*/) {
                           return std::make_unique<Mpi>(MpiOptions{.fast_boxes = 0});
                         }};
// Everything small, so that the ring runs over, most messages are long and bulk goes in pieces; and
// no tags but those that each MPI library has.
const Case cramped{"mpi_cramped", [](std::uint64_t /*seed*/) {
                     return std::make_unique<Mpi>(MpiOptions{.max_message_bytes = 20000,
                                                             .short_message_bytes = 64,
                                                             .posted_receives = 2,
                                                             .fast_boxes = 2,
                                                             .bulk_piece_bytes = 30000},
                                                  &least_tag_bound);
                   }};

INSTANTIATE_TEST_SUITE_P(Networks, Conformance, ::testing::Values(usual, without_boxes, cramped),
                         [](const auto& tested) { return tested.param.name; });

TEST(MpiNetwork, lives_beside_the_programs_own_messages_and_starts_twice) {
  int world_rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  // Would match anything that Roam sent on a communicator of the program.
  int own = 0;
  MPI_Request program_receive = MPI_REQUEST_NULL;
  MPI_Irecv(&own, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &program_receive);
  for (int start = 0; start < 2; ++start) {
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, world_rank, &half);
    const auto network = make_mpi_network(half);
    int half_size = 0;
    MPI_Comm_size(half, &half_size);
    MPI_Comm_free(&half);
    EXPECT_EQ(network->size(), half_size);
    Member member(network->endpoint(network->local_ranks().front()));
    for (std::int32_t to = 0; to < half_size; ++to) member.endpoint->send(to, pattern(1, 1, 100));
    while (member.message_count < static_cast<std::size_t>(half_size)) member.progress();
    member.endpoint->close(false);
    member.endpoint->close(false);  // harmless
  }
  const int sent = 42;
  MPI_Send(&sent, 1, MPI_INT, world_rank, 7, MPI_COMM_WORLD);
  MPI_Status status;
  MPI_Wait(&program_receive, &status);
  EXPECT_EQ(own, 42);
  EXPECT_EQ(status.MPI_TAG, 7);
}

TEST(MpiNetwork, sends_no_messages_whose_length_does_not_fit_into_the_smallest_tags) {
  Mpi world({.max_message_bytes = 1 << 20}, &least_tag_bound);
  world.run([](Member& me) -> Program {
    const std::size_t longest = me.endpoint->capabilities().max_message_bytes;
    EXPECT_EQ(longest, 16383U);  // a bit of the tag says whether the message is long
    me.endpoint->send(next_of(me), pattern(1, 1, longest));
    while (me.messages[previous_of(me)].empty()) co_await me.turn();
    EXPECT_EQ(me.take(previous_of(me)).size(), longest);
  });
}

TEST(MpiNetwork, keeps_to_the_thread_level_the_program_chose) {
  int level = 0;
  MPI_Query_thread(&level);
  const auto network = make_mpi_network(MPI_COMM_WORLD);
  const auto endpoint = network->endpoint(network->local_ranks().front());
  EXPECT_EQ(endpoint->capabilities().main_thread_only, level < MPI_THREAD_SERIALIZED);
  EXPECT_FALSE(endpoint->capabilities().concurrent_send);
  endpoint->close(false);
}

TEST(MpiNetwork, R3_ranks_asked_for_must_be_those_started) {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  EXPECT_THROW(static_cast<void>(make_network("mpi", {.ranks = size + 1})), ConfigError);
  const auto network = make_network("auto", {.ranks = size});
  EXPECT_STREQ(network->name(), "mpi");
  EXPECT_EQ(network->size(), size);
}

}  // namespace
}  // namespace roam::transport::conformance

// MPI's profiling interface: these calls of Roam's come here first.
extern "C" int MPI_Comm_get_attr(MPI_Comm communicator, int key, void* value, int* found) {
  const int* const bound = roam::transport::conformance::said_tag_bound;
  if (key != MPI_TAG_UB || bound == nullptr)
    return PMPI_Comm_get_attr(communicator, key, value, found);
  *static_cast<const int**>(value) = bound;
  *found = 1;
  return MPI_SUCCESS;
}

extern "C" int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag,
                         MPI_Comm communicator, MPI_Request* request) {
  const int* const bound = roam::transport::conformance::said_tag_bound;
  if (bound != nullptr) {
    EXPECT_LE(tag, *bound);
  }
  return PMPI_Isend(data, count, type, to, tag, communicator, request);
}

int main(int argc, char** argv) {
  // A program that keeps MPI to itself and asks for no more than it needs.
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  ::testing::InitGoogleTest(&argc, argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0)
    delete ::testing::UnitTest::GetInstance()->listeners().Release(
        ::testing::UnitTest::GetInstance()->listeners().default_result_printer());
  int failed = RUN_ALL_TESTS();
  if (failed != 0 && rank != 0) std::cerr << "rank " << rank << ": tests failed" << std::endl;
  int anywhere = 0;
  MPI_Allreduce(&failed, &anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return anywhere;
}
