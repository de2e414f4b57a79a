// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <numeric>
#include <set>

#include "transport/conformance_world.hpp"

// What every network has to do (A1, A2 where it says so, A3). Include once per program and
// instantiate Conformance.
namespace roam::transport::conformance {

/// Checks the messages of one pair: each index once, and in order if the network preserves it.
class PairCheck {
 public:
  void see(std::uint64_t index, bool ordered) {
    if (ordered) {
      EXPECT_EQ(index, next_);
    }
    EXPECT_TRUE(seen_.insert(index).second) << "message " << index << " came twice";
    ++next_;
  }
  std::uint64_t count() const { return next_; }

 private:
  std::uint64_t next_ = 0;
  std::set<std::uint64_t> seen_;
};

/// A message that contains its number: the index, then a pattern.
inline core::Buffer numbered(std::uint64_t seed, std::uint64_t index, std::size_t bytes) {
  core::Buffer data = pattern(seed, index, std::max(bytes, sizeof index));
  std::memcpy(data.data(), &index, sizeof index);
  return data;
}
inline std::uint64_t check_numbered(const core::Buffer& data, std::uint64_t seed) {
  std::uint64_t index = 0;
  EXPECT_GE(data.size(), sizeof index);
  if (data.size() >= sizeof index) std::memcpy(&index, data.data(), sizeof index);
  const core::Buffer wanted = numbered(seed, index, data.size());
  EXPECT_EQ(std::memcmp(wanted.data(), data.data(), data.size()), 0)
      << "message " << index << " is damaged";
  return index;
}
inline std::uint64_t pair_seed(std::uint64_t seed, Rank source, Rank destination) {
  return seed + source.index() * 4099 + destination.index();
}

TEST_P(Conformance, A1_A2_every_message_once_in_order) {
  static constexpr std::uint64_t per_pair = 400;
  world->run([this](Member& me) -> Program {
    std::map<Rank, PairCheck> from;
    me.on_message = [&](Rank source, core::Buffer data) {
      from[source].see(check_numbered(data, pair_seed(seed, source, me.rank())), me.ordered());
    };
    core::Random random(seed + me.rank().index());
    std::vector<std::uint64_t> sent(static_cast<std::size_t>(me.size()));
    const std::size_t longest = me.endpoint->capabilities().max_message_bytes;
    for (std::uint64_t left = per_pair * sent.size(); left > 0; --left) {
      std::size_t to = random.below(sent.size());
      while (sent[to] == per_pair) to = (to + 1) % sent.size();
      const auto destination = Rank(static_cast<std::int32_t>(to));
      // Most messages are short, but some are of any length: long ones must not be overtaken.
      const std::size_t bytes =
          random.below(16) == 0 ? random.below(longest + 1) : random.below(600);
      me.endpoint->send(destination,
                        numbered(pair_seed(seed, me.rank(), destination), sent[to]++, bytes));
      if (random.below(8) == 0) co_await me.turn(1 + random.below(20));
    }
    while (me.message_count < per_pair * sent.size()) co_await me.turn();
    for (const auto& [source, check] : from) EXPECT_EQ(check.count(), per_pair);
  });
}

TEST_P(Conformance, A1_empty_and_longest_messages) {
  world->run([this](Member& me) -> Program {
    const std::size_t longest = me.endpoint->capabilities().max_message_bytes;
    const std::vector<std::size_t> sizes{0,    longest, 0,    1,       longest - 1, 4096,
                                         4097, 0,       4095, longest, 16,          0};
    for (std::int32_t to = 0; to < me.size(); ++to) {
      for (std::size_t i = 0; i < sizes.size(); ++i)
        me.endpoint->send(to, pattern(seed, sizes[i], sizes[i]));
    }
    me.endpoint->send(me.rank(), core::Buffer());  // no block at all is an empty message too
    while (me.message_count < sizes.size() * static_cast<std::size_t>(me.size()) + 1)
      co_await me.turn();
    for (std::int32_t source = 0; source < me.size(); ++source) {
      std::vector<std::size_t> got;
      for (const core::Buffer& data : me.messages[source]) {
        got.push_back(data.size());
        EXPECT_TRUE(is_pattern(data, seed, data.size()));
      }
      std::vector<std::size_t> wanted = sizes;
      if (source == me.rank().value()) wanted.push_back(0);
      if (!me.ordered()) {
        std::ranges::sort(got);
        std::ranges::sort(wanted);
      }
      EXPECT_EQ(got, wanted) << "from rank " << source;
    }
  });
}

TEST_P(Conformance, A2_order_holds_for_small_limits_and_answers_from_within_the_sink) {
  static constexpr std::uint64_t count = 300;
  static constexpr std::uint64_t answer = 1000;
  world->run([this](Member& me) -> Program {
    core::Random random(seed + me.rank().index());
    std::map<Rank, PairCheck> questions;
    std::map<Rank, PairCheck> answers;
    me.on_message = [&](Rank source, core::Buffer data) {
      const std::uint64_t index = check_numbered(data, seed);
      (index < answer ? questions : answers)[source].see(index % answer, me.ordered());
      if (index < answer) me.endpoint->send(source, numbered(seed, index + answer, data.size()));
    };
    const std::size_t longest = me.endpoint->capabilities().max_message_bytes;
    for (std::uint64_t i = 0; i < count; ++i) {
      for (std::int32_t to = 0; to < me.size(); ++to) {
        const std::size_t bytes = random.below(20) == 0 ? longest : random.below(1200);
        me.endpoint->send(to, numbered(seed, i, bytes));
      }
      if (random.below(4) == 0) co_await me.turn(1);
    }
    while (me.message_count < 2 * count * static_cast<std::size_t>(me.size())) {
      const std::size_t before = me.message_count;
      const std::size_t limit = 1 + random.below(3);
      co_await me.turn(limit);
      EXPECT_LE(me.message_count - before, limit);
    }
  });
}

TEST_P(Conformance, A1_a_sink_that_throws_loses_no_message) {
  static constexpr std::uint64_t count = 50;
  world->run([this](Member& me) -> Program {
    std::map<Rank, PairCheck> from;
    std::size_t caught = 0;
    me.on_message = [&](Rank source, core::Buffer data) {
      const std::uint64_t index = check_numbered(data, seed);
      from[source].see(index, me.ordered());
      if (index % 10 == 3) throw std::out_of_range("from the sink");
    };
    for (std::uint64_t i = 0; i < count; ++i) {
      for (std::int32_t to = 0; to < me.size(); ++to)
        me.endpoint->send(to, numbered(seed, i, i % 7 == 0 ? 5000 : 40));
    }
    const auto ranks = static_cast<std::size_t>(me.size());
    while (me.message_count < count * ranks) {
      try {
        me.progress();
      } catch (const std::out_of_range&) {
        ++caught;
      }
      co_await std::suspend_always();
    }
    EXPECT_EQ(caught, count / 10 * ranks);
  });
}

TEST_P(Conformance, A1_to_oneself) {
  world->run([this](Member& me) -> Program {
    PairCheck check;
    me.on_message = [&](Rank source, core::Buffer data) {
      EXPECT_EQ(source, me.rank());
      const std::uint64_t index = check_numbered(data, seed);
      check.see(index, me.ordered());
      // Called from within the sink.
      if (index < 500) me.endpoint->send(me.rank(), numbered(seed, index + 2, 24));
    };
    me.endpoint->send(me.rank(), numbered(seed, 0, 24));
    me.endpoint->send(me.rank(), numbered(seed, 1, 24));
    while (me.message_count < 502) co_await me.turn(3);
    EXPECT_EQ(me.progress(), 0U);
  });
}

/// Every rank to the next one, in a ring (with one rank: to itself).
inline Rank next_of(Member& me) { return (me.rank().value() + 1) % me.size(); }
inline Rank previous_of(Member& me) { return (me.rank().value() + me.size() - 1) % me.size(); }
inline const std::array<std::size_t, 8> bulk_sizes{0,     1,       4096,          65536,
                                                   65537, 1 << 20, (4 << 20) + 3, (16 << 20) + 1};
/// The largest size is used with two ranks only, because of small machines.
inline std::size_t bulk_size_count(Member& me) {
  return bulk_sizes.size() - (me.size() > 2 ? 1 : 0);
}

TEST_P(Conformance, A1_bulk_announced_before_it_is_sent) {
  world->run([this](Member& me) -> Program {
    for (std::size_t i = 0; i < bulk_size_count(me); ++i) {
      const auto tag = static_cast<BulkTag>(i * 0x10000001);
      me.endpoint->receive_bulk(previous_of(me), tag, bulk_sizes[i]);
      me.endpoint->send(previous_of(me), pattern(seed, 0, 8));  // ready
      while (me.messages[next_of(me)].size() < 1) co_await me.turn();
      static_cast<void>(me.take(next_of(me)));
      me.endpoint->send_bulk(next_of(me), tag, pattern(seed + me.rank().index(), i, bulk_sizes[i]));
      while (me.bulks.size() < i + 1) co_await me.turn();
      EXPECT_EQ(me.bulks.back().source, previous_of(me));
      EXPECT_EQ(me.bulks.back().tag, tag);
      EXPECT_EQ(me.bulks.back().data.size(), bulk_sizes[i]);
      EXPECT_TRUE(is_pattern(me.bulks.back().data, seed + previous_of(me).index(), i));
      me.bulks.back().data.reset();
    }
  });
}

TEST_P(Conformance, A1_bulk_announced_after_it_was_sent) {
  world->run([this](Member& me) -> Program {
    for (std::size_t i = 0; i < bulk_size_count(me); ++i) {
      const auto tag = static_cast<BulkTag>(0xfffffff0 + i);
      me.endpoint->send_bulk(next_of(me), tag, pattern(seed + me.rank().index(), i, bulk_sizes[i]));
      me.endpoint->send(next_of(me), pattern(seed, 0, 8));  // it is on its way
      while (me.messages[previous_of(me)].size() < 1) co_await me.turn();
      static_cast<void>(me.take(previous_of(me)));
      for (int wait = 0; wait < 20; ++wait) co_await me.turn();
      EXPECT_EQ(me.bulks.size(), i) << "delivered without having been announced";
      me.endpoint->receive_bulk(previous_of(me), tag, bulk_sizes[i]);
      while (me.bulks.size() < i + 1) co_await me.turn();
      EXPECT_EQ(me.bulks.back().tag, tag);
      EXPECT_EQ(me.bulks.back().data.size(), bulk_sizes[i]);
      EXPECT_TRUE(is_pattern(me.bulks.back().data, seed + previous_of(me).index(), i));
      me.bulks.back().data.reset();
    }
  });
}

/// Memory of the test that buffers borrow; it overwrites what was sent from it as soon as that is
/// allowed.
class Lent final : public core::Lender {
 public:
  explicit Lent(std::size_t bytes) : memory(bytes) {}
  Lent(std::uint64_t seed, std::uint64_t index, std::size_t bytes) : Lent(bytes) {
    const core::Buffer data = pattern(seed, index, bytes);
    std::copy_n(data.data(), bytes, memory.begin());
    spoils = true;
  }
  core::Buffer lend() { return core::Buffer::borrow(std::span(memory), this); }
  void take_back(std::span<std::byte> returned) noexcept override {
    EXPECT_EQ(returned.data(), memory.data());
    EXPECT_EQ(returned.size(), memory.size());
    if (spoils) std::ranges::fill(memory, std::byte{0xee});
    ++times_returned;
  }
  std::vector<std::byte> memory;
  bool spoils = false;
  std::atomic<int> times_returned{0};  // by any thread
};

TEST_P(Conformance, A5_bulk_goes_from_borrowed_memory_into_borrowed_memory) {
  world->run([this](Member& me) -> Program {
    for (std::size_t i = 0; i < bulk_sizes.size() - 1; ++i) {
      for (const bool is_announced_first : {true, false}) {
        const auto tag = static_cast<BulkTag>(2 * i + (is_announced_first ? 1 : 0));
        const std::size_t size = bulk_sizes[i];
        Lent source(seed + me.rank().index(), tag, size);
        Lent target(size);
        if (is_announced_first)
          me.endpoint->receive_bulk(previous_of(me), tag, size, target.lend());
        me.endpoint->send(previous_of(me), pattern(seed, 0, 8));  // ready
        while (me.messages[next_of(me)].size() < 1) co_await me.turn();
        static_cast<void>(me.take(next_of(me)));
        me.endpoint->send_bulk(next_of(me), tag, source.lend());
        for (int wait = 0; wait < 10; ++wait) co_await me.turn();
        if (!is_announced_first)
          me.endpoint->receive_bulk(previous_of(me), tag, size, target.lend());
        while (me.bulks.empty()) co_await me.turn();
        EXPECT_EQ(me.bulks.back().tag, tag);
        EXPECT_EQ(me.bulks.back().data.data(), target.memory.data()) << "not where it should go";
        EXPECT_EQ(target.times_returned, 0) << "the sink has it still";
        EXPECT_TRUE(is_pattern(me.bulks.back().data, seed + previous_of(me).index(), tag));
        me.bulks.clear();
        EXPECT_EQ(target.times_returned, 1);
        while (source.times_returned < 1) co_await me.turn();
        EXPECT_EQ(source.times_returned, 1);
      }
    }
  });
}

TEST_P(Conformance, A5_bulk_from_borrowed_memory_without_a_target) {
  world->run([this](Member& me) -> Program {
    Lent source(seed + me.rank().index(), 1, 200'000);
    me.endpoint->receive_bulk(previous_of(me), 7, 200'000);
    me.endpoint->send_bulk(next_of(me), 7, source.lend());
    while (me.bulks.empty()) co_await me.turn();
    EXPECT_TRUE(is_pattern(me.bulks.back().data, seed + previous_of(me).index(), 1));
    me.bulks.clear();
    while (source.times_returned < 1) co_await me.turn();
  });
}

TEST_P(Conformance, A1_many_bulk_transfers_among_messages) {
  static constexpr std::uint32_t per_pair = 60;
  world->run([this](Member& me) -> Program {
    const auto ranks = static_cast<std::size_t>(me.size());
    const auto size_of = [this](Rank source, Rank destination, BulkTag tag) {
      return core::Random(pair_seed(seed, source, destination) * 97 + tag).below(50000);
    };
    std::map<Rank, PairCheck> from;
    me.on_message = [&](Rank source, core::Buffer data) {
      from[source].see(check_numbered(data, pair_seed(seed, source, me.rank())), me.ordered());
    };
    // Starts the sends and announcements of all transfers in an order of this rank's own.
    std::vector<std::pair<std::size_t, bool>> steps;
    for (std::size_t i = 0; i < ranks * per_pair; ++i) {
      steps.emplace_back(i, true);
      steps.emplace_back(i, false);
    }
    core::Random random(seed + me.rank().index());
    std::ranges::shuffle(steps, random);
    std::map<Rank, std::uint64_t> sent;
    for (const auto& [step, sending] : steps) {
      const Rank peer = static_cast<std::int32_t>(step / per_pair);
      const auto tag = static_cast<BulkTag>(step % per_pair);
      if (sending) {
        me.endpoint->send_bulk(
            peer, tag,
            pattern(pair_seed(seed, me.rank(), peer), tag, size_of(me.rank(), peer, tag)));
        me.endpoint->send(
            peer, numbered(pair_seed(seed, me.rank(), peer), sent[peer]++, random.below(300)));
      } else {
        me.endpoint->receive_bulk(peer, tag, size_of(peer, me.rank(), tag));
      }
      if (random.below(4) == 0) co_await me.turn(1 + random.below(8));
    }
    while (me.message_count < ranks * per_pair || me.bulks.size() < ranks * per_pair)
      co_await me.turn();
    std::set<std::pair<Rank, BulkTag>> seen;
    for (const Member::Bulk& bulk : me.bulks) {
      EXPECT_TRUE(seen.emplace(bulk.source, bulk.tag).second);
      EXPECT_EQ(bulk.data.size(), size_of(bulk.source, me.rank(), bulk.tag));
      EXPECT_TRUE(is_pattern(bulk.data, pair_seed(seed, bulk.source, me.rank()), bulk.tag));
    }
  });
}

TEST_P(Conformance, A3_all_flood_all_before_anybody_receives) {
  static constexpr std::uint64_t per_pair = 3000;
  world->run([](Member& me) -> Program {
    std::map<Rank, std::uint64_t> next;
    me.on_message = [&](Rank source, core::Buffer data) {
      std::uint64_t index = 0;
      std::memcpy(&index, data.data(), sizeof index);
      if (me.ordered()) {
        EXPECT_EQ(index, next[source]);
      }
      ++next[source];
    };
    for (std::uint64_t i = 0; i < per_pair; ++i) {
      for (std::int32_t to = 0; to < me.size(); ++to) {
        core::Buffer data = core::Buffer::allocate(64);
        data.append(&i, sizeof i);
        data.set_size(8 + i % 57);
        me.endpoint->send(to, std::move(data));
      }
    }
    while (me.message_count < per_pair * static_cast<std::size_t>(me.size())) {
      co_await me.turn(2);
      EXPECT_LE(me.last_delivered, 66U) << "progress went far past its limit";
    }
    for (const auto& [source, count] : next) EXPECT_EQ(count, per_pair);
  });
}

TEST_P(Conformance, A3_unsent_bytes_return_to_zero) {
  world->run([this](Member& me) -> Program {
    static constexpr std::size_t per_round = 10;
    static constexpr std::size_t bulk_bytes = 1 << 20;
    const std::size_t longest = me.endpoint->capabilities().max_message_bytes;
    std::size_t received = 0;
    std::size_t acknowledged = 0;
    me.on_message = [&](Rank /*source*/, core::Buffer data) {
      ++(data.size() == 1 ? acknowledged : received);
    };
    EXPECT_EQ(me.endpoint->unsent_bytes(), 0U);
    for (BulkTag round = 0; round < 5; ++round) {
      me.endpoint->receive_bulk(previous_of(me), round, bulk_bytes);
      for (std::size_t i = 0; i < per_round; ++i)
        me.endpoint->send(next_of(me), pattern(seed, 1, longest));
      me.endpoint->send_bulk(next_of(me), round, pattern(seed, 2, bulk_bytes));
      EXPECT_LE(me.endpoint->unsent_bytes(), per_round * longest + bulk_bytes + 1);
      while (me.bulks.size() < round + 1 || received < per_round * (round + 1)) co_await me.turn();
      me.endpoint->send(previous_of(me), pattern(seed, 3, 1));
      while (acknowledged < round + 1 || me.endpoint->unsent_bytes() > 1) co_await me.turn();
    }
    while (me.endpoint->unsent_bytes() != 0) co_await me.turn();
  });
}

TEST_P(Conformance, ping_pong_both_ways_at_once) {
  static constexpr std::uint64_t rounds = 1000;
  world->run([this](Member& me) -> Program {
    if (me.rank() > 1) co_return;
    const Rank peer = me.size() == 1 ? me.rank() : Rank(1 - me.rank().value());
    me.on_message = [&](Rank source, core::Buffer data) {
      const std::uint64_t hops = check_numbered(data, seed);
      EXPECT_EQ(source, peer);
      if (hops < rounds) me.endpoint->send(peer, numbered(seed, hops + 1, 8 + hops % 5000));
    };
    me.endpoint->send(peer, numbered(seed, 0, 8));
    while (me.message_count < rounds + 1) co_await me.turn(1);
  });
}

TEST_P(Conformance, close_with_messages_on_their_way) {
  world->run([this](Member& me) -> Program {
    const std::size_t longest =
        std::min<std::size_t>(20000, me.endpoint->capabilities().max_message_bytes);
    for (int i = 0; i < 100; ++i) {
      for (std::int32_t to = 0; to < me.size(); ++to)
        me.endpoint->send(to, pattern(seed, 1, i % 10 == 0 ? longest : 40));
    }
    co_return;  // received by nobody: closing must neither hang nor crash
  });
}

}  // namespace roam::transport::conformance
