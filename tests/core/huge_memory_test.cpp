// SPDX-License-Identifier: Apache-2.0
#include "roam/core/detail/huge_memory.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

namespace huge_memory_test {

using roam::core::HugeMemory;

namespace {

TEST(HugeMemory, only_whole_pages_are_released) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const HugeMemory memory(HugeMemory::page_bytes);
  std::byte* const pages = memory.data();
  std::fill_n(pages, 4 * page, std::byte{7});
  HugeMemory::release_pages(pages + page / 2, 2 * page);  // one whole page between two halves
  HugeMemory::release_pages(pages + 3 * page + 1, page - 2);
  const auto is_kept = [](std::byte byte) { return byte == std::byte{7}; };
  EXPECT_TRUE(std::all_of(pages, pages + page, is_kept));
  EXPECT_TRUE(std::all_of(pages + 2 * page, pages + 4 * page, is_kept));
#ifdef __linux__
  EXPECT_TRUE(std::none_of(pages + page, pages + 2 * page, is_kept));
#endif
}

}  // namespace

}  // namespace huge_memory_test
