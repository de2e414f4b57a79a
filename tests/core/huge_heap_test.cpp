// SPDX-License-Identifier: Apache-2.0
#include "roam/core/detail/huge_heap.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace roam::core::huge_heap_test {
namespace {

/// Whether the kernel has been asked for huge pages for the memory at `place`; false also if it
/// does not say.
bool is_asked_for(const void* place) {
  const auto address = reinterpret_cast<std::uintptr_t>(place);
  std::ifstream maps("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    const std::size_t dash = line.find('-');
    if (dash != std::string::npos && line.find_first_not_of("0123456789abcdef") == dash) {
      const std::uintptr_t begin = std::stoull(line, nullptr, 16);
      const std::uintptr_t end = std::stoull(line.substr(dash + 1), nullptr, 16);
      inside = begin <= address && address < end;
    } else if (inside && line.starts_with("VmFlags:")) {
      return line.find(" hg") != std::string::npos;
    }
  }
  return false;
}

bool has_huge_pages() {
  return std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled").good();
}

TEST(HugeHeap, asks_for_huge_pages_for_what_the_heap_grows_by) {
  if (!has_huge_pages()) GTEST_SKIP() << "the kernel has no transparent huge pages";
  HugeHeap heap;
  constexpr std::size_t piece = std::size_t{1} << 20;
  std::vector<std::unique_ptr<std::byte[]>> pieces;
  for (int i = 0; i < 200; ++i) {
    pieces.push_back(std::make_unique<std::byte[]>(piece));
    heap.look();
  }
  if (reinterpret_cast<std::uintptr_t>(pieces.back().get()) >=
      reinterpret_cast<std::uintptr_t>(sbrk(0)))
    GTEST_SKIP() << "pieces of the heap do not come from the data segment";
  EXPECT_TRUE(is_asked_for(pieces.back().get()));
  pieces.clear();
  heap.look();  // the heap may have become smaller
  pieces.push_back(std::make_unique<std::byte[]>(piece));
  heap.look();
}

}  // namespace
}  // namespace roam::core::huge_heap_test
