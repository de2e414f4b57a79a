// SPDX-License-Identifier: Apache-2.0
// The conformance suite over UCX: start with mpirun -n <ranks>, or without a launcher by
// tests/transport/ucx/start.py. Calls no MPI. Exits non-zero on every rank where a test failed.
#include "transport/conformance_tests.hpp"

#include "roam/core/error.hpp"
#include "roam/transport/registry.hpp"
#include "roam/transport/ucx/ucx_network.hpp"
#include "transport/fast_box.hpp"
#include "transport/ucx/quiet_ranks.hpp"

namespace roam::transport::conformance {
namespace {

class Ucx final : public World {
 public:
  explicit Ucx(const UcxOptions& options) : network_(make_ucx_network(make_bootstrap(), options)) {}
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

Case kind(const char* name, const UcxOptions& options) {
  return {name, [options](std::uint64_t /*seed*/) { return std::make_unique<Ucx>(options); }};
}

INSTANTIATE_TEST_SUITE_P(
    Networks, Conformance,
    ::testing::Values(kind("ucx", {}),
                      // Most messages are long for this threshold, above which UCX uses rendezvous.
                      kind("ucx_cramped", {.max_message_bytes = 20000, .eager_bytes = 64}),
                      // All short messages through UCX.
                      kind("ucx_without_boxes", {.fast_boxes = 0}),
                      // A box for one peer, none for the others.
                      kind("ucx_one_box", {.fast_boxes = 1}),
                      kind("ucx_between_machines", {.share_memory = false})),
    [](const auto& tested) { return tested.param.name; });

TEST(UcxNetwork, knows_who_shares_the_machine_and_closes_twice) {
  const auto network = make_network("ucx", {});
  EXPECT_STREQ(network->name(), "ucx");
  const bool has_own_machine = std::getenv("TEST_ON_MACHINES") != nullptr;  // hosts.py says so
  EXPECT_EQ(network->ranks_on_this_machine(), has_own_machine ? 1 : network->size());
  const Rank rank = network->local_ranks().front();
  EXPECT_EQ(network->ranks_before_on_this_machine(), has_own_machine ? 0 : rank.value());
  EXPECT_THROW(static_cast<void>(network->endpoint(Rank(rank.value() + 1))), Error);
  const auto endpoint = network->endpoint(rank);
  EXPECT_THROW(static_cast<void>(network->endpoint(rank)), Error);
  EXPECT_TRUE(endpoint->capabilities().ordered);
  EXPECT_FALSE(endpoint->capabilities().concurrent_send);
  endpoint->close(false);
  endpoint->close(false);  // harmless
}

// Sizes around those at which UCX, or this transport, uses another method: UCX sends up to 93 bytes
// inline and up to 8256 in a buffer, a box takes 1080, and received messages are put into blocks of
// 512, 1024, ... bytes.
TEST(UcxNetwork, A1_sizes_around_every_threshold) {
  const UcxOptions options;
  const auto network = make_ucx_network(make_bootstrap(), options);
  Member me(network->endpoint(network->local_ranks().front()));
  const Rank next = (me.rank().value() + 1) % me.size();
  std::vector<std::size_t> sizes(20, 8);  // enough for boxes to be used after them
  for (const std::size_t around :
       {std::size_t{1}, std::size_t{64}, std::size_t{93}, std::size_t{512}, std::size_t{1024},
        FastBox::longest, std::size_t{4096}, std::size_t{8256}, options.eager_bytes,
        options.max_message_bytes - 3}) {
    for (std::size_t bytes = around < 3 ? 0 : around - 3; bytes <= around + 3; ++bytes)
      sizes.push_back(bytes);
  }
  std::size_t got = 0;
  me.on_message = [&](Rank /*source*/, const core::Buffer& data) {
    ASSERT_LT(got, sizes.size());
    EXPECT_EQ(data.size(), sizes[got]);
    EXPECT_TRUE(is_pattern(data, 7, sizes[got]));
    ++got;
  };
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    me.endpoint->send(next, pattern(7, sizes[i], sizes[i]));
    static_cast<void>(me.progress(1));
    while (i == 19 && got < 20) static_cast<void>(me.progress(1));
  }
  while (got < sizes.size()) static_cast<void>(me.progress(2));
  me.endpoint->close(false);
}

TEST(UcxNetwork, aborting_with_transfers_under_way_waits_for_nobody) {
  for (const bool share_memory : {true, false}) {
    const auto network = make_ucx_network(make_bootstrap(), {.share_memory = share_memory});
    Member member(network->endpoint(network->local_ranks().front()));
    const Rank next = (member.rank().value() + 1) % member.size();
    for (BulkTag i = 0; i < 300; ++i) {
      member.endpoint->send(next, pattern(1, i, i % 2 == 0 ? 100 : 60000));
      if (i % 30 != 0) continue;
      member.endpoint->send_bulk(next, i, pattern(2, i, 1 << 20));
      member.endpoint->receive_bulk(next, i + 1, 1 << 20);  // never sent
      static_cast<void>(member.progress(5));
    }
    member.endpoint->close(true);
  }
}

TEST(UcxNetwork, closes_with_bulk_announced_that_nobody_sends) {
  const auto network = make_ucx_network(make_bootstrap());
  Member member(network->endpoint(network->local_ranks().front()));
  for (BulkTag tag = 0; tag < 20; ++tag)
    member.endpoint->receive_bulk((member.rank().value() + 1) % member.size(), tag, 100U << tag);
  member.endpoint->close(false);
  EXPECT_TRUE(member.bulks.empty());
}

TEST(UcxNetwork, R3_ranks_asked_for_must_be_those_started) {
  const std::int32_t size = make_bootstrap()->size();
  EXPECT_THROW(static_cast<void>(make_network("ucx", {.ranks = size + 1})), ConfigError);
  const auto network = make_network("ucx", {.ranks = size});
  EXPECT_EQ(network->size(), size);
}

}  // namespace
}  // namespace roam::transport::conformance

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  roam::tests::only_rank_0_reports();
  return RUN_ALL_TESTS();
}
