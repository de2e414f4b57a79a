// SPDX-License-Identifier: Apache-2.0
// The types of every header of cereal's types, but for boost_variant, go everywhere: alone, as
// members and as elements. travelling_types.hpp has those of base_class, polymorphic and memory.
#include <gtest/gtest.h>
#include <cereal/types/array.hpp>
#include <cereal/types/atomic.hpp>
#include <cereal/types/bitset.hpp>
#include <cereal/types/chrono.hpp>
#include <cereal/types/common.hpp>
#include <cereal/types/complex.hpp>
#include <cereal/types/deque.hpp>
#include <cereal/types/forward_list.hpp>
#include <cereal/types/functional.hpp>
#include <cereal/types/list.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/memory.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/queue.hpp>
#include <cereal/types/set.hpp>
#include <cereal/types/stack.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/tuple.hpp>
#include <cereal/types/unordered_map.hpp>
#include <cereal/types/unordered_set.hpp>
#include <cereal/types/utility.hpp>
#include <cereal/types/valarray.hpp>
#include <cereal/types/variant.hpp>
#include <cereal/types/vector.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "mobile/travelling_everywhere.hpp"
#include "roam/roam.hpp"

namespace travelling_headers_test {

namespace {

using namespace travelling_everywhere;

enum class Colour : std::uint8_t { red, green };

/// For the headers of types that cannot be arguments: an atomic number cannot be copied, an array
/// is passed as a pointer.
struct OnlyMembers {
  std::atomic<int> atomic{0};
  int array[3] = {};
  OnlyMembers() = default;
  explicit OnlyMembers(int n) : atomic(n), array{n, 2 * n, 3 * n} {}
  OnlyMembers(const OnlyMembers& other) : OnlyMembers(other.atomic.load()) {}
  OnlyMembers& operator=(const OnlyMembers& other) {
    atomic = other.atomic.load();
    std::ranges::copy(other.array, array);
    return *this;
  }
  ~OnlyMembers() = default;
  friend bool operator==(const OnlyMembers& a, const OnlyMembers& b) {
    return a.atomic == b.atomic && std::ranges::equal(a.array, b.array);
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(atomic, array);
  }
};

/// Values of all of these types.
using Values = std::tuple<
    std::array<std::string, 2>, OnlyMembers, std::bitset<70>, std::chrono::system_clock::time_point,
    std::chrono::milliseconds, Colour, std::complex<double>, std::deque<std::string>,
    std::forward_list<std::string>, std::list<std::monostate>,
    std::map<std::string, std::vector<int>>, std::multimap<int, std::string>,
    std::shared_ptr<std::string>, std::optional<std::string>, std::queue<std::string>,
    std::priority_queue<std::string>, std::set<int>, std::multiset<std::string>,
    std::stack<std::string>, std::string, std::tuple<int, std::string>,
    std::unordered_map<std::string, std::string>, std::unordered_multimap<int, std::string>,
    std::unordered_set<int>, std::unordered_multiset<std::string>,
    std::pair<std::string, std::string>, std::valarray<double>,
    std::variant<std::monostate, int, std::string>, std::vector<std::string>, std::vector<bool>>;
Values values_of_number(int n) {
  const std::string text = "a text of some length " + std::to_string(n);
  const auto adapted = [&]<class C>(C container) {
    for (const char* word : {"one", "two", "three"}) container.push(word + text);
    return container;
  };
  const auto unsigned_n = static_cast<unsigned>(n);
  return {{text, "b"},
          OnlyMembers(n),
          0x1234567890ULL + unsigned_n,
          std::chrono::system_clock::time_point(std::chrono::seconds(n)),
          std::chrono::milliseconds(n),
          n % 2 == 0 ? Colour::red : Colour::green,
          {1.0 * n, 2},
          {text, "b"},
          {text, "b"},
          std::list<std::monostate>(20 + unsigned_n),
          {{text, {n}}, {"b", {}}},
          {{n, text}, {n + 1, text}},
          std::make_shared<std::string>(text),
          text,
          adapted(std::queue<std::string>()),
          adapted(std::priority_queue<std::string>()),
          {1, n},
          {text, text},
          adapted(std::stack<std::string>()),
          text,
          {n, text},
          {{text, "b"}, {"c", "d"}},
          {{n, text}, {n, "b"}},
          {1, n},
          {text, text},
          {text, "b"},
          {1.0 * n, 2},
          text,
          {text, "b"},
          {n % 2 == 0, true, false}};
}

template <class T>
bool is_same(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, std::shared_ptr<std::string>>) {
    return a != nullptr && b != nullptr && *a == *b;
  } else if constexpr (std::is_same_v<T, std::valarray<double>>) {
    return std::ranges::equal(a, b);
  } else if constexpr (std::is_same_v<T, std::priority_queue<std::string>>) {
    T of_a = a;
    T of_b = b;
    for (; !of_a.empty() && !of_b.empty() && of_a.top() == of_b.top(); of_b.pop()) of_a.pop();
    return of_a.empty() && of_b.empty();
  } else {
    return a == b;
  }
}
template <class T>
void expect_value(const T& value, int n, const char* where) {
  EXPECT_TRUE(is_same(value, std::get<T>(values_of_number(n))))
      << where << ", " << roam::core::type_name<T>();
}

/// All of them as members; std::less and the like, from functional.hpp, have no values to compare.
struct AllHeaders {
  Values values;
  std::less<int> less{};
  static AllHeaders number(int n) { return {values_of_number(n)}; }
  friend bool operator==(const AllHeaders& a, const AllHeaders& b) {
    return std::apply(
        [&](const auto&... value) {
          return (is_same(value, std::get<std::decay_t<decltype(value)>>(b.values)) && ...);
        },
        a.values);
  }
  template <class Archive>
  void serialize(Archive& archive) {
    std::apply([&](auto&... value) { archive(value...); }, values);
    archive(less);
  }
};

/// What takes each of the types as an argument of its own.
template <class Tuple>
struct Bare;
template <class... T>
struct Bare<std::tuple<T...>> {
  static int take(int n, T... values) {
    (expect_value(values, n, "argument"), ...);
    return n;
  }
  static void take_landed(std::span<int> landed, T... values) {
    (expect_value(values, landed[0], "argument of put_op"), ...);
  }
  static int take_gathered(roam::Gathered<Bare> objects, int n, T... values) {
    for (Bare& object : objects) (void)object.keep(n, values...);
    return n;
  }
  int keep(int n, const T&... values) {
    (expect_value(values, n, "argument of a method"), ...);
    return n;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(number);
  }
  int number = 0;
};
using AllBare = Bare<Values>;

roam::Task<> use_bare_arguments(roam::Runtime& rt, roam::Rank other) {
  const auto object = rt.create<AllBare>();
  co_await object.migrate_and_wait(other);
  const std::vector<roam::mobile_ptr<AllBare>> two{rt.create<AllBare>(), object};
  const auto region = co_await rt.memory().remote_alloc<int>(other, 1);
  std::vector<int> number{8};
  const auto with_all = [&]<class Use>(int n, Use use) {
    return std::apply([&](const auto&... values) { return use(n, values...); },
                      values_of_number(n));
  };
  auto reply =
      with_all(3, [&](const auto&... all) { return rt.request<&AllBare::take>(other, all...); });
  EXPECT_EQ(co_await reply, 3);
  reply = with_all(4, [&](const auto&... all) { return object.call<&AllBare::keep>(all...); });
  EXPECT_EQ(co_await reply, 4);
  auto multicast = with_all(5, [&](const auto&... all) {
    return rt.multicast_call<&AllBare::take_gathered>(two, all...);
  });
  EXPECT_EQ(co_await multicast, 5);
  auto put = with_all(8, [&](int, const auto&... all) {
    return rt.memory().put_op<&AllBare::take_landed>(region, number, all...);
  });
  co_await put;
  auto get = with_all(8, [&](int, const auto&... all) {
    return rt.memory().get_op<&AllBare::take_landed>(number, region, all...);
  });
  co_await get;
  if (rt.rank() == 0) {
    const roam::Index<1> extent{4};
    const auto row = co_await rt.create_collection<AllBare>(extent, roam::Placement::cyclic());
    auto all = with_all(
        6, [&](const auto&... given) { return row.reduce<&AllBare::keep, roam::Max>(given...); });
    EXPECT_EQ(co_await all, 6);
    co_await row.destroy();
  }
  co_await rt.quiescence();
  co_await rt.memory().remote_free(region);
}

// --- results, elements of a vector and values of collectives ---

template <class T>
T back(const std::vector<T>& values) {
  for (const T& value : values) expect_value<T>(value, 2, "element");
  return values.back();
}
template <class T>
roam::Task<> use_bare_value(roam::Runtime& rt, roam::Rank other) {
  const T two = std::get<T>(values_of_number(2));
  const std::vector<T> twice(2, two);
  const T result = co_await rt.request<&back<T>>(other, twice);
  expect_value(result, 2, "result");
  const T same = co_await rt.broadcast(0, two);
  expect_value(same, 2, "broadcast");
  const std::vector<T> all = co_await rt.allgather(two);
  EXPECT_EQ(all.size(), static_cast<std::size_t>(rt.size()));
  for (const T& value : all) expect_value<T>(value, 2, "allgather");
}
template <class... T>
roam::Task<> use_bare_values(roam::Runtime& rt, roam::Rank other,
                             std::type_identity<std::tuple<T...>>) {
  (co_await use_bare_value<T>(rt, other), ...);
}

class TravellingHeaders : public ::testing::TestWithParam<std::int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, TravellingHeaders, ::testing::Values(1, 2, 3));

TEST_P(TravellingHeaders, types_of_every_header_of_cereal_go_everywhere) {
  run_job(GetParam(), [](roam::Runtime& rt) -> roam::Task<> {
    const roam::Rank other((rt.rank().value() + 1) % rt.size());
    co_await use_everywhere<AllHeaders>(rt);
    co_await use_bare_arguments(rt, other);
    co_await use_bare_values(rt, other, std::type_identity<Values>());
    co_await rt.quiescence();
    EXPECT_EQ(rt.messenger().stats().messages_rejected, 0U);
  });
}

}  // namespace

}  // namespace travelling_headers_test
