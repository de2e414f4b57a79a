// SPDX-License-Identifier: Apache-2.0
#include "roam/am/remote_ptr.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <unordered_set>

#include "roam/am/remote_layout.hpp"
#include "roam/core/serialise.hpp"

namespace roam::am::remote_ptr_test {
namespace {

constexpr remote_ptr<double> at(std::int64_t offset) {
  return remote_ptr<double>(RemoteAddress{3, 7, 9, offset});
}

TEST(RemotePtr, is_a_small_value) {
  static_assert(sizeof(remote_ptr<double>) <= 24);
  static_assert(std::is_trivially_copyable_v<remote_ptr<double>>);
  static_assert(core::is_serialisable<remote_ptr<double>>);
  static_assert(core::is_serialisable<remote_span<double>>);
  static_assert(std::is_convertible_v<remote_ptr<int>, remote_ptr<const int>>);
  static_assert(!std::is_convertible_v<remote_ptr<const int>, remote_ptr<int>>);
  static_assert(std::is_convertible_v<remote_ptr<int>, remote_ptr<void>>);
  static_assert(!std::is_convertible_v<remote_ptr<int>, remote_ptr<long>>);
  EXPECT_FALSE(remote_ptr<int>());
  EXPECT_EQ(remote_ptr<int>().rank(), no_rank);
}

TEST(RemotePtr, counts_in_elements) {
  remote_ptr<double> p = at(80);
  EXPECT_EQ((p + 2).address().offset, 96);
  EXPECT_EQ((2 + p).address().offset, 96);
  EXPECT_EQ((p - 10).address().offset, 0);
  EXPECT_EQ(p[-1].address().offset, 72);
  EXPECT_EQ((p + 5) - p, 5);
  EXPECT_EQ(p - (p + 5), -5);
  EXPECT_EQ((++p).address().offset, 88);
  EXPECT_EQ((p--).address().offset, 88);
  EXPECT_EQ(p, at(80));
  EXPECT_EQ(p.cast<std::int32_t>()[1].address().offset, 84);
  EXPECT_LT(at(0), at(8));
  EXPECT_NE(at(0), remote_ptr<double>(RemoteAddress{4, 7, 9, 0}));
}

TEST(RemotePtr, arithmetic_that_overflows_is_an_error) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_THROW(at(0) + most, Error);
  EXPECT_THROW(at(0) + (most / 8 + 1), Error);
  EXPECT_THROW(at(8) + most / 8, Error);
  EXPECT_THROW(at(0) - most, Error);
  EXPECT_THROW(at(0) - std::numeric_limits<std::int64_t>::min(), Error);
  EXPECT_EQ((at(0) + most / 8).address().offset, most / 8 * 8);
  EXPECT_THROW(at(0) - remote_ptr<double>(RemoteAddress{4, 7, 9, 0}), Error);
}

TEST(RemotePtr, travels_and_hashes) {
  core::Packer packer(core::Buffer::allocate(8));
  core::pack(packer, at(16));
  const core::Buffer bytes = packer.take();
  core::Unpacker unpacker(bytes.bytes());
  EXPECT_EQ(core::unpack<remote_ptr<double>>(unpacker), at(16));
  std::unordered_set<remote_ptr<double>> all;
  for (std::int64_t i = 0; i < 1000; ++i) all.insert(at(8 * (i % 500)));
  EXPECT_EQ(all.size(), 500U);
}

TEST(RemoteLayout, footprints_cover_the_corners) {
  const auto f = footprint({box(3, 2, 2), inside(10, 5), 8});
  ASSERT_TRUE(f);
  EXPECT_EQ(f->bytes, 3U * 2 * 2 * 8);
  EXPECT_EQ(f->range.first, 0);
  EXPECT_EQ(f->range.length, (2U + 10 + 50 + 1) * 8);
  const auto backwards = footprint({box(3, 2), {-1, 10, 0}, 4});
  EXPECT_EQ(backwards->range.first, -8);
  EXPECT_EQ(backwards->range.length, (2U + 10 + 1) * 4);
  EXPECT_EQ(footprint({box(0, 5), {1, 1, 1}, 8})->bytes, 0U);
}

TEST(RemoteLayout, footprints_that_overflow_are_none) {
  constexpr std::uint64_t huge = std::uint64_t{1} << 62;
  EXPECT_FALSE(footprint({box(huge, 2, 2), {1, 1, 1}, 8}));
  EXPECT_FALSE(footprint({row(huge), {1, 0, 0}, 8}));
  EXPECT_FALSE(footprint({row(3), {std::numeric_limits<std::int64_t>::max(), 0, 0}, 1}));
  EXPECT_FALSE(footprint({row(3), {std::numeric_limits<std::int64_t>::min(), 0, 0}, 1}));
  EXPECT_FALSE(footprint({row(2), {std::numeric_limits<std::int64_t>::max() / 4, 0, 0}, 8}));
  EXPECT_FALSE(footprint({box(2, 2), {std::int64_t{1} << 61, std::int64_t{1} << 61, 0}, 2}));
  EXPECT_FALSE(footprint({row(1), {1, 0, 0}, ~std::uint64_t{0}}));
  EXPECT_FALSE(footprint({row(1), {1, 0, 0}, 0}));
}

TEST(RemoteLayout, gathers_and_scatters_in_order) {
  std::string source = "abcdefghijklmnopqrstuvwx";  // 4 rows of 6
  std::string packed(6, '?');
  const Layout block{box(2, 3), inside(6), 1};
  gather(reinterpret_cast<const std::byte*>(source.data() + 7), block,
         reinterpret_cast<std::byte*>(packed.data()));
  EXPECT_EQ(packed, "hinotu");
  std::string target(24, '.');
  scatter(reinterpret_cast<const std::byte*>(packed.data()),
          reinterpret_cast<std::byte*>(target.data() + 23), {box(2, 3), {-1, -6, 0}, 1});
  EXPECT_EQ(target, "..........ut....on....ih");
}

}  // namespace
}  // namespace roam::am::remote_ptr_test
