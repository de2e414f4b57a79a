// SPDX-License-Identifier: Apache-2.0
#include "roam/core/detail/huge_heap.hpp"

#if defined(__GLIBC__)
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <utility>
#endif

namespace roam::core {

#if defined(__GLIBC__)

namespace {
std::uintptr_t end_of_data() { return reinterpret_cast<std::uintptr_t>(sbrk(0)); }
}  // namespace

HugeHeap::HugeHeap() : end_(end_of_data()) {
  constexpr int mebibyte = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, 32 * mebibyte);
  mallopt(M_TRIM_THRESHOLD, 128 * mebibyte);
  mallopt(M_TOP_PAD, 64 * mebibyte);
}

void HugeHeap::look() {
  const std::uintptr_t end = end_of_data();
  if (end <= end_) {
    end_ = end;
    return;
  }
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t begin = std::exchange(end_, end) / page * page;
#ifdef MADV_HUGEPAGE
  static_cast<void>(madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE));
#endif
}

#else

HugeHeap::HugeHeap() = default;
void HugeHeap::look() {}

#endif

}  // namespace roam::core
