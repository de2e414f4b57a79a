// SPDX-License-Identifier: Apache-2.0
// M10: what a rank does with keys of a sparse collection in an epoch is work of that epoch, whether
// the rank knows the keys already or has to ask for them.
#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "epoch_ledger.hpp"
#include "roam/roam.hpp"

namespace sparse_epochs {

using roam::epoch_tests::Ledger;
using roam::epoch_tests::rank_count;

struct Guest {
  Guest() = default;
  /// Handler of an insertion.
  Guest(const std::uint32_t& key, roam::Epoch epoch, std::uint32_t depth, bool stays);
  void work(roam::Epoch epoch, std::uint32_t depth);
  roam::Task<> work_slowly(roam::Epoch epoch, std::uint32_t depth);
  [[nodiscard]] std::int32_t look() const { return roam::here().rank().value(); }
  template <class Archive>
  void serialize(Archive& /*archive*/) {}
};
using Guests = roam::sparse_collection<Guest, std::uint32_t>;

struct World {
  explicit World(std::uint64_t seed) : ledger(seed) {}
  Ledger ledger;
  Guests guests;
  std::vector<std::uint32_t> keys;    // in use
  std::set<roam::ObjectId> elements;  // seen so far
  std::uint32_t next_key = 0;
};
World* world = nullptr;  // of the simulation that runs now; the tests are single-threaded

std::uint32_t some_key() { return world->keys[world->ledger.random.below(world->keys.size())]; }
void cause_more(roam::Epoch epoch, std::uint32_t depth);

void run_one(roam::Epoch epoch, std::uint32_t depth) {
  Ledger& ledger = world->ledger;
  roam::here().compute(roam::Duration(ledger.random.below(2000)));
  cause_more(epoch, depth);
  ledger.done(epoch);
}
Guest::Guest(const std::uint32_t& key, roam::Epoch epoch, std::uint32_t depth, bool stays) {
  run_one(epoch, depth);
  if (stays) world->keys.push_back(key);
}
void Guest::work(roam::Epoch epoch, std::uint32_t depth) {
  world->elements.insert(roam::exec::current()->subject);
  run_one(epoch, depth);
}
roam::Task<> Guest::work_slowly(roam::Epoch epoch, std::uint32_t depth) {
  const bool is_there = co_await world->guests.contains(some_key());
  world->ledger.check(is_there, "M11: a key was not there");
  run_one(epoch, depth);  // still in the epoch
}
void on_rank(roam::Epoch epoch, std::uint32_t depth) { run_one(epoch, depth); }
roam::Task<> on_rank_slowly(roam::Epoch epoch, std::uint32_t depth) {
  static_cast<void>(co_await world->guests[some_key()].call<&Guest::look>());
  run_one(epoch, depth);
}

// Issues handlers of a random kind. Their epoch is that of the calling code.
void cause_one(roam::Epoch epoch, std::uint32_t depth) {
  const Guests& guests = world->guests;
  Ledger& ledger = world->ledger;
  ledger.issue(epoch);
  switch (ledger.random.below(10)) {
    case 0:
      return guests[some_key()].send<&Guest::work_slowly>(epoch, depth);
    case 1:
      return guests.send_insert(world->next_key++, epoch, depth, true);
    case 2: {
      const std::uint32_t key = world->next_key++;
      guests.send_insert(key, epoch, depth, false);
      ledger.issue(epoch);
      guests[key].send<&Guest::work>(epoch, depth);
      return guests.send_erase(key);
    }
    case 3: {
      const std::uint32_t key = some_key();
      guests[key].migrate(ledger.some_rank());
      return guests[key].send<&Guest::work>(epoch, depth);
    }
    case 4:
      return roam::here().send<&on_rank>(ledger.some_rank(), epoch, depth);
    case 5:
      return roam::here().send<&on_rank_slowly>(ledger.some_rank(), epoch, depth);
    case 6:  // nobody there: a dead letter of the epoch
      return guests[world->next_key++].send<&Guest::work>(epoch, depth);
    default:
      return guests[some_key()].send<&Guest::work>(epoch, depth);
  }
}

void cause_more(roam::Epoch epoch, std::uint32_t depth) {
  if (depth == 0) return;
  for (std::uint64_t n = world->ledger.random.below(3); n > 0; --n) cause_one(epoch, depth - 1);
}

roam::Task<> program(roam::Runtime& rt) {
  Ledger& ledger = world->ledger;
  if (rt.rank() == 1) world->guests = co_await rt.create_sparse_collection<Guest, std::uint32_t>();
  co_await rt.quiescence();
  for (int round = 0; round < 2; ++round) {
    if (rt.rank() == round) {  // keys that no rank knows yet
      for (int i = 0; i < 6; ++i) {
        const std::uint32_t key = world->next_key++;
        static_cast<void>(co_await world->guests.insert(key, roam::Epoch(), 0U, true));
      }
    }
    co_await rt.barrier();
    const roam::Epoch one = ledger.begin();
    const roam::Epoch two = ledger.begin();
    for (int i = 0; i < 3; ++i) {
      rt.in_epoch(one, [&] { cause_one(one, 3); });
      rt.in_epoch(two, [&] { cause_one(two, 2); });
    }
    co_await rt.finished(two);
    ledger.over(two);
    co_await rt.finished(one);
    ledger.over(one);
    co_await rt.barrier();
  }
  co_await rt.quiescence();
  ledger.check_end(rt);
}

roam::epoch_tests::Outcome simulate(std::uint64_t seed) {
  World this_world(seed);
  world = &this_world;
  Ledger& ledger = this_world.ledger;
  roam::SimulatedJob job(roam::epoch_tests::schedule(seed));
  for (std::int32_t r = 0; r < rank_count; ++r) {
    job.runtime(r).on_dead_letter(
        [&ledger](const std::string&) { ledger.done(roam::Epoch(roam::am::Epochs::current())); });
  }
  const auto some_element = [&this_world] {
    const std::set<roam::ObjectId>& elements = this_world.elements;
    if (elements.empty()) return roam::ObjectId();
    const std::uint64_t steps = this_world.ledger.random.below(elements.size());
    return *std::next(elements.begin(), static_cast<std::ptrdiff_t>(steps));
  };
  return run_disturbed(
      job, ledger, &program,
      {.most_events = 400'000, .most_moves = 200, .one_event_in = 8, .some_object = some_element});
}

}  // namespace sparse_epochs

class SparseEpochs : public ::testing::TestWithParam<int> {};

TEST_P(SparseEpochs, M10_end_when_their_calls_to_keys_have_ended) {
  constexpr std::uint64_t seeds = 75;
  const auto all = roam::epoch_tests::simulate_all(GetParam(), seeds, &sparse_epochs::simulate);
  EXPECT_GT(all.moves, seeds * 20);
}
INSTANTIATE_TEST_SUITE_P(SixHundredSeeds, SparseEpochs, ::testing::Range(0, 8));

namespace {

/// Counts its instances and calls; the tests have one such object.
struct Counted {
  static inline int alive = 0;
  static inline int calls = 0;
  static inline int last_rank = -1;
  Counted() { ++alive; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --alive; }
  void call() { ++calls, last_rank = roam::here().rank().value(); }
  template <class Archive>
  void serialize(Archive& /*archive*/) {}
};
using CountedKeys = roam::sparse_collection<Counted, std::uint32_t>;

void run_on_four_ranks(const roam::Runtime::Program& program) {
  Counted::alive = Counted::calls = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    roam::SimulatedJob job(roam::epoch_tests::schedule(seed));
    ASSERT_TRUE(job.run(program)) << "seed " << seed << ": " << job.error();
  }
}

}  // namespace

TEST(EpochOfKeys, M10_a_call_to_a_key_that_is_not_known_yet_ends_before_its_epoch) {
  run_on_four_ranks([](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() != 2) co_return;
    const auto keys = co_await rt.create_sparse_collection<Counted, std::uint32_t>();
    for (std::uint32_t key = 0; key < 8; ++key) {
      static_cast<void>(co_await keys.insert(key));
      const int before = Counted::calls;
      co_await rt.run_epoch([&] { keys[key].send<&Counted::call>(); });
      EXPECT_EQ(Counted::calls, before + 1) << "asked for";
      co_await rt.run_epoch([&] { keys[key].send<&Counted::call>(); });
      EXPECT_EQ(Counted::calls, before + 2) << "known";
    }
  });
}

TEST(EpochOfKeys, M10_insertions_moves_and_erasures_end_before_their_epoch) {
  run_on_four_ranks([](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() != 2) co_return;
    const auto keys = co_await rt.create_sparse_collection<Counted, std::uint32_t>();
    for (std::uint32_t key = 0; key < 8; ++key) {
      const int alive = Counted::alive;
      co_await rt.run_epoch([&] { keys.send_insert(key); });
      EXPECT_EQ(Counted::alive, alive + 1) << "inserted";
      const auto target = static_cast<std::int32_t>(key) % rt.size();
      co_await rt.run_epoch([&] { keys[key].migrate(target); });
      EXPECT_EQ(Counted::alive, alive + 1) << "moved";
      co_await keys[key].call<&Counted::call>();
      EXPECT_EQ(Counted::last_rank, target);
      co_await rt.run_epoch([&] { keys.send_erase(key); });
      EXPECT_EQ(Counted::alive, alive) << "erased";
    }
    for (std::uint32_t key = 10; key < 14; ++key) {  // erased without being known here
      const int alive = Counted::alive;
      co_await rt.run_epoch([&] { keys.send_insert(key); });
      co_await rt.run_epoch([&] { keys.send_erase(key); });
      EXPECT_EQ(Counted::alive, alive) << "erased";
    }
  });
}

namespace {

/// An operation on a key that uses keys again if it fails, as a handler of dead letters may.
class Retry final : public roam::mobile::KeyOperation {
 public:
  Retry(int tries, int& failures) : KeyOperation(Kind::use), tries_(tries), failures_(failures) {}
  void run(roam::mobile::SparseKeys& /*keys*/, roam::ObjectId /*object*/) override {}
  void fail(roam::mobile::SparseKeys& keys) override {
    ++failures_;
    EXPECT_FALSE(keys.known("key"));
    if (tries_ > 0) keys.submit("key", std::make_unique<Retry>(tries_ - 1, failures_));
  }

 private:
  const int tries_;
  int& failures_;
};

}  // namespace

TEST(EndOfKeys, M8_what_comes_after_the_end_may_use_keys_again_while_it_fails) {
  int failures = 0;
  roam::SimulatedJob job(roam::epoch_tests::schedule(1));
  ASSERT_TRUE(job.run([&](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() != 0) co_return;
    const auto keys = co_await rt.create_sparse_collection<Counted, std::uint32_t>();
    const auto state = roam::mobile::current_collections().find(keys.shape().base);
    co_await keys.destroy();
    state->keys().submit("key", std::make_unique<Retry>(3, failures));
  })) << job.error();
  EXPECT_EQ(failures, 4);
}

namespace {

/// True if this rank knows the key's object.
bool knows(const CountedKeys& keys, std::uint32_t key) {
  const auto state = roam::mobile::current_collections().find(keys.shape().base);
  return static_cast<bool>(state->keys().known(roam::mobile::detail::pack_key(key)));
}

}  // namespace

// The rank that has to forget the key may learn of the collection's end first.
TEST(EndOfKeys, M8_an_erasure_under_way_ends_with_the_collection) {
  int gone = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    roam::SimulatedJobOptions options = roam::epoch_tests::schedule(seed);
    options.reorder = true;
    roam::SimulatedJob job(options);
    const bool ended = job.run([&](roam::Runtime& rt) -> roam::Task<> {
      CountedKeys keys;
      if (rt.rank() == 0) keys = co_await rt.create_sparse_collection<Counted, std::uint32_t>();
      keys = co_await rt.broadcast(0, keys);
      if (rt.rank() == 0) co_await keys.insert(7);
      co_await rt.barrier();
      co_await keys[7].call<&Counted::call>();
      EXPECT_TRUE(knows(keys, 7)) << "rank " << rt.rank().value() << " has nothing to forget";
      co_await rt.barrier();
      if (rt.rank() != 0) co_return;
      auto erased = keys.erase(7);
      auto again = keys.insert(7);  // waits until all have forgotten the key's former object
      auto destroyed = keys.destroy();
      co_await destroyed;
      // The collection may have been destroyed before they came.
      for (auto* reply : {&erased, &again}) {
        try {
          static_cast<void>(co_await *reply);
        } catch (const roam::ObjectGone&) {
          ++gone;
        }
      }
    });
    ASSERT_TRUE(ended) << "seed " << seed << ": " << job.error();
  }
  EXPECT_GT(gone, 0);
}
