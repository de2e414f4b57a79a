// SPDX-License-Identifier: Apache-2.0
// Collective calls that do not match, and A7 for their messages.
#include <gmock/gmock.h>

#include <cstring>

#include "am/collective_world.hpp"
#include "roam/core/error.hpp"

namespace roam::am::testing::collective_errors_test {

using ::testing::AllOf;
using ::testing::HasSubstr;

class CollectiveErrors : public OnEveryNetwork {
 protected:
  /// The report on calls that do not match.
  static std::string report_of(std::int32_t ranks, const CollectiveWorld::Main& main) {
    CollectiveWorld world(make({.ranks = ranks}));
    return world.run_to_failure(main);
  }
};
INSTANTIATE_TEST_SUITE_P(Networks, CollectiveErrors, ::testing::ValuesIn(all_networks()),
                         network_name);

TEST_P(CollectiveErrors, another_operation_names_both_ranks_and_calls) {
  const std::string report = report_of(2, [](Collectives& c, Node&) -> Task<> {
    (void)co_await c.allreduce<Max>(1);
    if (c.rank() == 0) co_await c.barrier();
    if (c.rank() == 1) (void)co_await c.reduce<std::plus<>>(0, 1);
  });
  // GCC writes std::plus<void>, Clang std::plus<>.
  EXPECT_THAT(report,
              AllOf(HasSubstr("call 2 is"), HasSubstr("barrier on rank 0"),
                    HasSubstr("reduce to rank 0 of int by std::plus<"), HasSubstr("> on rank 1")));
}

TEST_P(CollectiveErrors, another_root_is_named) {
  const std::string report = report_of(3, [](Collectives& c, Node&) -> Task<> {
    (void)co_await c.broadcast(c.rank() == 2 ? 2 : 0, 1);
    co_await c.barrier();
  });
  EXPECT_THAT(report, AllOf(HasSubstr("broadcast from rank 0 of int on rank"),
                            HasSubstr("broadcast from rank 2 of int on rank 2")));
}

TEST_P(CollectiveErrors, another_type_or_operator_is_named) {
  const std::string types = report_of(2, [](Collectives& c, Node&) -> Task<> {
    if (c.rank() == 0) (void)co_await c.allgather(1);
    if (c.rank() == 1) (void)co_await c.allgather(1.5);
  });
  EXPECT_THAT(types, AllOf(HasSubstr("allgather of int on rank 0"),
                           HasSubstr("allgather of double on rank 1")));
  const std::string operators = report_of(2, [](Collectives& c, Node&) -> Task<> {
    if (c.rank() == 0) (void)co_await c.allreduce<Min>(1);
    if (c.rank() == 1) (void)co_await c.allreduce<Max>(1);
  });
  EXPECT_THAT(operators,
              AllOf(HasSubstr("by roam::Min on rank 0"), HasSubstr("by roam::Max on rank 1")));
}

TEST_P(CollectiveErrors, vectors_of_other_lengths_are_named) {
  const std::string report = report_of(3, [](Collectives& c, Node&) -> Task<> {
    (void)co_await c.reduce<std::plus<>>(0, std::vector<double>(c.rank() == 2 ? 3 : 4, 1.0));
    co_await c.barrier();
  });
  EXPECT_THAT(report, AllOf(HasSubstr("rank 0 with rank 2"), HasSubstr("4 and 3 elements"),
                            HasSubstr("reduce to rank 0 of std::vector<double")));
}

// The root of a broadcast waits for nobody, and has finished long before its part is found to be
// wrong.
TEST_P(CollectiveErrors, a_part_that_comes_after_the_end_is_named_too) {
  const std::string report = report_of(2, [](Collectives& c, Node&) -> Task<> {
    if (c.rank() == 0) (void)co_await c.broadcast(0, 1);
    if (c.rank() == 1) {
      co_await Pause(std::chrono::milliseconds(1));
      (void)co_await c.gather(0, 1);
    }
  });
  EXPECT_THAT(report, AllOf(HasSubstr("broadcast from rank 0"), HasSubstr("gather to rank 0")));
}

int refuses(int, int) { throw std::runtime_error("not these two"); }

TEST_P(CollectiveErrors, an_operator_that_throws_stops_the_call_with_its_words) {
  const std::string report = report_of(2, [](Collectives& c, Node&) -> Task<> {
    (void)co_await c.reduce<&refuses>(0, 1);
    co_await c.barrier();
  });
  EXPECT_THAT(report, AllOf(HasSubstr("not these two"), HasSubstr("rank 0 with rank 1"),
                            HasSubstr("refuses")));
}

/// Rank 0 has collectives and is stepped by hand; rank 1 is bare and sends what it likes.
class BadCollectivePeer : public ::testing::Test, private transport::Sink {
 protected:
  BadCollectivePeer() {
    collectives.set_failure_handler(
        [this](const std::string& report) { reports.push_back(report); });
  }
  ~BadCollectivePeer() override { bad->close(false); }

  struct Part {
    std::uint64_t sequence = 0;
    std::uint64_t kind = static_cast<std::uint64_t>(CollectiveKind::broadcast);
    std::uint32_t types = CollectiveTypes::id_of(core::type_symbol<int>(), "");
    std::int32_t root = 1;
  };
  void send(const void* bytes, std::size_t size) {
    core::Buffer buffer = core::Buffer::allocate(sizeof(WireHeader) + size);
    WireHeader header;
    header.handler = handler_id("roam.collective.part");
    header.flags = WireHeader::counted;
    header.checked_size = static_cast<std::uint32_t>(sizeof header + size);
    buffer.append(&header, sizeof header);
    buffer.append(bytes, size);
    bad->send(0, std::move(buffer));
    settle();
  }
  template <class... T>
  void send_part(const Part& part, const T&... value) {
    core::Packer packer(core::Buffer::allocate(64));
    packer.write(&part, sizeof part);
    core::pack(packer, value...);
    const core::Buffer bytes = packer.take();
    send(bytes.data(), bytes.size());
  }
  void settle() {
    for (int i = 0; i < 10; ++i) {
      (void)node.engine.step(0);
      bad->progress(*this, 100);
    }
  }
  [[nodiscard]] std::uint64_t rejected() { return node.messenger.stats().messages_rejected; }
  /// Rank 0 calls broadcast from rank 1; empty until it has a value.
  void call() {
    node.roots.emplace_back(receive());
    node.engine.push(&node.roots.back());
    settle();
  }

  core::SteadyClock clock;
  transport::InProcessNetwork network{2};
  std::unique_ptr<transport::Endpoint> bad = network.endpoint(1);
  Node node{network.endpoint(0), {}, {}, clock};
  Collectives collectives{node.messenger};
  std::vector<std::string> reports;
  std::vector<int> received;
  std::vector<std::string> failures;

 private:
  Task<> receive() {
    try {
      const int value = co_await collectives.broadcast<int>(1);
      received.push_back(value);
    } catch (const Error& error) {
      failures.emplace_back(error.what());
    }
  }
  void message(Rank, core::Buffer&&) override {}
  void bulk(Rank, transport::BulkTag, core::Buffer&&) override {}
  void peer_failed(Rank, const char*) override {}
};

TEST_F(BadCollectivePeer, A7_what_is_no_part_of_a_collective_is_rejected_and_counted) {
  send(nullptr, 0);
  send("short", 5);
  Part part;
  part.kind = 6;
  send_part(part, 1);
  part = {};
  part.root = 2;
  send_part(part, 1);
  part.root = -1;
  send_part(part, 1);
  part = {};
  part.types = 12345;
  send_part(part, 1);
  part = {};
  part.kind += std::uint64_t{1} << 32;
  send_part(part, 1);
  EXPECT_EQ(rejected(), 7U);
  part = {};
  send_part(part, 41);
  EXPECT_EQ(rejected(), 7U);
  send_part(part, 42);
  EXPECT_EQ(rejected(), 8U) << "a second part";
  call();
  EXPECT_THAT(received, ::testing::ElementsAre(41));
  send_part(part, 43);
  EXPECT_EQ(rejected(), 9U) << "it is over";
  EXPECT_TRUE(reports.empty());
}

TEST_F(BadCollectivePeer, A7_a_value_that_does_not_decode_is_reported_not_delivered) {
  call();
  send_part(Part{}, std::uint8_t{1});
  EXPECT_TRUE(received.empty());
  EXPECT_EQ(rejected(), 1U);
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_THAT(reports[0], AllOf(HasSubstr("rank 0 with rank 1"), HasSubstr("ends early")));
  ASSERT_EQ(failures.size(), 1U) << "whoever waits is told";
  EXPECT_EQ(failures[0], reports[0]);
}

TEST_F(BadCollectivePeer, A7_a_value_that_is_too_long_is_reported_too) {
  send_part(Part{}, 1, 'x');
  EXPECT_EQ(rejected(), 0U) << "nobody has looked at it";
  call();
  EXPECT_EQ(rejected(), 1U);
  ASSERT_EQ(failures.size(), 1U);
  EXPECT_THAT(failures[0], HasSubstr("longer than the value"));
}

TEST_F(BadCollectivePeer, A7_random_bytes_do_no_harm) {
  core::Random random(7);
  std::byte bytes[64];
  constexpr std::uint64_t count = 2000;
  for (std::uint64_t i = 0; i < count; ++i) {
    for (std::byte& b : bytes) b = static_cast<std::byte>(random());
    send(bytes, random.below(sizeof bytes));
  }
  EXPECT_EQ(rejected(), count);
  call();
  send_part(Part{}, 5);
  EXPECT_THAT(received, ::testing::ElementsAre(5));
}

}  // namespace roam::am::testing::collective_errors_test
