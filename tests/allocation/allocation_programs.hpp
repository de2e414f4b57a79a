// SPDX-License-Identifier: Apache-2.0
#pragma once

// Programs that count what messages take from the heap once the runtime is warm, on whole jobs.
// Included once by each test program.
#include <gmock/gmock.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <string>

#include "allocation/counting_new.hpp"
#include "roam/roam.hpp"

namespace roam::allocation {

using tests::HeapUse;

/// A way to run a job of two ranks.
struct JobKind {
  std::string name;
  std::function<int(const Runtime::Program&)> run;
  bool has_shared_batches = false;  // which several workers take apart
  bool is_deterministic = false;
  // Whether a worker that makes a coroutine or awaits an answer has what it gave back before: not
  // where virtual time passes, nor where another worker may have gone on with the coroutine.
  bool has_spare_blocks = false;
};

inline void PrintTo(const JobKind& kind, std::ostream* out) { *out << kind.name; }

inline constexpr std::int32_t warm_up = 3000;
inline constexpr std::int32_t measured = 3000;

/// What the handlers of this process found; each is written by one of them.
struct Findings {
  static inline std::atomic<std::uint64_t> at_begin{0};
  static inline std::atomic<std::uint64_t> at_end{0};
  static inline std::atomic<int> ended{0};

  /// The rank that looks; of each process one.
  static inline std::int32_t noting_rank = 0;

  static void note(std::int32_t left) {
    if (here().rank() != noting_rank) return;
    if (left == measured) {
      at_begin = HeapUse::allocations.load();
      HeapUse::is_watched = true;
    } else if (left == 0) {
      HeapUse::is_watched = false;
      at_end = HeapUse::allocations.load();
      ++ended;
    }
  }
};

inline Rank other() { return 1 - here().rank().value(); }

// --- one message under way at a time ---

inline void catch_and_throw(std::int32_t left, double, std::uint64_t) {
  Findings::note(left);
  if (left > 0 || here().rank() != 0)
    here().send<&catch_and_throw>(other(), here().rank() == 0 ? left - 1 : left, 0.5,
                                  std::uint64_t{7});
}

// --- bursts of messages, answered by one ---

inline constexpr std::int32_t burst = 40;
inline void listen(std::int32_t) {}
inline void burst_and_wait(std::int32_t left) {
  Findings::note(left);
  if (here().rank() == 0 && left == 0) return;
  for (std::int32_t i = 0; i < burst; ++i) here().send<&listen>(other(), i);
  here().send<&burst_and_wait>(other(), here().rank() == 0 ? left - 1 : left);
}

// --- calls of an object that lives elsewhere ---

struct Player {
  std::int64_t sum = 0;
  void hit(mobile_ptr<Player> self, mobile_ptr<Player> partner, std::int32_t left,
           double strength) {
    Findings::note(left);
    sum += left;
    const bool is_first = here().rank() == 0;
    if (left == 0 && is_first) return;
    partner.send<&Player::hit>(partner, self, is_first ? left - 1 : left, strength);
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(sum);
  }
  void take(std::int32_t left) { sum += left; }
  Task<> take_later(std::int32_t left) {
    sum += left;
    co_return;
  }
};

inline Task<std::int32_t> same(std::int32_t value) { co_return value; }

class Allocations : public ::testing::TestWithParam<JobKind> {
 protected:
  void SetUp() override {
    Findings::ended = 0;
    HeapUse::kept = 0;
  }
  /// Runs it; what the measured part took from the heap, if this process saw it.
  std::uint64_t run(const Runtime::Program& program) {
    EXPECT_EQ(GetParam().run(program), 0);
    if (Findings::ended == 0) return 0;
    const std::uint64_t count = Findings::at_end - Findings::at_begin;
    std::cout << count << " allocations in " << measured << " rounds" << std::endl;
    if (count > 0) HeapUse::print_stacks();
    return count;
  }
};

/// What the measured rounds may take in all, for so many messages each. A rank that is kept from
/// running for a while may have more messages under way than ever before, and the pools then grow:
/// on a busy machine that is seen for one message in a thousand. Of simulated ranks, which take
/// turns, one may hold a message more once their times happen to fall so.
inline std::uint64_t most_for_pools(const JobKind& kind, std::uint64_t messages_per_round = 2) {
  return kind.is_deterministic ? 1 : measured * messages_per_round / 100;
}

TEST_P(Allocations, a_small_message_takes_nothing_from_the_heap) {
  const std::uint64_t taken = run([](Runtime& rt) -> Task<> {
    if (rt.rank() == 0) rt.send<&catch_and_throw>(0, warm_up + measured, 0.5, std::uint64_t{7});
    co_await rt.quiescence();
  });
  EXPECT_LE(taken, most_for_pools(GetParam()));
}

TEST_P(Allocations, bursts_of_small_messages_take_nothing_from_the_heap) {
  const std::uint64_t taken = run([](Runtime& rt) -> Task<> {
    if (rt.rank() == 0) rt.send<&burst_and_wait>(0, warm_up + measured);
    co_await rt.quiescence();
  });
  // A batch that several workers take apart: its place in line, and its hold on the buffer.
  const std::uint64_t for_batches =
      GetParam().has_shared_batches ? std::uint64_t{measured} * 4 * 2 : 0U;
  EXPECT_LE(taken, most_for_pools(GetParam(), 2 * (burst + 1)) + for_batches);
}

TEST_P(Allocations, a_call_of_an_object_elsewhere_takes_nothing_from_the_heap) {
  const std::uint64_t taken = run([](Runtime& rt) -> Task<> {
    const auto mine = rt.create<Player>();
    const auto first = co_await rt.broadcast(0, mine);
    const auto second = co_await rt.broadcast(1, mine);
    if (rt.rank() == 0) first.send<&Player::hit>(first, second, warm_up + measured, 0.5);
    co_await rt.quiescence();
  });
  EXPECT_LE(taken, most_for_pools(GetParam()));
}

TEST_P(Allocations, an_awaited_atomic_operation_takes_nothing_from_the_heap) {
  const std::uint64_t taken = run([](Runtime& rt) -> Task<> {
    if (rt.rank() == Findings::noting_rank) {
      const auto counter = co_await rt.memory().remote_alloc<std::int64_t>(other(), 1);
      for (std::int32_t left = warm_up + measured; left >= 0; --left) {
        Findings::note(left);
        co_await rt.memory().fetch_add(counter, 1);
      }
    }
    co_await rt.quiescence();
  });
  EXPECT_LE(taken, most_for_pools(GetParam()));
}

TEST_P(Allocations, awaited_tasks_and_calls_on_the_own_rank_take_nothing_from_the_heap) {
  const std::uint64_t taken = run([](Runtime& rt) -> Task<> {
    co_await rt.quiescence();  // The other rank is no longer about to start.
    if (rt.rank() == Findings::noting_rank) {
      const auto object = rt.create<Player>();
      for (std::int32_t left = warm_up + measured; left >= 0; --left) {
        Findings::note(co_await same(left));
        co_await object.call<&Player::take>(left);
        co_await object.call<&Player::take_later>(left);
      }
    }
    co_await rt.quiescence();
  });
  if (GetParam().has_spare_blocks) {
    EXPECT_LE(taken, most_for_pools(GetParam()));
  }
}

TEST_P(Allocations, awaited_calls_of_an_object_elsewhere_take_nothing_from_the_heap) {
  const std::uint64_t taken = run([](Runtime& rt) -> Task<> {
    const auto mine = rt.create<Player>();
    const auto first = co_await rt.broadcast(0, mine);
    const auto second = co_await rt.broadcast(1, mine);
    const auto elsewhere = rt.rank() == 0 ? second : first;
    if (rt.rank() == Findings::noting_rank) {
      for (std::int32_t left = warm_up + measured; left >= 0; --left) {
        Findings::note(left);
        co_await elsewhere.call<&Player::take>(left);
      }
    }
    co_await rt.quiescence();
  });
  if (GetParam().has_spare_blocks) {
    EXPECT_LE(taken, most_for_pools(GetParam()));
  }
}

}  // namespace roam::allocation
