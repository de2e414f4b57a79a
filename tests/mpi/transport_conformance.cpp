// SPDX-License-Identifier: Apache-2.0
// The conformance suite over MPI: start with mpiexec -n <ranks>. Exits non-zero on every rank if
// any test failed on any.
#include "transport/conformance_tests.hpp"

#include "roam/transport/mpi/mpi_network.hpp"

namespace roam::transport::conformance {
namespace {

class Mpi final : public World {
 public:
  explicit Mpi(const MpiOptions& options) : network_(make_mpi_network(MPI_COMM_WORLD, options)) {}
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
// Everything small, so that the ring runs over, most messages are long and bulk goes in pieces.
const Case cramped{"mpi_cramped", [](std::uint64_t /*seed*/) {
                     return std::make_unique<Mpi>(MpiOptions{.max_message_bytes = 20000,
                                                             .short_message_bytes = 64,
                                                             .posted_receives = 2,
                                                             .bulk_piece_bytes = 30000});
                   }};

INSTANTIATE_TEST_SUITE_P(Networks, Conformance, ::testing::Values(usual, cramped),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace roam::transport::conformance

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
