// SPDX-License-Identifier: Apache-2.0
#include "roam/core/huge_memory.hpp"

#include <sys/mman.h>

#include <new>

namespace roam::core {

namespace {
std::align_val_t alignment(std::size_t bytes) {
  return std::align_val_t{bytes < HugeMemory::page_bytes ? 64 : HugeMemory::page_bytes};
}
}  // namespace

HugeMemory::HugeMemory(std::size_t bytes)
    : memory_(static_cast<std::byte*>(::operator new(bytes, alignment(bytes))), Release{bytes}) {
#ifdef MADV_HUGEPAGE
  // A wish; ordinary pages do as well.
  if (bytes >= page_bytes) static_cast<void>(madvise(data(), bytes, MADV_HUGEPAGE));
#endif
}

void HugeMemory::release_pages(std::byte* begin, std::size_t bytes) noexcept {
#ifdef MADV_DONTNEED
  static_cast<void>(madvise(begin, bytes, MADV_DONTNEED));
#endif
}

void HugeMemory::Release::operator()(std::byte* memory) const {
  ::operator delete(memory, alignment(bytes));
}

}  // namespace roam::core
