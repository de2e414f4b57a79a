// SPDX-License-Identifier: Apache-2.0
// A4 remote memory, A5 completion: puts, gets and what can be done with the memory.
#include <gmock/gmock.h>

#include "am/remote_memory_world.hpp"

namespace roam::am::testing::remote_memory_test {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Memory : public OnEveryNetwork {
 protected:
  /// Runs `main` on rank 0 of a job with remote memory.
  void run(const std::function<Task<>(RemoteMemory&, Node&)>& main, WorldOptions options = {}) {
    for (std::uint64_t seed = 1; seed <= (GetParam().name == "in_process" ? 1U : 8U); ++seed) {
      options.seed = seed;
      const auto world = make(options);
      Memories memories(*world);
      std::atomic<bool> is_over{false};
      world->run([&](Node& node) -> Task<> {
        if (node.messenger.rank() == 0) {
          try {
            co_await main(memories.of(node), node);
          } catch (const std::exception& error) {
            ADD_FAILURE() << error.what();
          }
          is_over = true;
        } else {
          co_await until([&] { return is_over.load(); });
        }
      });
      for (const auto& node : world->nodes) {
        EXPECT_EQ(node->messenger.stats().messages_rejected, 0U);
        EXPECT_THAT(node->failures.lines(), ElementsAre());
        EXPECT_EQ(node->endpoint->unsent_bytes(), 0U);
      }
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Networks, Memory, ::testing::ValuesIn(all_networks()), network_name);

TEST_P(Memory, A5_what_was_put_is_got_whatever_its_size) {
  run([](RemoteMemory& memory, Node& node) -> Task<> {
    for (const Rank rank : {Rank(0), Rank(1)}) {
      // Sizes around the message threshold, and far larger than any message.
      for (const std::size_t bytes :
           {1UL, 8UL, 1000UL, 16200UL, 16384UL, 16500UL, 65536UL, 200'000UL, 1UL << 20}) {
        const std::size_t count = (bytes + 7) / 8;
        const auto there = co_await memory.remote_alloc<std::int64_t>(rank, count);
        EXPECT_EQ(there.rank(), rank);
        std::vector<std::int64_t> back(count, -1);
        co_await memory.get(back, there);
        EXPECT_THAT(back, Each(0)) << "new memory is zero";
        const auto sent = counting_from(17, count);
        co_await memory.put(there, sent);
        co_await memory.get(back, there);
        EXPECT_EQ(back, sent) << bytes << " bytes";
        co_await memory.remote_free(there);
      }
    }
    EXPECT_THAT(node.errors.lines(), ElementsAre());
  });
}

TEST_P(Memory, values_parts_and_nothing) {
  run([](RemoteMemory& memory, Node&) -> Task<> {
    struct Particle {
      double x, v;
      std::int32_t kind;
    };
    const auto there = co_await memory.remote_alloc<Particle>(1, 10);
    const Particle one{1.5, -2, 7};
    co_await memory.put(there + 4, one);
    const Particle back = co_await memory.get(there[4]);
    EXPECT_EQ(back.x, 1.5);
    EXPECT_EQ(back.kind, 7);
    const remote_ptr<const Particle> read_only = there;
    EXPECT_EQ((co_await memory.get(read_only + 3)).kind, 0);
    co_await memory.put(there + 10, std::span<const Particle>());  // at the very end: nothing
    std::vector<Particle> none;
    co_await memory.get(none, there + 10);
    const auto empty = co_await memory.remote_alloc<double>(1, 0);
    co_await memory.remote_free(empty);
    co_await memory.remote_free(there);
  });
}

TEST_P(Memory, A5_local_completion_lets_the_source_be_changed) {
  run([](RemoteMemory& memory, Node&) -> Task<> {
    for (const std::size_t count : {10UL, 100'000UL}) {
      const auto there = co_await memory.remote_alloc<std::int64_t>(1, count);
      std::vector<std::int64_t> source = counting_from(5, count);
      auto put = memory.put(there, source);
      co_await put.local();
      EXPECT_TRUE(put.is_local());
      std::ranges::fill(source, -1);
      co_await put;
      EXPECT_TRUE(put.is_ready());
      co_await memory.get(source, there);
      EXPECT_EQ(source, counting_from(5, count));
      co_await memory.remote_free(there);
    }
  });
}

TEST_P(Memory, A5_a_large_put_costs_one_announcement_and_one_answer) {
  const auto world = make();
  Memories memories(*world);
  std::atomic<bool> is_over{false};
  world->run([&](Node& node) -> Task<> {
    if (node.messenger.rank() == 0) {
      const auto there = co_await memories[0].remote_alloc<std::int64_t>(1, 131'072);
      const auto values = counting_from(1, 131'072);
      const MessengerStats before = node.messenger.stats();
      const MessengerStats before_there = (*world)[1].messenger.stats();
      co_await memories[0].put(there, values);
      const MessengerStats after = node.messenger.stats();
      const MessengerStats after_there = (*world)[1].messenger.stats();
      EXPECT_EQ(after.messages_sent, before.messages_sent + 1);
      EXPECT_EQ(after.bytes_sent, before.bytes_sent + (1 << 20) + 88);
      EXPECT_EQ(after_there.messages_sent, before_there.messages_sent + 1);
      EXPECT_EQ(after_there.bytes_sent, before_there.bytes_sent + 40);
      is_over = true;
    } else {
      co_await until([&] { return is_over.load(); });
    }
  });
}

std::int64_t sum_at(remote_span<std::int64_t> where) {
  const auto values = memory().local(where);
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

TEST_P(Memory, A2_A5_a_later_message_finds_the_data_of_earlier_puts) {
  run([](RemoteMemory& memory, Node& node) -> Task<> {
    for (const std::size_t count : {4UL, 50'000UL}) {
      const auto there = co_await memory.remote_alloc<std::int64_t>(1, count);
      const auto values = counting_from(1, count);
      const auto sum = static_cast<std::int64_t>(count * (count + 1) / 2);
      auto put = memory.put(there, values);
      const remote_span<std::int64_t> where(there, count);
      EXPECT_EQ(co_await node.messenger.request<&sum_at>(1, where), sum);
      co_await put;
    }
  });
}

TEST_P(Memory, many_at_once_and_dropped) {
  run([](RemoteMemory& memory, Node&) -> Task<> {
    constexpr std::size_t each = 3000;
    const auto there = co_await memory.remote_alloc<std::int64_t>(1, 40 * each);
    const auto values = counting_from(0, 40 * each);
    std::vector<Put> puts;
    for (std::size_t i = 0; i < 40; ++i) {
      const auto part = std::span(values).subspan(i * each, i % 2 == 0 ? each : 100);
      auto put = memory.put(there + static_cast<std::int64_t>(i * each), part);
      if (i % 4 < 2) puts.push_back(std::move(put));
    }
    for (auto& put : puts) co_await put;
    std::vector<std::int64_t> back(40 * each);
    co_await memory.get(back, there);
    for (std::size_t i = 0; i < 40; ++i) {
      EXPECT_EQ(back[i * each + 99], values[i * each + 99]) << i;
      EXPECT_EQ(back[i * each + each - 1], i % 2 == 0 ? values[i * each + each - 1] : 0) << i;
    }
  });
}

void halve(std::span<std::int64_t> landed, const std::string& note) {
  for (std::int64_t& v : landed) v /= 2;
  log().add(note + " " + std::to_string(landed.size()));
}
Task<> halve_later(std::span<std::int64_t> landed, const std::string& note) {
  co_await Pause(std::chrono::microseconds(50));
  halve(landed, note);
}
void mark(const std::string& note) { log().add(note); }

TEST_P(Memory, A4_put_op_runs_its_handler_on_the_landed_data_in_order) {
  run([](RemoteMemory& memory, Node& node) -> Task<> {
    for (const std::size_t count : {8UL, 30'000UL}) {
      const auto there = co_await memory.remote_alloc<std::int64_t>(1, count);
      const auto values = counting_from(100, count);
      node.messenger.send<&mark>(1, "before");
      auto put = memory.put_op<&halve>(there, values, "put_op");
      co_await node.messenger.request<&mark>(1, "after");
      co_await put;
      auto second = memory.put_op<&halve_later>(there, values, std::string(100, 'x'));
      // The region must not be freed before the handler has ended.
      auto freed = memory.remote_free(there);
      co_await second;
      co_await freed;
      EXPECT_THAT(co_await refusal(memory.get(there)), HasSubstr("freed"));
    }
  });
}

TEST_P(Memory, put_op_handlers_start_in_the_order_sent) {
  WorldOptions options;
  const auto world = make(options);
  Memories memories(*world);
  world->run([&](Node& node) -> Task<> {
    if (node.messenger.rank() == 0) {
      const auto there = co_await memories[0].remote_alloc<std::int64_t>(1, 12 * 30'000);
      const auto values = counting_from(100, 30'000);
      for (int i = 0; i < 12; ++i) {
        const auto part = std::span(values).first(i % 3 == 0 ? 30'000 : 10);
        // Each put has a place of its own, because the handler before may still be running.
        (void)memories[0].put_op<&halve>(there + i * 30'000, part, std::to_string(i));
        node.messenger.send<&mark>(1, "mark");
      }
      co_await until([&] { return (*world)[1].log.size() == 24; });
    } else {
      co_await until([&] { return node.log.size() == 24; });
    }
  });
  const auto lines = (*world)[1].log.lines();
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(lines[2 * static_cast<std::size_t>(i)],
              std::to_string(i) + (i % 3 == 0 ? " 30000" : " 10"));
    EXPECT_EQ(lines[2 * static_cast<std::size_t>(i) + 1], "mark");
  }
}

TEST_P(Memory, A4_get_op_runs_its_handler_here_once_the_data_is_here) {
  run([](RemoteMemory& memory, Node& node) -> Task<> {
    for (const std::size_t count : {8UL, 30'000UL}) {
      const auto there = co_await memory.remote_alloc<std::int64_t>(1, count);
      co_await memory.put(there, counting_from(2, count));
      std::vector<std::int64_t> here(count);
      const std::size_t before = node.log.size();
      co_await memory.get_op<&halve>(here, there, "here");
      co_await until([&] { return node.log.size() == before + 1; });
      EXPECT_EQ(node.log.lines().back(), "here " + std::to_string(count));
      EXPECT_EQ(here[2], 2);
      co_await memory.get_op<&halve_later>(here, there, "later");
      co_await until([&] { return node.log.size() == before + 2; });
      EXPECT_EQ(here.back(), static_cast<std::int64_t>(count + 1) / 2);
      EXPECT_THAT(co_await refusal(memory.get_op<&halve>(here, there + 1, "never")),
                  HasSubstr("get_op at rank 1"));
      EXPECT_EQ(node.log.size(), before + 2) << "a handler ran without data";
    }
  });
}

TEST_P(Memory, exposed_memory_is_reached_in_place) {
  for (const std::size_t count : {10UL, 40'000UL}) {
    const auto world = make();
    Memories memories(*world);
    std::vector<std::int64_t> field(count);
    std::atomic<int> stage{0};
    remote_ptr<std::int64_t> name;
    world->run([&](Node& node) -> Task<> {
      RemoteMemory& memory = memories.of(node);
      if (node.messenger.rank() == 1) {
        auto exposed = memory.expose(std::span(field));
        EXPECT_EQ(exposed.span().size(), count);
        name = exposed.get();
        stage = 1;
        co_await until([&] { return stage == 2; });
        EXPECT_EQ(field, counting_from(1, count)) << "visible to the owner (A5)";
        co_await memory.withdraw(std::move(exposed));
        stage = 3;
        co_await until([&] { return stage == 4; });
      } else {
        co_await until([&] { return stage == 1; });
        co_await memory.put(name, counting_from(1, count));
        stage = 2;
        co_await until([&] { return stage == 3; });
        EXPECT_THAT(co_await refusal(memory.put(name, counting_from(7, count))),
                    HasSubstr("exposed no more"));
        EXPECT_EQ(field[0], 1);
        stage = 4;
      }
    });
  }
}

TEST_P(Memory, A4_freeing_waits_for_transfers_under_way) {
  run([](RemoteMemory& memory, Node&) -> Task<> {
    constexpr std::size_t count = 60'000;
    const auto values = counting_from(3, count);
    for (int i = 0; i < 5; ++i) {
      const auto there = co_await memory.remote_alloc<std::int64_t>(1, count);
      auto put = memory.put(there, values);
      auto freed = memory.remote_free(there);  // behind it, and must not hurt it
      co_await put;
      co_await freed;
      const auto again = co_await memory.remote_alloc<std::int64_t>(1, count);
      std::vector<std::int64_t> here(count);
      co_await memory.put(again, values);
      auto get = memory.get(here, again);
      auto freed_too = memory.remote_free(again);
      co_await get;
      co_await freed_too;
      EXPECT_EQ(here, values);
    }
  });
}

TEST_P(Memory, A4_every_access_outside_is_refused_and_changes_nothing) {
  run([](RemoteMemory& memory, Node& node) -> Task<> {
    const auto there = co_await memory.remote_alloc<std::int64_t>(1, 10'000);
    co_await memory.put(there, counting_from(0, 10'000));
    const auto one = counting_from(-1, 1);
    const auto large = counting_from(-1, 9'000);
    for (const std::int64_t at : {-1L, 10'000L, 1L << 40, -(1L << 50)}) {
      const std::string text = co_await refusal(memory.put(there + at, one));
      EXPECT_THAT(text, HasSubstr("put at rank 1, region"));
      EXPECT_THAT(text, HasSubstr("offset " + std::to_string(8 * at) + ", length 8 bytes"));
      EXPECT_THAT(text, HasSubstr("region of 80000 bytes"));
      EXPECT_THAT(co_await refusal(memory.put(there + at, large)), HasSubstr("not all of it"));
      EXPECT_THAT(co_await refusal(memory.get(there + at)), HasSubstr("get at rank 1"));
      EXPECT_THAT(co_await refusal(memory.fetch_add(there + at, 1)), HasSubstr("atomic"));
    }
    EXPECT_THAT(co_await refusal(memory.put(there + 1'001, large)), HasSubstr("length 72000"));
    std::vector<std::int64_t> room(9'000);
    EXPECT_THAT(co_await refusal(memory.get(room, there + 1'001)), HasSubstr("not all of it"));
    EXPECT_THAT(room, Each(0));
    // Misaligned, freed, never allocated, of another rank.
    const auto crooked = (there.cast<char>() + 4).cast<std::int64_t>();
    EXPECT_THAT(co_await refusal(memory.put(crooked, one)), HasSubstr("aligned"));
    EXPECT_THAT(co_await refusal(memory.fetch_add(crooked, 1)), HasSubstr("aligned"));
    EXPECT_THAT(co_await refusal(memory.remote_free(there + 1)), HasSubstr("can be freed"));
    remote_ptr<std::int64_t> forged({1, 4711, 1, 0});
    EXPECT_THAT(co_await refusal(memory.put(forged, one)), HasSubstr("no such memory"));
    EXPECT_THAT(co_await refusal(memory.put(forged, large)), HasSubstr("no such memory"));
    RemoteAddress other = there.address();
    ++other.generation;
    EXPECT_THAT(co_await refusal(memory.get(remote_ptr<std::int64_t>(other))),
                HasSubstr("no such memory"));
    EXPECT_THROW((void)memory.local(there, 1), RemoteMemoryError);
    EXPECT_THROW((void)memory.put(remote_ptr<std::int64_t>(), one), RemoteMemoryError);
    EXPECT_THROW((void)memory.get(remote_ptr<std::int64_t>({2, 0, 1, 0})), RemoteMemoryError);
    EXPECT_THAT(co_await refusal(memory.remote_alloc<double>(1, ~0UL / 4)), HasSubstr("enough"));
    EXPECT_THAT(co_await refusal(memory.remote_alloc<double>(1, 1UL << 45)), HasSubstr("enough"));
    std::vector<std::int64_t> back(10'000);
    co_await memory.get(back, there);
    EXPECT_EQ(back, counting_from(0, 10'000)) << "the target's memory is unchanged";
    co_await memory.remote_free(there);
    EXPECT_THAT(co_await refusal(memory.remote_free(there)), HasSubstr("freed"));
    EXPECT_THAT(co_await refusal(memory.put(there, large)), HasSubstr("freed"));
    EXPECT_THAT(node.errors.lines(), ElementsAre());
  });
}

TEST_P(Memory, R2_refusals_that_nobody_awaits_reach_the_job) {
  run([](RemoteMemory& memory, Node& node) -> Task<> {
    const auto there = co_await memory.remote_alloc<std::int64_t>(1, 10);
    const auto one = counting_from(1, 1);
    (void)memory.put(there + 10, one);  // dropped before the answer
    {
      auto put = memory.put(there + 11, one);
      co_await until([&] { return put.is_ready(); });
    }  // after it
    co_await until([&] { return node.errors.size() == 2; });
    EXPECT_THAT(node.errors.lines()[0], HasSubstr("offset 80"));
    EXPECT_THAT(node.errors.lines()[1], HasSubstr("offset 88"));
  });
}

TEST_P(Memory, atomics_give_the_old_value) {
  run([](RemoteMemory& memory, Node&) -> Task<> {
    const auto words = co_await memory.remote_alloc<std::uint32_t>(1, 4);
    const auto longs = co_await memory.remote_alloc<std::int64_t>(1, 4);
    const auto reals = co_await memory.remote_alloc<double>(1, 1);
    EXPECT_EQ(co_await memory.fetch_add(words + 1, 5U), 0U);
    EXPECT_EQ(co_await memory.fetch_add(words + 1, ~0U), 5U);
    EXPECT_EQ(co_await memory.fetch_or(words + 1, 0xf0U), 4U);
    EXPECT_EQ(co_await memory.fetch_and(words + 1, 0xfcU), 0xf4U);
    EXPECT_EQ(co_await memory.fetch_xor(words + 1, 0xffU), 0xf4U);
    EXPECT_EQ(co_await memory.exchange(words + 1, 9U), 0x0bU);
    EXPECT_EQ(co_await memory.fetch_add(longs, -7), 0);
    EXPECT_EQ(co_await memory.compare_exchange(longs, -6, 1), -7) << "does not match";
    EXPECT_EQ(co_await memory.compare_exchange(longs, -7, 1), -7);
    EXPECT_EQ(co_await memory.get(longs), 1);
    EXPECT_EQ(co_await memory.fetch_add(reals, 1.5), 0.0);
    EXPECT_EQ(co_await memory.fetch_add(reals, 1.5), 1.5);
    EXPECT_EQ(co_await memory.get(words), 0U) << "the neighbours are untouched";
    EXPECT_EQ(co_await memory.get(words + 2), 0U);
  });
}

TEST_P(Memory, boxes_go_from_strides_to_strides) {
  run([](RemoteMemory& memory, Node&) -> Task<> {
    // A 3-D block out of an array of 20 x 10 x 5 into one of 30 x 12 x 9, and back transposed.
    const auto there = co_await memory.remote_alloc<std::int64_t>(1, 30 * 12 * 9);
    const auto source = counting_from(0, 20 * 10 * 5);
    const Extents extents = box(7, 4, 3);
    const auto part = std::span(source).subspan(2 + 20 * 3);
    const Strides here_strides = inside(20, 10);
    const Strides there_strides = inside(30, 12);
    co_await memory.put_strided(there + 5 + 30 * 2, there_strides, part, here_strides, extents);
    std::vector<std::int64_t> whole(30 * 12 * 9);
    co_await memory.get(whole, there);
    std::int64_t written = 0;
    for (std::size_t z = 0; z < 9; ++z) {
      for (std::size_t y = 0; y < 12; ++y) {
        for (std::size_t x = 0; x < 30; ++x) {
          const bool is_inside = x >= 5 && x < 12 && y >= 2 && y < 6 && z < 3;
          const std::int64_t expected =
              is_inside ? static_cast<std::int64_t>((x - 3) + 20 * (y + 1) + 200 * z) : 0;
          EXPECT_EQ(whole[x + 30 * y + 360 * z], expected);
          written += is_inside ? 1 : 0;
        }
      }
    }
    EXPECT_EQ(written, 7 * 4 * 3);
    std::vector<std::int64_t> transposed(7 * 4);
    const Strides across{4, 1, 0};
    co_await memory.get_strided(transposed, across, there + 5 + 30 * 2, there_strides, box(7, 4));
    EXPECT_EQ(transposed[4 * 6 + 3], source[2 + 6 + 20 * (3 + 3)]);
    // Large: split-phase.
    const auto column = counting_from(1, 20'000);
    const auto table = co_await memory.remote_alloc<std::int64_t>(1, 40'000);
    const Extents pairs = blocks(10'000, 2);
    const Strides fours = every(4);
    co_await memory.put_strided(table, fours, column, dense(pairs), pairs);
    std::vector<std::int64_t> back(20'000);
    co_await memory.get_strided(back, dense(pairs), table, fours, pairs);
    EXPECT_EQ(back, column);
    EXPECT_EQ(co_await memory.get(table + 2), 0);
    EXPECT_EQ(co_await memory.get(table + 4), 3);
    // Boxes outside of the region, there and here.
    const Strides fives = every(5);
    EXPECT_THAT(co_await refusal(memory.put_strided(table, fives, column, dense(pairs), pairs)),
                HasSubstr("put_strided at rank 1"));
    EXPECT_THAT(co_await refusal(memory.get_strided(back, dense(pairs), table, fives, pairs)),
                HasSubstr("not all of it"));
    EXPECT_THROW((void)memory.put_strided(table, fours, column, fours, pairs), RemoteMemoryError);
    const Strides backwards{-1, 0, 0};
    EXPECT_THAT(co_await refusal(memory.get_strided(back, dense(pairs), table, backwards, row(2))),
                HasSubstr("not all of it"));
    EXPECT_EQ(co_await memory.get(table + 5), 4) << "unchanged";
  });
}

TEST_P(Memory, lists_scatter_and_gather) {
  run([](RemoteMemory& memory, Node&) -> Task<> {
    for (const std::size_t count : {5UL, 6'000UL}) {
      const auto there = co_await memory.remote_alloc<std::int32_t>(1, 3 * count);
      std::vector<std::uint64_t> indices;
      std::vector<std::int32_t> values;
      for (std::size_t i = 0; i < count; ++i) {
        indices.push_back(3 * (count - 1 - i));
        values.push_back(static_cast<std::int32_t>(2 * i));
        values.push_back(static_cast<std::int32_t>(2 * i + 1));
      }
      co_await memory.put_indexed(there, indices, values, 2);
      std::vector<std::int32_t> back(2 * count);
      co_await memory.get_indexed(back, there, indices, 2);
      EXPECT_EQ(back, values);
      EXPECT_EQ(co_await memory.get(there + 3), static_cast<std::int32_t>(2 * (count - 2)));
      EXPECT_EQ(co_await memory.get(there + 2), 0);
      std::vector<std::int32_t> singles(count);
      co_await memory.get_indexed(singles, there + 1, indices);
      EXPECT_EQ(singles[0], 1);
      EXPECT_THROW((void)memory.put_indexed(there, indices, values), RemoteMemoryError);
      // One index of several is wrong: nothing is written.
      indices.back() = 3 * count;
      std::ranges::fill(values, -1);
      EXPECT_THAT(co_await refusal(memory.put_indexed(there, indices, values, 2)),
                  HasSubstr("put_indexed at rank 1"));
      indices.back() = ~std::uint64_t{0} / 4;
      EXPECT_THAT(co_await refusal(memory.get_indexed(back, there, indices, 2)),
                  HasSubstr("not all of it"));
      indices.back() = 0;
      co_await memory.get_indexed(back, there, indices, 2);
      EXPECT_THAT(back, ::testing::Not(::testing::Contains(-1)));
    }
  });
}

TEST(ExposedMemory, A4_ending_an_exposure_waits_for_what_is_under_way) {
  // In real time: rank 0 floods memory that rank 1 withdraws without notice.
  ThreadWorld world(WorldOptions{});
  Memories memories(world);
  std::atomic<int> stage{0};
  remote_ptr<std::int64_t> name;
  world.run([&](Node& node) -> Task<> {
    RemoteMemory& memory = memories.of(node);
    if (node.messenger.rank() == 1) {
      for (int round = 0; round < 20; ++round) {
        auto field = std::make_unique<std::vector<std::int64_t>>(50'000);
        {
          auto exposed = memory.expose(std::span(*field));
          name = exposed.get();
          stage = 2 * round + 1;
          co_await Pause(std::chrono::microseconds(50 * round));
        }
        field.reset();  // freed: a sanitizer would see a late write
        co_await until([&] { return stage == 2 * round + 2; });
      }
    } else {
      const auto values = counting_from(1, 50'000);
      for (int round = 0; round < 20; ++round) {
        co_await until([&] { return stage == 2 * round + 1; });
        std::string text = "no error";
        while (text == "no error") text = co_await refusal(memory.put(name, values));
        EXPECT_THAT(text, HasSubstr("exposed no more"));
        stage = 2 * round + 2;
      }
    }
  });
}

}  // namespace roam::am::testing::remote_memory_test
