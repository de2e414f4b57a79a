// SPDX-License-Identifier: Apache-2.0
// Large arrays in messages: A1 (exactly once), A2 (order), ownership and lifetime, on every
// network.
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <numeric>

#include "am/am_world.hpp"
#include "roam/core/error.hpp"

namespace roam::am::testing::large_message_test {

std::vector<std::int32_t> pattern(std::size_t count, std::int32_t first) {
  std::vector<std::int32_t> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}
bool is_pattern(std::span<const std::int32_t> values, std::int32_t first) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != first + static_cast<std::int32_t>(i)) return false;
  }
  return true;
}

/// Elements that a test owns; it counts those that have not been destroyed.
class Counted {
 public:
  Counted(std::size_t count, std::int32_t first) : values_(pattern(count, first)) { ++alive(); }
  Counted(Counted&& other) noexcept
      : values_(std::move(other.values_)), ends_(std::exchange(other.ends_, false)) {}
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() {
    if (ends_) --alive();
  }
  [[nodiscard]] std::int32_t* begin() { return values_.data(); }
  [[nodiscard]] std::int32_t* end() { return begin() + values_.size(); }
  [[nodiscard]] const std::int32_t* begin() const { return values_.data(); }
  [[nodiscard]] const std::int32_t* end() const { return begin() + values_.size(); }
  [[nodiscard]] static std::atomic<int>& alive() {
    static std::atomic<int> count{0};  // those of the running test, whose ranks may be threads
    return count;
  }

 private:
  std::vector<std::int32_t> values_;
  bool ends_ = true;
};

void note(std::int32_t first, bool is_right) {
  log().add(is_right ? std::to_string(first) : "damaged");
}
void view(std::int32_t first, std::span<const std::int32_t> values) {
  note(first, is_pattern(values, first));
}
void keep(std::int32_t first, Array<std::int32_t> values) {
  note(first, is_pattern(values, first));
}
void copy(std::int32_t first, std::vector<std::int32_t> values) {
  note(first, is_pattern(values, first));
}
Task<> hold(std::int32_t first, std::span<const std::int32_t> values) {
  co_await Pause(std::chrono::microseconds(200));
  note(first, is_pattern(values, first));
}
void write(std::int32_t first, std::span<std::int32_t> values) {
  for (std::int32_t& v : values) v -= first;
  note(first, is_pattern(values, 0));
}
void two(std::int32_t first, std::span<const std::int32_t> a, const std::string& text,
         std::vector<std::int32_t> b) {
  note(first, is_pattern(a, first) && is_pattern(b, first) && text == "between");
}
Array<std::int32_t> back(Array<std::int32_t> values) {
  for (std::int32_t& v : values) ++v;
  return values;
}
Task<std::vector<std::int32_t>> copy_back(std::span<const std::int32_t> values) {
  co_await Pause(std::chrono::microseconds(10));
  co_return std::vector<std::int32_t>(values.begin(), values.end());
}

class Large : public OnEveryNetwork {
 protected:
  void SetUp() override { Counted::alive() = 0; }
  void TearDown() override { EXPECT_EQ(Counted::alive().load(), 0) << "a lender was not told"; }
};
INSTANTIATE_TEST_SUITE_P(Networks, Large, ::testing::ValuesIn(all_networks()), network_name);

void send_one_of_each(Messenger& m, Rank to, std::int32_t& number, std::size_t count) {
  const auto kept = pattern(count, number);
  m.send<&view>(to, number++, kept);
  m.send<&view>(to, number, pattern(count, number));
  ++number;
  m.send<&keep>(to, number, Counted(count, number));
  ++number;
  m.send<&copy>(to, number, Counted(count, number));
  ++number;
  m.send<&copy>(to, number, std::span<const std::int32_t>(pattern(count, number)));
  ++number;
  m.send<&write>(to, number, Array<std::int32_t>(Counted(count, number)));
  ++number;
  m.send<&hold>(to, number, Counted(count, number));
  ++number;
  auto first = pattern(count, number);
  m.send<&two>(to, number, first, "between", pattern(count / 2, number));
  ++number;
}

std::vector<std::string> counting(std::int32_t count) {
  std::vector<std::string> lines;
  for (std::int32_t i = 0; i < count; ++i) lines.push_back(std::to_string(i));
  return lines;
}

std::vector<std::string> sorted(std::vector<std::string> lines) {
  std::ranges::sort(lines);
  return lines;
}

TEST_P(Large, A1_arrays_around_every_threshold_arrive_once_whole) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    WorldOptions options{.ranks = 2};
    options.seed = seed;
    options.engine.workers = seed % 2 == 0 ? 2 : 1;
    const auto world = make(options);
    constexpr std::int32_t count = 13 * 4 * 8;
    world->run([&](Node& node) -> Task<> {
      if (node.messenger.rank() == 0) {
        std::int32_t sent = 0;
        for (const std::size_t bytes : {0U, 4U, 200U, 4000U, 16'000U, 16'300U, 16'336U, 16'384U,
                                        16'400U, 33'000U, 65'536U, 100'000U, 1'000'000U}) {
          for (const std::size_t extra : {0U, 1U, 2U, 3U})
            send_one_of_each(node.messenger, 1, sent, bytes / sizeof(std::int32_t) + extra);
          co_await Pause(std::chrono::microseconds(100));
        }
      } else {
        co_await until([&] { return node.log.size() == count; });
      }
    });
    EXPECT_EQ(sorted((*world)[1].log.lines()), sorted(counting(count))) << "seed " << seed;
    EXPECT_EQ((*world)[1].messenger.stats().messages_rejected, 0U);
  }
}

TEST_P(Large, A2_arrays_and_small_messages_start_in_the_order_sent) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    WorldOptions options{.ranks = 2};
    options.seed = seed;
    options.messenger.message_threshold_bytes = 2048;
    const auto world = make(options);
    constexpr std::int32_t count = 150;
    world->run([&](Node& node) -> Task<> {
      if (node.messenger.rank() == 0) {
        core::Random random(seed);
        for (std::int32_t i = 0; i < count; ++i) {
          const std::size_t size = random.below(3) == 0 ? random.below(50'000) : random.below(300);
          switch (random.below(3)) {
            case 0:
              node.messenger.send<&view>(1, i, Counted(size, i));
              break;
            case 1:
              node.messenger.send<&copy>(1, i, pattern(size, i));
              break;
            default:
              node.messenger.send<&keep>(1, i, Counted(size, i));
          }
          if (i % 10 == 0) co_await Pause(std::chrono::microseconds(30));
        }
      } else {
        co_await until([&] { return node.log.size() == count; });
      }
    });
    EXPECT_EQ((*world)[1].log.lines(), counting(count)) << "seed " << seed;
  }
}

TEST_P(Large, a_send_to_oneself_is_like_any_other) {
  const auto world = make(WorldOptions{.ranks = 1});
  world->run([&](Node& node) -> Task<> {
    std::int32_t sent = 0;
    for (const std::size_t count : {10U, 5000U, 100'000U})
      send_one_of_each(node.messenger, 0, sent, count);
    co_await until([&] { return node.log.size() == static_cast<std::size_t>(sent); });
    EXPECT_EQ(sorted(node.log.lines()), sorted(counting(sent)));
  });
}

TEST_P(Large, answers_bring_arrays_back) {
  const auto world = make(WorldOptions{.ranks = 2});
  world->run([&](Node& node) -> Task<> {
    if (node.messenger.rank() != 0) co_return;
    for (const std::size_t count : {0U, 10U, 5000U, 100'000U}) {
      Array<std::int32_t> array = Counted(count, 0);
      for (std::int32_t i = 1; i <= 5; ++i) {
        auto reply = node.messenger.request<&back>(1, std::move(array));
        array = co_await reply;
        EXPECT_EQ(array.size(), count);
        EXPECT_TRUE(is_pattern(array, i));
      }
      auto copied = node.messenger.request<&copy_back>(1, array);
      EXPECT_TRUE(is_pattern(co_await copied, 5));
      EXPECT_EQ(array.size(), count) << "what is not moved stays";
    }
  });
}

TEST_P(Large, an_argument_may_be_reused_at_once) {
  const auto world = make(WorldOptions{.ranks = 2});
  world->run([&](Node& node) -> Task<> {
    if (node.messenger.rank() == 0) {
      auto values = pattern(50'000, 7);
      node.messenger.send<&view>(1, 7, values);
      std::ranges::fill(values, 0);
      auto array = Array<std::int32_t>::copy_of(pattern(50'000, 8));
      node.messenger.send<&keep>(1, 8, array);
      std::ranges::fill(array, 0);
    } else {
      co_await until([&] { return node.log.size() == 2; });
    }
  });
  EXPECT_THAT((*world)[1].log.lines(), ::testing::ElementsAre("7", "8"));
}

TEST_P(Large, what_nobody_receives_is_released_all_the_same) {
  const auto world = make(WorldOptions{.ranks = 2});
  world->run([&](Node& node) -> Task<> {
    if (node.messenger.rank() == 0) {
      for (std::int32_t i = 0; i < 10; ++i) node.messenger.send<&hold>(1, i, Counted(20'000, i));
      EXPECT_THROW(node.messenger.send<&keep>(17, 0, Counted(20'000, 0)), Error);
    }
    co_return;  // the job ends with arrays under way, queued and held
  });
}

}  // namespace roam::am::testing::large_message_test
