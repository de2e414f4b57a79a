// SPDX-License-Identifier: Apache-2.0
// Insertions whose own code throws, and changes of a collection that has ended.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "roam/mobile/sparse_collection.hpp"
#include "support/simulated.hpp"

namespace sparse_failure_test {

namespace {

/// Its constructor throws if it is asked to.
struct Moody {
  Moody() = default;
  explicit Moody(int mood) {
    if (mood == 1) throw std::runtime_error("not in the mood");
    if (mood == 2) throw 7;
    ++made;
  }
  static inline int made = 0;
  int call() { return 1; }
  template <class Archive>
  void serialize(Archive& /*archive*/) {}
};

/// Cannot be packed; can be copied.
struct Sealed {
  template <class Archive>
  void save(Archive& /*archive*/) const {
    throw 7;
  }
  template <class Archive>
  void load(Archive& /*archive*/) {}
};
struct SealedBox {
  int take(const Sealed& /*sealed*/) { return 1; }
  template <class Archive>
  void serialize(Archive& /*archive*/) {}
};

template <class Reply>
roam::Task<std::string> failure_of(Reply& reply) {
  try {
    static_cast<void>(co_await reply);
  } catch (const roam::Error& error) {
    co_return error.what();
  }
  co_return "";
}

TEST(SparseFailure, R2_an_insertion_whose_constructor_throws_is_answered_or_reported) {
  int reports = 0;
  roam::SimulatedJob job(roam::testing::simulated(2));
  const bool ended = job.run([&](roam::Runtime& rt) -> roam::Task<> {
    rt.on_error([&reports](const std::string&) { ++reports; });
    roam::sparse_collection<Moody, std::uint32_t> keys;
    if (rt.rank() == 0) {
      keys = co_await rt.create_sparse_collection<Moody, std::uint32_t>();
      for (std::uint32_t key = 0; key < 8; ++key) {
        auto failing = keys.insert(key, 1 + static_cast<int>(key % 2));
        const std::string failure = co_await failure_of(failing);
        EXPECT_NE(failure.find(key % 2 == 0 ? "not in the mood" : "not a std::exception"),
                  std::string::npos)
            << failure;
        keys.send_insert(key, 2);
        EXPECT_TRUE(co_await keys.insert(key, 0));
        EXPECT_EQ(co_await keys[key].template call<&Moody::call>(), 1);
      }
    }
    co_await rt.quiescence();
  });
  EXPECT_TRUE(ended) << job.error();
  EXPECT_EQ(reports, 8);
}

TEST(SparseFailure, R2_a_call_that_cannot_be_packed_in_its_turn_is_reported_and_ends) {
  int failed = 0;
  int reports = 0;
  roam::SimulatedJob job(roam::testing::simulated(2));
  const bool ended = job.run([&](roam::Runtime& rt) -> roam::Task<> {
    rt.on_error([&reports](const std::string&) { ++reports; });
    if (rt.rank() == 0) {
      const auto keys = co_await rt.create_sparse_collection<SealedBox, std::uint32_t>();
      for (std::uint32_t key = 0; key < 8; ++key) {
        EXPECT_TRUE(co_await keys.insert(key));
        auto reply = keys[key].template call<&SealedBox::take>(Sealed{});  // asks for the key first
        if (!(co_await failure_of(reply)).empty()) ++failed;
      }
    }
    co_await rt.quiescence();
    EXPECT_EQ(rt.messenger().stats().messages_rejected, 0U);
  });
  EXPECT_TRUE(ended) << job.error();
  EXPECT_GT(failed, 0);
  EXPECT_EQ(reports, failed);
  EXPECT_LT(failed, 8) << "no key lived on its user's rank";
}

TEST(SparseFailure, M8_a_change_without_answer_of_a_collection_that_ends_is_a_dead_letter) {
  constexpr std::uint64_t seeds = 60;
  int at_home = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    roam::SimulatedJobOptions options = roam::testing::simulated(3, seed);
    options.reorder = true;
    options.message_delay = std::chrono::microseconds(20);
    int letters = 0;
    Moody::made = 0;
    roam::SimulatedJob job(options);
    const bool ended = job.run([&](roam::Runtime& rt) -> roam::Task<> {
      rt.on_dead_letter([&, own = rt.rank()](const std::string&) {
        ++letters;
        if (own != roam::Rank(0)) ++at_home;
      });
      roam::sparse_collection<Moody, std::uint32_t> keys;
      if (rt.rank() == 0) keys = co_await rt.create_sparse_collection<Moody, std::uint32_t>();
      keys = co_await rt.broadcast(0, keys);
      co_await rt.barrier();
      if (rt.rank() == 1) static_cast<void>(keys.destroy());
      if (rt.rank() == 0) {
        for (std::uint32_t key = 0; key < 6; ++key) keys.send_insert(key, 0);
      }
      co_await rt.quiescence();
    });
    EXPECT_TRUE(ended) << "seed " << seed << ": " << job.error();
    EXPECT_EQ(letters + Moody::made, 6) << "seed " << seed;
  }
  EXPECT_GT(at_home, 0);
}

}  // namespace

}  // namespace sparse_failure_test
