// SPDX-License-Identifier: Apache-2.0
// A5, M10: operations under way - awaited, dropped, abandoned - over many orders of messages.
#include <gmock/gmock.h>

#include <algorithm>

#include "am/remote_memory_world.hpp"

namespace roam::am::testing::remote_operation_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Operations : public OnEveryNetwork {};
INSTANTIATE_TEST_SUITE_P(Networks, Operations, ::testing::ValuesIn(all_networks()), network_name);

struct Ticket {
  std::int32_t number;
  float weight;
};
static_assert(sizeof(Ticket) == 8 && alignof(Ticket) == 4);  // is not sent as a word
struct alignas(8) Pair {
  std::int32_t first;
  std::int32_t second;
};

/// Draws numbers one by one, and sometimes ignores the number drawn.
Task<> draw(RemoteMemory& memory, remote_ptr<std::int64_t> counter, remote_ptr<Pair> board,
            std::vector<std::int64_t>& drawn) {
  for (int i = 0; i < 40; ++i) {
    const std::int64_t number = co_await memory.fetch_add(counter, 1);
    drawn.push_back(number);
    const Pair written{static_cast<std::int32_t>(number), -static_cast<std::int32_t>(number)};
    co_await memory.put(board + number % 4, written);
    const Pair read = co_await memory.get(board + number % 4);
    EXPECT_EQ(read.first, -read.second) << "values of a word are never torn";
    if (i % 8 == 0) (void)memory.fetch_or(counter, 0);
  }
}

TEST_P(Operations, A5_every_old_value_is_seen_once) {
  const bool is_threaded = GetParam().name.starts_with("in_process");
  for (std::uint64_t seed = 1; seed <= (is_threaded ? 3U : 30U); ++seed) {
    constexpr std::size_t ranks = 3;
    constexpr std::size_t tasks = 4;
    WorldOptions options{.ranks = ranks};
    options.engine.workers = 2;
    options.seed = seed;
    const auto world = make(options);
    Memories memories(*world);
    std::array<std::vector<std::int64_t>, ranks * tasks> drawn;
    remote_ptr<std::int64_t> counter;
    remote_ptr<Pair> board;
    std::atomic<bool> is_ready{false};
    std::atomic<std::size_t> ended{0};
    world->run([&](Node& node) -> Task<> {
      RemoteMemory& memory = memories.of(node);
      const std::size_t self = node.messenger.rank().index();
      if (self == 0) {
        counter = co_await memory.remote_alloc<std::int64_t>(1, 1);
        board = co_await memory.remote_alloc<Pair>(1, 4);
        is_ready = true;
      }
      co_await until([&] { return is_ready.load(); });
      for (std::size_t task = 1; task < tasks; ++task) {
        node.roots.emplace_back(draw(memory, counter, board, drawn[self * tasks + task]),
                                [&] { ++ended; });
        node.engine.push(&node.roots.back());
      }
      co_await draw(memory, counter, board, drawn[self * tasks]);
      ++ended;
      co_await until([&] { return ended == ranks * tasks; });
    });
    std::vector<std::int64_t> all;
    for (const auto& of_task : drawn) all.insert(all.end(), of_task.begin(), of_task.end());
    std::ranges::sort(all);
    EXPECT_EQ(all, counting_from(0, ranks * tasks * 40));
    for (const auto& node : world->nodes) {
      EXPECT_EQ(node->messenger.stats().messages_rejected, 0U);
      EXPECT_EQ(node->engine.waits().size(), 0U);
      EXPECT_THAT(node->errors.lines(), ElementsAre());
    }
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

TEST_P(Operations, A4_values_that_are_no_words_and_places_that_are_not_aligned) {
  const auto world = make();
  Memories memories(*world);
  std::atomic<bool> is_over{false};
  world->run([&](Node& node) -> Task<> {
    RemoteMemory& memory = memories.of(node);
    if (node.messenger.rank() != 0) co_return co_await until([&] { return is_over.load(); });
    const auto there = co_await memory.remote_alloc<std::byte>(1, 64);
    const Ticket sent{7, 0.5F};
    const auto ticket = (there + 4).cast<Ticket>();
    co_await memory.put(ticket, sent);
    const Ticket back = co_await memory.get(ticket);
    EXPECT_EQ(back.number, 7);
    EXPECT_EQ(back.weight, 0.5F);
    const auto crooked = (there + 4).cast<std::int64_t>();
    const auto beyond = (there + 64).cast<float>();
    EXPECT_THAT(co_await refusal(memory.put(crooked, std::int64_t{1})), HasSubstr("put at rank 1"));
    EXPECT_THAT(co_await refusal(memory.get(crooked)), HasSubstr("aligned"));
    EXPECT_THAT(co_await refusal(memory.put(beyond, 1.0F)), HasSubstr("offset 64, length 4"));
    const float last = co_await memory.get((there + 60).cast<float>());
    EXPECT_EQ(last, 0.0F);
    is_over = true;
  });
}

TEST_P(Operations, R2_dropped_ones_report_a_refusal_once) {
  const auto world = make();
  Memories memories(*world);
  std::atomic<bool> is_over{false};
  world->run([&](Node& node) -> Task<> {
    RemoteMemory& memory = memories.of(node);
    if (node.messenger.rank() != 0) co_return co_await until([&] { return is_over.load(); });
    const auto there = co_await memory.remote_alloc<std::int64_t>(1, 1);
    for (int i = 0; i < 100; ++i) (void)memory.fetch_add(there, 1);
    (void)memory.fetch_add(there + 1, 1);
    (void)memory.put(there + 2, 1);
    std::string text = co_await refusal(memory.fetch_add(there + 3, 1));
    EXPECT_THAT(text, HasSubstr("atomic operation at rank 1"));
    co_await until([&] { return node.errors.size() == 2; });
    EXPECT_EQ(co_await memory.get(there), 100);
    EXPECT_EQ(node.errors.size(), 2U);
    is_over = true;
  });
}

/// Rank 0 asks rank 1, which never answers.
class Unanswered : public ::testing::Test {
 protected:
  Unanswered() {
    node = std::make_unique<Node>(network.endpoint(0), exec::EngineOptions{}, MessengerOptions{},
                                  clock);
    memory = std::make_unique<RemoteMemory>(node->messenger);
    start(ask_word());
    start(ask_data());
    start(lend());
    for (int i = 0; i < 8; ++i) static_cast<void>(node->engine.step(0));
  }
  ~Unanswered() override {
    memory.reset();
    node.reset();
    silent->close(true);
  }
  void start(Task<> task) {
    node->roots.emplace_back(std::move(task), [this] { ++ended; });
    node->engine.push(&node->roots.back());
  }
  Task<> ask_word() { co_await memory->fetch_add(there, 1); }
  Task<> ask_data() {
    std::vector<std::int64_t> back(3);
    co_await memory->get(back, there);
  }
  Task<> lend() {
    auto put = memory->put(there, large);
    co_await put.local();
    co_await put;
  }

  const remote_ptr<std::int64_t> there{{1, 0, 1, 0}};
  const std::vector<std::int64_t> large = std::vector<std::int64_t>(100'000, 1);
  int ended = 0;
  core::SteadyClock clock;
  transport::InProcessNetwork network{2};
  std::unique_ptr<transport::Endpoint> silent = network.endpoint(1);
  std::unique_ptr<Node> node;
  std::unique_ptr<RemoteMemory> memory;
};

TEST_F(Unanswered, M10_those_who_wait_are_counted_and_named) {
  EXPECT_EQ(ended, 0);
  EXPECT_EQ(node->engine.waits().size(), 3U);
  std::vector<std::string> texts;
  node->engine.waits().for_each(
      [&](const exec::WaitList::Entry& entry) { texts.push_back(entry.waits_for()); });
  EXPECT_THAT(texts, ::testing::UnorderedElementsAre("atomic operation at rank 1", "get at rank 1",
                                                     HasSubstr("put at rank 1")));
}

TEST_F(Unanswered, R2_frames_may_go_before_the_memory) {
  node->roots.clear();
  EXPECT_EQ(node->engine.waits().size(), 0U);
  EXPECT_EQ(ended, 0);
}

TEST_F(Unanswered, R2_the_memory_may_go_before_the_frames) {
  memory.reset();
  EXPECT_EQ(node->engine.waits().size(), 0U);
  node->roots.clear();
  EXPECT_EQ(ended, 0);
}

TEST_F(Unanswered, R2_results_may_outlive_memory_and_rank) {
  auto sum = memory->fetch_add(there, 1);
  auto put = memory->put(there, large);
  memory.reset();
  EXPECT_FALSE(sum.is_ready());
  node->roots.clear();
}

}  // namespace roam::am::testing::remote_operation_test
