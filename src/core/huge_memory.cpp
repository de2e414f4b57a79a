// SPDX-License-Identifier: Apache-2.0
#include "roam/core/detail/huge_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <new>

#include "roam/core/error.hpp"

namespace roam::core {

namespace {
std::align_val_t alignment(std::size_t bytes) {
  return std::align_val_t{bytes < HugeMemory::page_bytes ? 64 : HugeMemory::page_bytes};
}
}  // namespace

HugeMemory::HugeMemory(std::size_t bytes)
    : memory_(static_cast<std::byte*>(::operator new(bytes, alignment(bytes), std::nothrow))),
      bytes_(bytes) {
  if (memory_ == nullptr) throw OutOfMemory(bytes, "large messages");
#ifdef MADV_HUGEPAGE
  // The result does not matter: ordinary pages do as well.
  if (bytes >= page_bytes) static_cast<void>(madvise(data(), bytes, MADV_HUGEPAGE));
#endif
}

void HugeMemory::release_pages(std::byte* begin, std::size_t bytes) noexcept {
#ifdef MADV_DONTNEED
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t first = (address + page - 1) / page * page;
  const std::uintptr_t end = (address + bytes) / page * page;
  if (first < end)
    static_cast<void>(madvise(begin + (first - address), end - first, MADV_DONTNEED));
#endif
}

HugeMemory::~HugeMemory() {
  if (memory_ != nullptr) ::operator delete(memory_, alignment(bytes_));
}

}  // namespace roam::core
