// SPDX-License-Identifier: Apache-2.0
// Types that follow cereal's conventions can be sent wherever values are sent: as arguments,
// results, members and elements; to ranks and objects; in collectives, put_op, multicasts,
// collections and moves.
#include <gtest/gtest.h>
#include <cereal/types/array.hpp>
#include <cereal/types/list.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/queue.hpp>
#include <cereal/types/set.hpp>
#include <cereal/types/tuple.hpp>
#include <cereal/types/variant.hpp>

#include <array>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "mobile/travelling_everywhere.hpp"
#include "roam/roam.hpp"
#include "support/travelling_types.hpp"

namespace travelling_test {

namespace {

using namespace roam::testing::travelling;
using namespace travelling_everywhere;

/// A member of each kind; can be copied.
struct Everything {
  Free free;
  FreeBoth free_both;
  FreeMinimal free_minimal;
  Minimal minimal;
  Empty empty;
  Silent silent;
  Derived derived;
  std::array<std::vector<int>, 2> arrays;
  std::optional<std::string> perhaps;
  std::variant<std::monostate, int, std::string> either;
  std::list<std::monostate> nothings;
  std::map<std::string, std::vector<Free>> by_name;
  std::set<int> numbers;
  std::tuple<int, std::string> both;
  std::shared_ptr<Shape> shape;

  static Everything number(int n) {
    Everything all;
    all.free.number = n;
    all.free_both.number = static_cast<std::int16_t>(n);
    all.free_minimal.number = all.minimal.number = n;
    all.derived.name = "derived";
    all.derived.value = n;
    all.arrays = {std::vector<int>(3, n), {}};
    all.perhaps = std::to_string(n);
    all.either = std::to_string(n);
    all.nothings.resize(20);
    all.by_name["free"].resize(2, all.free);
    all.numbers = {1, n};
    all.both = {n, "both"};
    all.shape = std::make_shared<Square>(n);
    return all;
  }
  friend bool operator==(const Everything& a, const Everything& b) {
    return a.free == b.free && a.free_both == b.free_both && a.free_minimal == b.free_minimal &&
           a.minimal == b.minimal && a.silent == b.silent && a.derived == b.derived &&
           a.arrays == b.arrays && a.perhaps == b.perhaps && a.either == b.either &&
           a.nothings == b.nothings && a.by_name == b.by_name && a.numbers == b.numbers &&
           a.both == b.both && *a.shape == *b.shape;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(free, free_both, free_minimal, minimal, empty, silent, derived, arrays, perhaps, either,
            nothings, by_name, numbers, both, shape);
  }
};

/// A type that can only be moved.
struct Alone {
  std::unique_ptr<Shape> shape;
  std::unique_ptr<Built> built;
  static Alone number(int n) { return {std::make_unique<Disc>(n), std::make_unique<Built>(n)}; }
  friend bool operator==(const Alone& a, const Alone& b) {
    return *a.shape == *b.shape && *a.built == *b.built;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(shape, built);
  }
};

// --- values that are no members ---

std::unique_ptr<Shape> grow(std::unique_ptr<Shape> shape, Free by) {
  return std::make_unique<Square>(shape->area() + by.number);
}
std::list<std::monostate> more(const std::list<std::monostate>& nothings, Silent, Minimal by) {
  return std::list<std::monostate>(nothings.size() + static_cast<std::size_t>(by.number));
}

roam::Task<> use_bare_values(roam::Runtime& rt, roam::Rank other) {
  const Free by{10, nullptr};
  std::unique_ptr<Shape> small = std::make_unique<Square>(2);
  const auto shape = co_await rt.request<&grow>(other, std::move(small), by);
  EXPECT_EQ(shape->area(), 14.0 * 14.0);
  const Minimal two{2};
  const std::list<std::monostate> five(5);
  const auto nothings = co_await rt.request<&more>(other, five, Silent{}, two);
  EXPECT_EQ(nothings.size(), 7U);
}

class Travelling : public ::testing::TestWithParam<std::int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Travelling, ::testing::Values(1, 2, 3));

TEST_P(Travelling, what_can_be_copied_goes_everywhere) {
  run_job(GetParam(), [](roam::Runtime& rt) -> roam::Task<> {
    co_await use_everywhere<Everything>(rt);
    co_await use_bare_values(rt, (rt.rank().value() + 1) % rt.size());
    co_await rt.quiescence();
    EXPECT_EQ(rt.messenger().stats().messages_rejected, 0U);
  });
}
TEST_P(Travelling, what_can_only_be_moved_goes_everywhere) {
  run_job(GetParam(), [](roam::Runtime& rt) -> roam::Task<> {
    co_await use_everywhere<Alone>(rt);
    co_await rt.quiescence();
    EXPECT_EQ(rt.messenger().stats().messages_rejected, 0U);
  });
}

}  // namespace

}  // namespace travelling_test
