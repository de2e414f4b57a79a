// SPDX-License-Identifier: Apache-2.0
// M10 on whole jobs: epochs.
#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "roam/core/error.hpp"
#include "runtime/job_kinds.hpp"

namespace roam::programs::epochs {

/// Handlers of an epoch that have run on this rank; epochs of different ranks do not share one.
struct EpochCounts {
  std::vector<std::atomic<std::int64_t>> by_root = std::vector<std::atomic<std::int64_t>>(64);
};
inline std::vector<EpochCounts> epoch_counts(64);  // by rank: handlers are functions

inline std::int64_t handlers_run_for(std::int32_t root) {
  return epoch_counts[here().rank().index()].by_root[static_cast<std::size_t>(root)].load();
}
inline void run_for(std::int32_t root) {
  ++epoch_counts[here().rank().index()].by_root[static_cast<std::size_t>(root)];
}

/// Runs 2^(depth + 1) - 1 handlers all over the job.
inline void branch(std::int32_t root, std::int32_t depth) {
  run_for(root);
  if (depth == 0) return;
  Runtime& rt = here();
  rt.send<&branch>((rt.rank().value() + 1) % rt.size(), root, depth - 1);
  rt.send<&branch>((rt.rank().value() + depth) % rt.size(), root, depth - 1);
}

struct Walker {
  std::vector<double> load = std::vector<double>(100, 0.5);
  Task<> walk(mobile_ptr<Walker> self, std::int32_t root, std::int32_t steps) {
    Runtime& rt = here();
    // Awaits, and goes on in the epoch.
    auto reply = rt.request<&handlers_run_for>((rt.rank().value() + 1) % rt.size(), root);
    static_cast<void>(co_await reply);
    run_for(root);
    self.migrate((rt.rank().value() + 1) % rt.size());
    if (steps > 0) self.send<&Walker::walk>(self, root, steps - 1);
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(load);
  }
};

inline Task<std::int64_t> all_handlers_run_for(std::int32_t root) {
  Runtime& rt = here();
  std::int64_t all = 0;
  for (std::int32_t r = 0; r < rt.size(); ++r) {
    auto reply = rt.request<&handlers_run_for>(r, root);
    all += co_await reply;
  }
  co_return all;
}

inline void forget_counts() {
  for (auto& count : epoch_counts[here().rank().index()].by_root) count = 0;
}

TEST_P(Programs, M10_every_rank_waits_for_an_epoch_of_its_own) {
  run([](Runtime& rt) -> Task<> {
    forget_counts();
    co_await rt.barrier();
    const std::int32_t root = rt.rank().value();
    const auto walker = rt.create<Walker>();
    std::int64_t expected = 0;
    for (int round = 0; round < 3; ++round) {
      const Epoch epoch = rt.begin_epoch();
      rt.in_epoch(epoch, [&] {
        rt.send<&branch>((root + 1) % rt.size(), root, 6);
        walker.send<&Walker::walk>(walker, root, 10);
      });
      expected += 127 + 11;
      co_await rt.finished(epoch);
      EXPECT_EQ(co_await all_handlers_run_for(root), expected);
    }
    co_await rt.quiescence();
    EXPECT_EQ(rt.messenger().epochs().size(), 0U);
    EXPECT_EQ(rt.messenger().stats().messages_rejected, 0U);
  });
}

/// An element that moves on with every visit.
struct Traveller {
  void visit(std::int32_t root) {
    run_for(root);
    const mobile_ptr<Traveller> self(exec::current()->subject);
    self.migrate((here().rank().value() + 1) % here().size());
  }
  template <class Archive>
  void serialize(Archive& /*archive*/) {}
};

TEST_P(Programs, M10_operations_on_collections_and_keys_end_before_their_epoch) {
  run([](Runtime& rt) -> Task<> {
    forget_counts();
    co_await rt.barrier();
    const std::int32_t root = rt.rank().value();
    const auto line = co_await rt.create_collection<Traveller>(Index<1>{12}, Placement::cyclic());
    const auto keys = co_await rt.create_sparse_collection<Traveller, std::uint32_t>();
    std::int64_t expected = 0;
    for (std::uint32_t key = 0; key < 4; ++key) {
      co_await rt.run_epoch([&] {
        keys.send_insert(key);
        keys[key].send<&Traveller::visit>(root);
        line.broadcast<&Traveller::visit>(root);
        static_cast<void>(line.for_all<&Traveller::visit>(root));
      });
      expected += 1 + 2 * 12;
      EXPECT_EQ(co_await all_handlers_run_for(root), expected);
      co_await rt.run_epoch([&] { keys.broadcast<&Traveller::visit>(root); });
      expected += key + 1;
      EXPECT_EQ(co_await all_handlers_run_for(root), expected);
    }
    co_await rt.quiescence();
    EXPECT_EQ(rt.messenger().epochs().size(), 0U);
    EXPECT_EQ(rt.messenger().stats().messages_rejected, 0U);
  });
}

inline std::atomic<bool> may_stop{false};  // of the present job, where ranks share memory
inline void stop_working() { may_stop = true; }
inline void work_until_told() {
  Runtime& rt = here();
  if (!may_stop) rt.send<&work_until_told>(rt.rank());
}

TEST_P(Programs, M10_an_epoch_ends_while_another_one_goes_on) {
  run([](Runtime& rt) -> Task<> {
    forget_counts();
    may_stop = false;
    co_await rt.barrier();
    const Epoch endless = rt.begin_epoch();
    rt.in_epoch(endless, [&rt] { rt.send<&work_until_told>(rt.rank()); });
    const std::int32_t root = rt.rank().value();
    co_await rt.run_epoch([&] { rt.send<&branch>(root, root, 4); });
    EXPECT_EQ(co_await all_handlers_run_for(root), 31);
    co_await rt.barrier();
    rt.send<&stop_working>(rt.rank());
    co_await rt.finished(endless);
    co_await rt.quiescence();
  });
}

/// Begins an epoch inside of another one and does not wait for it.
inline void begin_inner(std::int32_t root) {
  Runtime& rt = here();
  const Epoch inner = rt.begin_epoch();
  rt.in_epoch(inner, [&] { rt.send<&branch>((rt.rank().value() + 1) % rt.size(), root, 5); });
  rt.close_epoch(inner);
}
inline Task<> wait_elsewhere(Epoch epoch, std::int32_t root, std::int64_t expected) {
  co_await here().finished(epoch);
  EXPECT_EQ(co_await all_handlers_run_for(root), expected);
}

TEST_P(Programs, M10_nested_epochs_count_for_the_outer_one_and_may_be_awaited_anywhere) {
  run([](Runtime& rt) -> Task<> {
    forget_counts();
    co_await rt.barrier();
    const std::int32_t root = rt.rank().value();
    const Epoch epoch = rt.begin_epoch();
    auto reply = rt.request<&wait_elsewhere>((root + 1) % rt.size(), epoch, root,
                                             std::int64_t{63} * rt.size());
    rt.in_epoch(epoch, [&] {
      for (std::int32_t r = 0; r < rt.size(); ++r) rt.send<&begin_inner>(r, root);
    });
    co_await rt.finished(epoch);
    EXPECT_EQ(co_await all_handlers_run_for(root), 63 * rt.size());
    co_await reply;
    co_await rt.quiescence();
  });
}

inline void throw_in_epoch() { throw std::runtime_error("in an epoch"); }

TEST_P(Programs, M10_an_epoch_also_ends_if_its_handlers_throw_or_its_objects_are_gone) {
  run([](Runtime& rt) -> Task<> {
    std::atomic<int> errors{0};
    rt.on_error([&](const std::string&) { ++errors; });
    rt.on_dead_letter([&](const std::string&) { ++errors; });
    co_await rt.barrier();
    const auto gone = rt.create<Walker>();
    gone.destroy();
    co_await rt.run_epoch([&] {
      rt.send<&throw_in_epoch>((rt.rank().value() + 1) % rt.size());
      gone.send<&Walker::walk>(gone, rt.rank().value(), 1);
    });
    co_await rt.barrier();
    EXPECT_EQ(errors, 2);
    co_await rt.quiescence();
  });
}

TEST_P(Programs, M10_misuse_of_epochs_is_an_error_in_words) {
  run([](Runtime& rt) -> Task<> {
    const Epoch foreign(Rank((rt.rank().value() + 1) % rt.size()), 1'000'000);
    EXPECT_THROW(rt.in_epoch(foreign, [] {}), Error);
    if (rt.size() > 1) {
      EXPECT_THROW(rt.close_epoch(foreign), Error);
    }
    const Epoch epoch = rt.begin_epoch();
    rt.close_epoch(epoch);
    EXPECT_THROW(rt.in_epoch(epoch, [] {}), Error);
    co_await rt.finished(epoch);
    co_await rt.finished(Epoch());
    EXPECT_EQ(rt.in_epoch(Epoch(), [] { return 5; }), 5);
    co_await rt.quiescence();
  });
}

}  // namespace roam::programs::epochs
