// SPDX-License-Identifier: Apache-2.0
// A4, A5: random operations against a model of the memory, over many orders of messages.
#include <gmock/gmock.h>

#include "am/remote_memory_world.hpp"
#include "roam/core/random.hpp"

namespace roam::am::testing::remote_memory_random_test {

constexpr std::size_t slice = 6000;  // elements of one rank in the memory of each
constexpr std::size_t counters = 4;  // behind the slices, for all

/// What one rank does to its parts of the memory of all ranks, and the expected contents.
class Actor {
 public:
  Actor(RemoteMemory& memory, std::vector<remote_ptr<std::int64_t>> regions, std::uint64_t seed)
      : memory_(memory),
        regions_(std::move(regions)),
        random_(seed * 977 + memory.messenger().rank().index()),
        model_(regions_.size(), std::vector<std::int64_t>(slice)) {}

  Task<> act(int steps, std::vector<std::int64_t>& added) {
    for (int step = 0; step < steps; ++step) {
      const std::size_t target = random_.below(regions_.size());
      switch (random_.below(8)) {
        case 0:
        case 1:
          co_await put(target);
          break;
        case 2:
        case 3:
          co_await get(target);
          break;
        case 4:
          co_await box_out(target);
          break;
        case 5:
          co_await list_out(target);
          break;
        case 6:
          co_await list_back(target);
          break;
        default:
          co_await add(target, added);
      }
    }
    while (!flying_.empty()) co_await land_first();
    for (std::size_t target = 0; target < regions_.size(); ++target) {
      std::vector<std::int64_t> all(slice);
      co_await memory_.get(all, mine(target));
      EXPECT_EQ(all, model_[target]);
    }
  }

 private:
  struct Flight {
    std::size_t target;
    std::size_t begin;
    std::size_t end;
    std::vector<std::int64_t> source;
    Put put;
  };
  [[nodiscard]] remote_ptr<std::int64_t> mine(std::size_t target) const {
    return regions_[target] + static_cast<std::int64_t>(memory_.messenger().rank().index() * slice);
  }
  [[nodiscard]] std::vector<std::int64_t> numbers(std::size_t count) {
    std::vector<std::int64_t> values(count);
    for (std::int64_t& v : values) v = static_cast<std::int64_t>(random_());
    return values;
  }
  /// Most are short, some longer than the message threshold.
  [[nodiscard]] std::pair<std::size_t, std::size_t> range() {
    const std::size_t count = random_.below(4) == 0 ? random_.below(slice) : random_.below(60);
    const std::size_t begin = random_.below(slice - count + 1);
    return {begin, begin + count};
  }
  Task<> land_first() {
    Flight flight = std::move(flying_.front());
    flying_.pop_front();
    if (random_.below(2) == 0) {
      co_await flight.put.local();
      std::ranges::fill(flight.source, -99);
    }
    co_await flight.put;
  }
  /// Waits until no put into the range is under way, because puts into the same bytes may mix.
  Task<> clear(std::size_t target, std::size_t begin, std::size_t end) {
    const auto meets = [&](const Flight& f) {
      return f.target == target && f.begin < end && begin < f.end;
    };
    while (std::ranges::any_of(flying_, meets)) co_await land_first();
  }
  Task<> put(std::size_t target) {
    const auto [begin, end] = range();
    co_await clear(target, begin, end);
    Flight flight{target, begin, end, numbers(end - begin), Put(nullptr)};
    std::ranges::copy(flight.source, model_[target].begin() + static_cast<std::ptrdiff_t>(begin));
    flight.put = memory_.put(mine(target) + static_cast<std::int64_t>(begin), flight.source);
    flying_.push_back(std::move(flight));
    if (flying_.size() > 6) co_await land_first();
  }
  Task<> get(std::size_t target) {
    const auto [begin, end] = range();
    co_await clear(target, begin, end);
    std::vector<std::int64_t> here(end - begin);
    co_await memory_.get(here, mine(target) + static_cast<std::int64_t>(begin));
    const auto expected = std::span(model_[target]).subspan(begin, end - begin);
    EXPECT_TRUE(std::ranges::equal(here, expected));
  }
  Task<> box_out(std::size_t target) {
    co_await clear(target, 0, slice);
    const Extents extents = box(1 + random_.below(10), 1 + random_.below(10), 1 + random_.below(9));
    const Strides there = inside(10 + random_.below(5), 10 + random_.below(5));
    const auto values = numbers(extents[0] * extents[1] * extents[2]);
    std::size_t i = 0;
    for (std::size_t z = 0; z < extents[2]; ++z) {
      for (std::size_t y = 0; y < extents[1]; ++y) {
        for (std::size_t x = 0; x < extents[0]; ++x) {
          model_[target][x + y * static_cast<std::size_t>(there[1]) +
                         z * static_cast<std::size_t>(there[2])] = values[i++];
        }
      }
    }
    const auto put = mine(target);
    co_await memory_.put_strided(put, there, values, dense(extents), extents);
    std::vector<std::int64_t> back(values.size());
    co_await memory_.get_strided(back, dense(extents), put, there, extents);
    EXPECT_EQ(back, values);
  }
  [[nodiscard]] std::vector<std::uint64_t> indices() {
    std::vector<std::uint64_t> all(random_.below(4) == 0 ? 2500 : random_.below(30));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = 2 * i + random_.below(2);
    std::ranges::shuffle(all, random_);
    return all;
  }
  Task<> list_out(std::size_t target) {
    co_await clear(target, 0, slice);
    const auto where = indices();
    const auto values = numbers(where.size());
    for (std::size_t i = 0; i < where.size(); ++i) model_[target][where[i]] = values[i];
    co_await memory_.put_indexed(mine(target), where, values);
  }
  Task<> list_back(std::size_t target) {
    co_await clear(target, 0, slice);
    const auto where = indices();
    std::vector<std::int64_t> values(where.size());
    co_await memory_.get_indexed(values, mine(target), where);
    for (std::size_t i = 0; i < where.size(); ++i) EXPECT_EQ(values[i], model_[target][where[i]]);
  }
  Task<> add(std::size_t target, std::vector<std::int64_t>& added) {
    const std::size_t counter = random_.below(counters);
    const auto by = static_cast<std::int64_t>(random_.below(1000));
    added[target * counters + counter] += by;
    const auto at = regions_[target] + static_cast<std::int64_t>(regions_.size() * slice + counter);
    const std::int64_t before = co_await memory_.fetch_add(at, by);
    EXPECT_GE(before, 0);
  }

  RemoteMemory& memory_;
  const std::vector<remote_ptr<std::int64_t>> regions_;
  core::Random random_;
  std::vector<std::vector<std::int64_t>> model_;
  std::deque<Flight> flying_;
};

class RandomMemory : public OnEveryNetwork {};
INSTANTIATE_TEST_SUITE_P(Networks, RandomMemory, ::testing::ValuesIn(all_networks()), network_name);

TEST_P(RandomMemory, A4_A5_all_operations_agree_with_a_model) {
  const bool is_threaded = GetParam().name == "in_process";
  for (std::uint64_t seed = 1; seed <= (is_threaded ? 3U : 60U); ++seed) {
    constexpr std::size_t ranks = 3;
    WorldOptions options{.ranks = ranks};
    options.engine.workers = 2;
    options.seed = seed;
    const auto world = make(options);
    Memories memories(*world);
    std::vector<remote_ptr<std::int64_t>> regions(ranks);
    std::vector<std::vector<std::int64_t>> added(ranks,
                                                 std::vector<std::int64_t>(ranks * counters));
    std::atomic<std::size_t> made{0};
    std::atomic<std::size_t> ended{0};
    world->run([&](Node& node) -> Task<> {
      RemoteMemory& memory = memories.of(node);
      const std::size_t self = node.messenger.rank().index();
      const Rank next(static_cast<std::int32_t>((self + 1) % ranks));
      regions[next.index()] =
          co_await memory.remote_alloc<std::int64_t>(next, ranks * slice + counters);
      ++made;
      co_await until([&] { return made == ranks; });
      Actor actor(memory, regions, seed);
      co_await actor.act(60, added[self]);
      ++ended;
      co_await until([&] { return ended >= ranks; });
      for (std::size_t counter = 0; counter < counters; ++counter) {
        std::int64_t expected = 0;
        for (const auto& by : added) expected += by[self * counters + counter];
        const auto at = regions[self] + static_cast<std::int64_t>(ranks * slice + counter);
        EXPECT_EQ(co_await memory.get(at), expected);
      }
      ++ended;
      co_await until([&] { return ended == 2 * ranks; });
    });
    for (const auto& node : world->nodes) {
      EXPECT_EQ(node->messenger.stats().messages_rejected, 0U);
      EXPECT_TRUE(node->errors.lines().empty());
    }
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

}  // namespace roam::am::testing::remote_memory_random_test
