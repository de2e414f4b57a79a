// SPDX-License-Identifier: Apache-2.0
// How arguments are written and stored as parameters: arrays of all kinds, in and beside a message.
#include "roam/core/detail/parameters.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <iostream>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "roam/core/error.hpp"
#include "roam/core/random.hpp"

namespace roam::core::parameters_test {
namespace {

template <class T>
std::vector<T> numbers(std::size_t count) {
  std::vector<T> values(count);
  std::iota(values.begin(), values.end(), T{1});
  return values;
}

/// A container of the program that reports when its elements are destroyed.
struct Tracked {
  explicit Tracked(std::vector<int> v, int* count) : values(std::move(v)), ended(count) {}
  Tracked(Tracked&& other) noexcept
      : values(std::move(other.values)), ended(std::exchange(other.ended, nullptr)) {}
  Tracked(const Tracked&) = delete;
  Tracked& operator=(const Tracked&) = delete;
  ~Tracked() {
    if (ended != nullptr) ++*ended;
  }
  [[nodiscard]] int* begin() { return values.data(); }
  [[nodiscard]] int* end() { return begin() + values.size(); }
  [[nodiscard]] const int* begin() const { return values.data(); }
  [[nodiscard]] const int* end() const { return begin() + values.size(); }
  std::vector<int> values;
  int* ended;
};

TEST(Array, takes_over_a_vector_where_it_lies) {
  auto values = numbers<double>(1000);
  const double* const place = values.data();
  Array<double> array = std::move(values);
  EXPECT_EQ(array.data(), place);
  EXPECT_EQ(array.size(), 1000U);
  EXPECT_EQ(array[999], 1000.0);
  Array<double> other(3);
  other = std::move(array);
  EXPECT_EQ(other.data(), place);
  EXPECT_TRUE(array.empty());  // NOLINT: an array that was moved from is empty
  EXPECT_TRUE(Array<int>(std::vector<int>()).empty());
  EXPECT_TRUE(Array<int>(0).empty());
}

TEST(Array, ends_a_container_once) {
  int ended = 0;
  {
    Array<int> array = Tracked(numbers<int>(10), &ended);
    const Array<int> moved = std::move(array);
    EXPECT_EQ(ended, 0);
    EXPECT_EQ(moved[9], 10);
  }
  EXPECT_EQ(ended, 1);
}

TEST(Array, refuses_sizes_that_overflow) {
  EXPECT_THROW(Array<double>(std::numeric_limits<std::size_t>::max() / 4), std::bad_alloc);
}

TEST(Array, is_serialised_like_a_vector) {
  Packer packer(Buffer::allocate(8));
  pack(packer, Array<int>(numbers<int>(5)));
  const Buffer bytes = packer.take();
  Unpacker reader(bytes.bytes());
  EXPECT_EQ(unpack<std::vector<int>>(reader), numbers<int>(5));
  Unpacker again(bytes.bytes());
  const auto array = unpack<Array<int>>(again);
  EXPECT_TRUE(std::ranges::equal(array, numbers<int>(5)));
}

/// Packs arguments for parameters P... behind `shift` other bytes; the array with index `beside`,
/// if any, travels beside them.
struct Packed {
  Buffer message;
  Attachment attachment;
};
template <class... P, class... A>
Packed packed(std::size_t shift, std::optional<std::size_t> beside, BufferPools& pools,
              A&&... arguments) {
  Packer packer(Buffer::allocate(64));
  const std::vector<std::byte> before(shift);
  packer.write(before.data(), shift);
  Outlet outlet{beside.value_or(0), &pools};
  pack_parameters(std::type_identity<std::tuple<P...>>{}, packer, beside ? &outlet : nullptr,
                  std::forward<A>(arguments)...);
  return {packer.take(), std::move(outlet.attachment)};
}

TEST(Parameters, arrays_of_every_kind_arrive_at_every_size_and_shift) {
  BufferPools pools;
  Random random(17);
  std::cout << "seed 17\n";
  using Values = std::tuple<int, std::span<const double>, std::string, std::vector<std::int16_t>,
                            Array<float>, std::span<std::byte>>;
  for (int round = 0; round < 300; ++round) {
    const std::size_t shift = random.below(24);
    const auto doubles = numbers<double>(random.below(40));
    const std::string text(random.below(30), 'x');
    const auto shorts = numbers<std::int16_t>(random.below(40));
    const auto floats = numbers<float>(random.below(40));
    std::vector<std::byte> bytes(random.below(40), std::byte{9});
    std::optional<std::size_t> beside;  // the elements of an array that is not empty
    const std::array<std::size_t, 4> sizes{doubles.size(), shorts.size(), floats.size(),
                                           bytes.size()};
    const std::array<std::size_t, 4> places{1, 3, 4, 5};
    if (const std::size_t i = random.below(5); i < 4 && sizes[i] > 0) beside = places[i];

    Packed p =
        packed<int, std::span<const double>, std::string, std::vector<std::int16_t>, Array<float>,
               std::span<std::byte>>(shift, beside, pools, 5, doubles, text, std::span(shorts),
                                     Array<float>::copy_of(floats), bytes);
    EXPECT_EQ(static_cast<bool>(p.attachment.data), beside.has_value());
    // A message may arrive with another alignment than that with which it was written.
    const std::size_t moved = random.below(2) == 0 ? 0 : random.below(16);
    std::vector<std::byte> memory(p.message.size() + 32);
    std::byte* base = memory.data();
    while (reinterpret_cast<std::uintptr_t>(base) % 16 != 0) ++base;
    std::memcpy(base + moved, p.message.data(), p.message.size());
    Unpacker reader({base + moved + shift, p.message.size() - shift});
    reader.set_attachment(&p.attachment);
    auto stored = unpack_parameters<Values>(reader);
    EXPECT_EQ(reader.remaining(), 0U);
    const int sum = apply_parameters<Values>(
        [&](int number, std::span<const double> d, const std::string& t,
            const std::vector<std::int16_t>& s, const Array<float>& f, std::span<std::byte> b) {
          EXPECT_EQ(reinterpret_cast<std::uintptr_t>(d.data()) % alignof(double), 0U);
          EXPECT_TRUE(std::ranges::equal(d, doubles));
          EXPECT_EQ(t, text);
          EXPECT_EQ(s, shorts);
          EXPECT_TRUE(std::ranges::equal(f, floats));
          EXPECT_TRUE(std::ranges::equal(b, bytes));
          if (moved == 0 && !beside && !d.empty()) {  // a view: no copy was made
            const auto* const place = reinterpret_cast<const std::byte*>(d.data());
            EXPECT_TRUE(place >= base && place < base + p.message.size());
          }
          return number;
        },
        stored);
    EXPECT_EQ(sum, 5);
  }
}

TEST(Parameters, an_array_given_up_is_not_copied) {
  BufferPools pools;
  int ended = 0;
  {
    auto values = numbers<int>(100);
    const int* const place = values.data();
    Packed p = packed<int, Array<int>, int>(16, 1, pools, 1, Tracked(std::move(values), &ended), 2);
    EXPECT_EQ(p.attachment.bytes_behind, sizeof(int));
    Unpacker reader(p.message.bytes().subspan(16));
    reader.set_attachment(&p.attachment);
    auto stored = unpack_parameters<std::tuple<int, Array<int>, int>>(reader);
    EXPECT_EQ(std::get<1>(stored).data(), place);
    // The array is sent on.
    Packed next = packed<std::span<const int>>(0, 0, pools, std::move(std::get<1>(stored)));
    Unpacker again(next.message.bytes());
    again.set_attachment(&next.attachment);
    auto viewed = unpack_parameters<std::tuple<std::span<const int>>>(again);
    EXPECT_EQ(std::get<0>(viewed).data(), place);
    EXPECT_EQ(ended, 0);
  }
  EXPECT_EQ(ended, 1);
}

TEST(Parameters, what_is_not_given_up_is_copied) {
  BufferPools pools;
  const auto values = numbers<int>(100);
  auto copied = values;
  Packed p = packed<std::vector<int>>(0, 0, pools, copied);
  EXPECT_NE(p.attachment.data.data(), reinterpret_cast<std::byte*>(copied.data()));
  std::ranges::fill(copied, 0);
  Unpacker reader(p.message.bytes());
  reader.set_attachment(&p.attachment);
  EXPECT_EQ(std::get<0>(unpack_parameters<std::tuple<std::vector<int>>>(reader)), values);
}

/// The library packs and unpacks an object with arrays.
struct Holder {
  std::string name;
  Array<int> few;
  Array<double> cells;
  Array<double> more;
  int number = 0;
  bool is_unpackable = true;

  static Holder filled() {
    return {"a holder", numbers<int>(3), numbers<double>(500), numbers<double>(600), 9};
  }
  [[nodiscard]] bool is_as_filled() const {
    return name == "a holder" && number == 9 && std::ranges::equal(few, numbers<int>(3)) &&
           std::ranges::equal(cells, numbers<double>(500)) &&
           std::ranges::equal(more, numbers<double>(600));
  }
  template <class Archive>
  void save(Archive& archive) const {
    archive(name, few, cells, more, number);
    if (!is_unpackable) throw std::runtime_error("behind the arrays");
  }
  template <class Archive>
  void load(Archive& archive) {
    archive(name, few, cells, more, number);
  }
};

/// Lends one array, and records how often it has been lent and whether it has been given back.
class OneArrayLender final : public ArrayLender, public Lender {
 public:
  explicit OneArrayLender(const void* array) : array_(array) {}
  Buffer lend(const void* array, std::span<const std::byte> elements) override {
    if (array != array_) return {};
    ++lent;
    return Buffer::borrow_to_send(elements, this);
  }
  void take_back(std::span<std::byte> /*memory*/) noexcept override { ++returned; }
  int lent = 0;
  int returned = 0;

 private:
  const void* array_;
};

/// Where an array's elements are.
template <class T>
const std::byte* place_of(const Array<T>& array) {
  return reinterpret_cast<const std::byte*>(array.data());
}

constexpr std::size_t beside_from = 1000;  // bytes: more than `few` has, less than the others

Buffer pack_with(ArrayOutlet& outlet, const Holder& holder) {
  Packer packer(Buffer::allocate(64));
  packer.set_outlet(&outlet);
  pack(packer, holder);
  packer.set_outlet(nullptr);
  outlet.attachment.bytes_behind = packer.size() - outlet.place;
  return packer.take();
}

Holder unpack_with(const Buffer& message, Attachment& attachment) {
  Unpacker reader(message.bytes());
  reader.set_attachment(&attachment);
  auto holder = unpack<Holder>(reader);
  EXPECT_EQ(reader.remaining(), 0U);
  EXPECT_FALSE(reader.has_attachment());
  return holder;
}

TEST(ArrayOutlet, takes_the_first_large_array_from_where_it_lies_and_it_stays_there) {
  BufferPools pools;
  const Holder holder = Holder::filled();
  OneArrayLender lender(&holder.cells);
  {
    ArrayOutlet outlet{beside_from, &pools, &lender};
    const Buffer message = pack_with(outlet, holder);
    EXPECT_EQ(lender.lent, 1);
    EXPECT_EQ(outlet.attachment.data.data(), place_of(holder.cells));
    EXPECT_EQ(outlet.attachment.data.size(), 500 * sizeof(double));
    // The rest of the message has the second large array in its place, and nothing of the first.
    EXPECT_GT(message.size(), 600 * sizeof(double));
    EXPECT_LT(message.size(), 650 * sizeof(double));
    const Holder arrived = unpack_with(message, outlet.attachment);
    EXPECT_EQ(place_of(arrived.cells), place_of(holder.cells));
    EXPECT_TRUE(arrived.is_as_filled());
    EXPECT_EQ(lender.returned, 0);
  }
  EXPECT_EQ(lender.returned, 1);
  EXPECT_TRUE(holder.is_as_filled());
}

TEST(ArrayOutlet,
     copies_what_is_not_lent_into_its_pools_and_the_copy_is_the_programs_where_it_arrives) {
  for (const bool has_lender : {false, true}) {
    BufferPools pools;
    Holder holder = Holder::filled();
    holder.cells = Array<double>(100'000);  // in LargeBlocks
    std::ranges::fill(holder.cells, 4.5);
    OneArrayLender lender(nullptr);
    ArrayOutlet outlet{beside_from, &pools, has_lender ? &lender : nullptr};
    Holder arrived;
    {
      const Buffer message = pack_with(outlet, holder);
      const std::byte* const copy = outlet.attachment.data.data();
      EXPECT_NE(copy, place_of(holder.cells));
      std::ranges::fill(holder.cells, 0.0);
      EXPECT_GE(pools.bytes_in_use(), 100'000 * sizeof(double));
      arrived = unpack_with(message, outlet.attachment);
      EXPECT_EQ(place_of(arrived.cells), copy);
    }
    EXPECT_EQ(pools.bytes_in_use(), 0U);  // although the array is there
    EXPECT_EQ(arrived.cells.size(), 100'000U);
    EXPECT_TRUE(std::ranges::all_of(arrived.cells, [](double value) { return value == 4.5; }));
    EXPECT_EQ(lender.lent, 0);
  }
}

TEST(ArrayOutlet, leaves_small_arrays_in_their_places) {
  BufferPools pools;
  const Holder holder = Holder::filled();
  OneArrayLender lender(&holder.cells);
  ArrayOutlet outlet{600 * sizeof(double) + 1, &pools, &lender};
  const Buffer message = pack_with(outlet, holder);
  EXPECT_FALSE(outlet.attachment.data);
  EXPECT_EQ(lender.lent, 0);
  EXPECT_TRUE(unpack_with(message, outlet.attachment).is_as_filled());
}

TEST(ArrayOutlet, what_arrives_misaligned_is_copied_and_given_back_at_once) {
  BufferPools pools;
  const Holder holder = Holder::filled();
  ArrayOutlet outlet{beside_from, &pools};
  const Buffer message = pack_with(outlet, holder);
  const std::size_t bytes = outlet.attachment.data.size();
  std::vector<double> memory(501);
  std::byte* const shifted = reinterpret_cast<std::byte*>(memory.data()) + 3;
  std::memcpy(shifted, outlet.attachment.data.data(), bytes);
  OneArrayLender owner(nullptr);
  outlet.attachment.data = Buffer::borrow({shifted, bytes}, &owner);
  const Holder arrived = unpack_with(message, outlet.attachment);
  EXPECT_NE(place_of(arrived.cells), shifted);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(arrived.cells.data()) % alignof(double), 0U);
  EXPECT_TRUE(arrived.is_as_filled());
  EXPECT_EQ(owner.returned, 1);
}

TEST(ArrayOutlet, an_array_is_given_back_once_if_packing_ends_behind_it) {
  BufferPools pools;
  Holder holder = Holder::filled();
  holder.is_unpackable = false;
  OneArrayLender lender(&holder.cells);
  {
    ArrayOutlet outlet{beside_from, &pools, &lender};
    EXPECT_THROW(pack_with(outlet, holder), std::runtime_error);
    EXPECT_EQ(lender.lent, 1);
    EXPECT_EQ(lender.returned, 0);
  }
  EXPECT_EQ(lender.returned, 1);
  EXPECT_TRUE(holder.is_as_filled());
}

TEST(ArrayOutlet, A7_wrong_counts_and_places_are_malformed) {
  BufferPools pools;
  const Holder holder = Holder::filled();
  const auto expect_malformed = [&](const char* why, std::size_t bytes, std::size_t shift) {
    ArrayOutlet outlet{beside_from, &pools};
    const Buffer message = pack_with(outlet, holder);
    Attachment attachment{pools.take(bytes), outlet.attachment.bytes_behind + shift};
    attachment.data.set_size(bytes);
    Unpacker reader(message.bytes());
    reader.set_attachment(&attachment);
    EXPECT_THROW(static_cast<void>(unpack<Holder>(reader)), MalformedMessage) << why;
  };
  expect_malformed("an element too few", 499 * sizeof(double), 0);
  expect_malformed("an element too many", 501 * sizeof(double), 0);
  expect_malformed("no whole elements", 500 * sizeof(double) + 4, 0);
  expect_malformed("where no array is", 500 * sizeof(double), 1);
}

TEST(Parameters, the_attachment_put_back_is_the_message_in_one_piece) {
  BufferPools pools;
  const auto values = numbers<int>(50);
  const Packed apart = packed<int, std::vector<int>, int>(0, 1, pools, 7, values, 8);
  const Packed whole = packed<int, std::vector<int>, int>(0, std::nullopt, pools, 7, values, 8);
  Packer packer(Buffer::allocate(8));
  write_whole(packer, apart.message.bytes(), apart.attachment);
  const Buffer put_back = packer.take();
  EXPECT_TRUE(std::ranges::equal(put_back.bytes(), whole.message.bytes()));
}

template <class P>
void expect_malformed(std::span<const std::byte> bytes, Attachment attachment, const char* why) {
  Unpacker reader(bytes);
  reader.set_attachment(&attachment);
  EXPECT_THROW(static_cast<void>(unpack_parameters<std::tuple<P>>(reader)), MalformedMessage)
      << why;
}
template <class P>
void expect_all_malformed() {
  const auto beside = [](std::size_t bytes, std::size_t behind) {
    Attachment attachment{Buffer::allocate(bytes), behind};
    attachment.data.set_size(bytes);
    return attachment;
  };
  for (const std::uint64_t count :
       {std::uint64_t{3}, std::uint64_t{1} << 40, std::uint64_t{1} << 61, ~std::uint64_t{0},
        (std::uint64_t{1} << 62) + 2, std::uint64_t{200} << 56}) {
    std::array<std::uint64_t, 2> words{count, 0};  // room for two ints
    const auto bytes = std::as_bytes(std::span(words));
    expect_malformed<P>(bytes, {}, "more than the message has");
    expect_malformed<P>(bytes, beside(8, 8), "other than what came beside it");
    expect_malformed<P>(bytes, beside(10, 8), "no whole elements");
  }
  const std::array<std::uint64_t, 2> two{2, 0};
  const auto bytes = std::as_bytes(std::span(two));
  expect_malformed<P>(bytes, beside(8, 3), "beside, at a place where no array is");
  expect_malformed<P>(bytes, beside(8, 1000), "beside, at a place before the message");
  expect_malformed<P>(bytes.first(5), beside(8, 0), "cut off");
}
TEST(Parameters, A7_wrong_counts_and_places_are_malformed) {
  expect_all_malformed<std::span<const int>>();
  expect_all_malformed<Array<int>>();
  expect_all_malformed<std::vector<int>>();
}

TEST(Parameters, what_may_be_passed_where) {
  using Doubles = std::tuple<std::span<const double>>;
  static_assert(are_arguments_for<Doubles, std::vector<double>>);
  static_assert(are_arguments_for<Doubles, std::array<double, 3>>);
  static_assert(are_arguments_for<Doubles, Array<double>>);
  static_assert(!are_arguments_for<Doubles, std::vector<float>>);
  static_assert(!are_arguments_for<Doubles, std::vector<double>, int>);
  static_assert(are_arguments_for<std::tuple<std::vector<double>>, std::span<const double>>);
  static_assert(are_arguments_for<std::tuple<std::string>, std::string_view>);
  static_assert(are_arguments_for<std::tuple<Array<char>>, std::string>);
  static_assert(has_view_parameter<Doubles> && !has_view_parameter<std::tuple<Array<int>>>);
  static_assert(!has_array_parameter<std::tuple<int, std::vector<bool>>>);
}

}  // namespace
}  // namespace roam::core::parameters_test
