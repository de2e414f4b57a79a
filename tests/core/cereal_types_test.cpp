// SPDX-License-Identifier: Apache-2.0
// Every type that follows cereal's conventions can be sent: the types of each header of
// cereal/types, alone and as elements of a vector.
#include <gtest/gtest.h>
#include <cereal/types/array.hpp>
#include <cereal/types/atomic.hpp>
#include <cereal/types/bitset.hpp>
#include <cereal/types/complex.hpp>
#include <cereal/types/deque.hpp>
#include <cereal/types/forward_list.hpp>
#include <cereal/types/functional.hpp>
#include <cereal/types/list.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/queue.hpp>
#include <cereal/types/set.hpp>
#include <cereal/types/stack.hpp>
#include <cereal/types/tuple.hpp>
#include <cereal/types/unordered_map.hpp>
#include <cereal/types/unordered_set.hpp>
#include <cereal/types/valarray.hpp>
#include <cereal/types/variant.hpp>

#include <chrono>

#include "roam/core/detail/argument_check.hpp"
#include "support/travelling_types.hpp"

namespace roam::core::cereal_types_test {
namespace {

using namespace roam::testing::travelling;
using Text = std::string;

struct Atomic {
  std::atomic<int> value{0};
  Atomic() = default;
  explicit Atomic(int v) : value(v) {}
  Atomic(const Atomic& other) : value(other.value.load()) {}
  Atomic& operator=(const Atomic&) = delete;
  ~Atomic() = default;
  friend bool operator==(const Atomic& a, const Atomic& b) { return a.value == b.value; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(value);
  }
};

// --- a value of each type, and when two values are equal ---

template <class T>
struct Sample {
  static T make() { return T{7}; }
};
#define ROAM_SAMPLE(value, ...)                 \
  template <>                                   \
  struct Sample<__VA_ARGS__> {                  \
    static __VA_ARGS__ make() { return value; } \
  }
template <class C>
C filled() {
  C values;
  for (const char* text : {"one", "two", "three"}) values.push(text);
  return values;
}
ROAM_SAMPLE((std::array<int, 3>{1, 2, 3}), std::array<int, 3>);
ROAM_SAMPLE((std::array<std::vector<int>, 2>{std::vector{1, 2}, {3}}),
            std::array<std::vector<int>, 2>);
ROAM_SAMPLE((std::array<Free, 2>{Free{1, nullptr}, Free{2, nullptr}}), std::array<Free, 2>);
ROAM_SAMPLE((std::complex<double>{1, 2}), std::complex<double>);
ROAM_SAMPLE((std::deque<Text>{"a", "b"}), std::deque<Text>);
ROAM_SAMPLE((std::forward_list<int>{1, 2}), std::forward_list<int>);
ROAM_SAMPLE(std::less<int>(), std::less<int>);
ROAM_SAMPLE((std::list<std::monostate>(100)), std::list<std::monostate>);
ROAM_SAMPLE((std::list<Silent>(100)), std::list<Silent>);
ROAM_SAMPLE((std::list<Empty>(100)), std::list<Empty>);
ROAM_SAMPLE((std::vector<Empty>(100)), std::vector<Empty>);
ROAM_SAMPLE((std::map<Text, std::vector<int>>{{"a", {1}}, {"b", {}}}),
            std::map<Text, std::vector<int>>);
ROAM_SAMPLE((std::multimap<int, Free>{{1, Free{1, nullptr}}, {2, Free{2, nullptr}}}),
            std::multimap<int, Free>);
ROAM_SAMPLE(std::make_unique<Text>("text"), std::unique_ptr<Text>);
ROAM_SAMPLE(std::make_unique<Built>(7), std::unique_ptr<Built>);
ROAM_SAMPLE(std::make_unique<Square>(2), std::unique_ptr<Shape>);
ROAM_SAMPLE(std::make_shared<Free>(Free{5, nullptr}), std::shared_ptr<Free>);
ROAM_SAMPLE(std::make_shared<Disc>(2), std::shared_ptr<Shape>);
ROAM_SAMPLE(std::optional<Text>("text"), std::optional<Text>);
ROAM_SAMPLE(std::optional<std::chrono::seconds>(7), std::optional<std::chrono::seconds>);
ROAM_SAMPLE(std::optional<Free>(Free{7, nullptr}), std::optional<Free>);
ROAM_SAMPLE(filled<std::queue<Text>>(), std::queue<Text>);
ROAM_SAMPLE(filled<std::priority_queue<Text>>(), std::priority_queue<Text>);
ROAM_SAMPLE(filled<std::stack<Text>>(), std::stack<Text>);
ROAM_SAMPLE((std::set<Text>{"a", "b"}), std::set<Text>);
ROAM_SAMPLE((std::multiset<int>{1, 1}), std::multiset<int>);
ROAM_SAMPLE((std::tuple<int, Text, Free>{1, "a", {2, nullptr}}), std::tuple<int, Text, Free>);
ROAM_SAMPLE((std::pair<Text, FreeMinimal>{"a", {2}}), std::pair<Text, FreeMinimal>);
ROAM_SAMPLE((std::unordered_map<int, Text>{{1, "a"}, {2, "b"}}), std::unordered_map<int, Text>);
ROAM_SAMPLE((std::unordered_multimap<int, int>{{1, 1}, {1, 2}}), std::unordered_multimap<int, int>);
ROAM_SAMPLE((std::unordered_set<Text>{"a", "b"}), std::unordered_set<Text>);
ROAM_SAMPLE((std::unordered_multiset<int>{1, 1}), std::unordered_multiset<int>);
ROAM_SAMPLE((std::valarray<double>{1, 2}), std::valarray<double>);
ROAM_SAMPLE((std::variant<std::monostate, int, Text>("text")),
            std::variant<std::monostate, int, Text>);
ROAM_SAMPLE((std::vector<bool>{true, false}), std::vector<bool>);
ROAM_SAMPLE((Text("text")), Text);
ROAM_SAMPLE(Empty{}, Empty);
ROAM_SAMPLE(Silent{}, Silent);
ROAM_SAMPLE((Derived{{"base"}, 2}), Derived);
ROAM_SAMPLE((Free{7, &std::cout}), Free);

template <class T>
bool same(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, std::valarray<double>>) {
    return std::ranges::equal(a, b);
  } else if constexpr (std::is_same_v<T, std::priority_queue<Text>>) {
    return a.size() == b.size() && a.top() == b.top();
  } else if constexpr (std::is_same_v<T, std::less<int>>) {
    return true;
  } else if constexpr (requires { typename T::element_type; }) {
    return a != nullptr && b != nullptr && *a == *b;
  } else {
    return a == b;
  }
}

template <class T>
T carried(const T& value) {
  Packer packer(Buffer::allocate(16));
  pack(packer, value);
  const Buffer buffer = packer.take();
  Packer counting = Packer::counting();
  pack(counting, value);
  EXPECT_EQ(counting.counted(), buffer.size());
  Unpacker bytes(buffer.bytes());
  return unpack_all<T>(bytes);
}

template <class T>
class CerealTypes : public ::testing::Test {};
using All =
    ::testing::Types<Free, FreeBoth, FreeVersioned, FreeMinimal, Minimal, OursOnly, Empty, Silent,
                     Derived, Atomic, std::array<int, 3>, std::array<std::vector<int>, 2>,
                     std::array<Free, 2>, std::bitset<70>, std::chrono::seconds,
                     std::complex<double>, std::deque<Text>, std::forward_list<int>, std::less<int>,
                     std::list<std::monostate>, std::list<Silent>, std::list<Empty>,
                     std::vector<Empty>, std::map<Text, std::vector<int>>, std::multimap<int, Free>,
                     std::unique_ptr<Text>, std::unique_ptr<Built>, std::unique_ptr<Shape>,
                     std::shared_ptr<Free>, std::shared_ptr<Shape>>;
template <class T>
class MoreCerealTypes : public CerealTypes<T> {};
using More =
    ::testing::Types<std::optional<Text>, std::optional<Free>, std::optional<std::chrono::seconds>,
                     std::queue<Text>, std::priority_queue<Text>, std::stack<Text>, std::set<Text>,
                     std::multiset<int>, std::tuple<int, Text, Free>, std::pair<Text, FreeMinimal>,
                     std::unordered_map<int, Text>, std::unordered_multimap<int, int>,
                     std::unordered_set<Text>, std::unordered_multiset<int>, std::valarray<double>,
                     std::variant<std::monostate, int, Text>, std::vector<bool>, Text>;
TYPED_TEST_SUITE(CerealTypes, All);
TYPED_TEST_SUITE(MoreCerealTypes, More);

template <class T>
void expect_to_travel() {
  const T one = Sample<T>::make();
  EXPECT_TRUE(same(carried(one), one)) << type_name<T>();
  std::vector<T> several;
  for (int i = 0; i < 3; ++i) several.push_back(Sample<T>::make());
  const std::vector<T> arrived = carried(several);
  ASSERT_EQ(arrived.size(), 3U) << type_name<T>();
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_TRUE(same<T>(arrived[i], several[i])) << type_name<T>();
}
TYPED_TEST(CerealTypes, travel_alone_and_in_a_vector) { expect_to_travel<TypeParam>(); }
TYPED_TEST(MoreCerealTypes, travel_alone_and_in_a_vector) { expect_to_travel<TypeParam>(); }

TEST(CerealTypes, functions_of_a_types_own_come_before_its_bytes) {
  static_assert(!detail::Bitwise<Free> && !detail::Bitwise<FreeBoth> && !detail::Bitwise<Minimal> &&
                !detail::Bitwise<FreeMinimal> && !detail::Bitwise<FreeVersioned> &&
                !detail::Bitwise<OursOnly>);
  static_assert(detail::Bitwise<Empty> && is_plain_tuple<std::tuple<int, Empty>>);
  EXPECT_EQ(carried(Free{1, &std::cout}).handle, nullptr);
}

TEST(CerealTypes, pointers_that_values_share_are_one_object_where_they_arrive) {
  const auto shared = std::make_shared<Text>("one");
  const std::vector<std::shared_ptr<Text>> several{shared, shared, nullptr};
  const auto arrived = carried(several);
  EXPECT_EQ(arrived[0].get(), arrived[1].get());
  EXPECT_EQ(*arrived[0], "one");
  EXPECT_EQ(arrived[2], nullptr);
}

// --- A7: what a container announces ---

TEST(CerealTypes, A7_a_container_of_nothing_takes_a_byte_for_each_element_at_least) {
  Packer packer(Buffer::allocate(16));
  pack(packer, std::list<std::monostate>(1000), 5);
  const Buffer buffer = packer.take();
  EXPECT_EQ(buffer.size(), 1000U + sizeof(int));
  Unpacker bytes(buffer.bytes());
  EXPECT_EQ(unpack<std::list<std::monostate>>(bytes).size(), 1000U);
  EXPECT_EQ(unpack<int>(bytes), 5);
  Unpacker cut(buffer.bytes().first(900));
  EXPECT_THROW((void)unpack<std::list<std::monostate>>(cut), MalformedMessage);
}

TEST(CerealTypes, A7_containers_together_do_not_announce_more_than_the_message_has) {
  using Lists = std::vector<std::list<std::monostate>>;
  Packer packer(Buffer::allocate(16));
  pack(packer, std::uint64_t{4});
  for (int i = 0; i < 4; ++i) pack(packer, std::uint64_t{30});  // each of them could be
  const Buffer buffer = packer.take();
  Unpacker bytes(buffer.bytes());
  EXPECT_THROW((void)unpack<Lists>(bytes), MalformedMessage);
  EXPECT_EQ(carried(Lists(4, std::list<std::monostate>(30))).at(3).size(), 30U);
}

// --- save and load that do not match ---

struct ReadsLess {
  int a = 1, b = 2;
  template <class Archive>
  void save(Archive& archive) const {
    archive(a, b);
  }
  template <class Archive>
  void load(Archive& archive) {
    archive(a);
  }
};
struct ReadsMore {
  int a = 1, b = 2;
  template <class Archive>
  void save(Archive& archive) const {
    archive(a);
  }
  template <class Archive>
  void load(Archive& archive) {
    archive(a, b);
  }
};

template <class... P>
std::string wrong_argument(const P&... values) {
  Packer packer(Buffer::allocate(16));
  pack(packer, values...);
  const Buffer buffer = packer.take();
  try {
    (void)unpack_all_parameters<std::tuple<P...>>(buffer.bytes());
  } catch (const MalformedMessage& error) {
    return error.what();
  }
  return "";
}

TEST(WrongArguments, are_named_with_their_types) {
  const auto shared = std::make_shared<Text>("shared");
  EXPECT_EQ(wrong_argument(1, Text("text"), shared, shared), "");
  const std::string less = wrong_argument(shared, shared, ReadsLess{}, Text("text"));
  EXPECT_NE(less.find("argument 3, "), std::string::npos) << less;
  EXPECT_NE(less.find("ReadsLess: its load has read 4 bytes, its save writes 8"), std::string::npos)
      << less;
  const std::string more = wrong_argument(ReadsMore{}, Text("text"));
  EXPECT_NE(more.find("argument 1, "), std::string::npos) << more;
  EXPECT_NE(more.find("ReadsMore: its load has read 8 bytes, its save writes 4"), std::string::npos)
      << more;
  const std::string last = wrong_argument(1, ReadsMore{});
  EXPECT_NE(last.find("argument 2, "), std::string::npos) << last;
  EXPECT_NE(last.find("ReadsMore: its load reads more"), std::string::npos) << last;
  const std::string element = wrong_argument(std::vector<ReadsLess>(2), 5);
  EXPECT_NE(element.find("ReadsLess"), std::string::npos) << element;
}

TEST(WrongArguments, of_types_that_the_program_does_not_write_are_not_its_fault) {
  static_assert(argument_check<std::tuple<int, Text, std::vector<Text>, Empty>>() == nullptr);
  static_assert(argument_check<std::tuple<int, ReadsLess>>() != nullptr);
}

}  // namespace
}  // namespace roam::core::cereal_types_test
