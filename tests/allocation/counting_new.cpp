// SPDX-License-Identifier: Apache-2.0
// Replaces the global operators. A file of its own: a compiler that sees operator delete but not
// the operator new beside it takes their malloc and free for a mismatch. All forms: those that are
// left out need not call these (the address sanitizer's do not).
#include "allocation/counting_new.hpp"

namespace {

void* allocate_or_null(std::size_t bytes, std::size_t alignment) noexcept {
  try {
    return roam::tests::HeapUse::allocate(bytes, alignment);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

}  // namespace

void* operator new(std::size_t bytes) { return roam::tests::HeapUse::allocate(bytes, 0); }
void* operator new[](std::size_t bytes) { return roam::tests::HeapUse::allocate(bytes, 0); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return roam::tests::HeapUse::allocate(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return roam::tests::HeapUse::allocate(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocate_or_null(bytes, 0);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocate_or_null(bytes, 0);
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate_or_null(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment,
                     const std::nothrow_t&) noexcept {
  return allocate_or_null(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* place) noexcept { std::free(place); }
void operator delete[](void* place) noexcept { std::free(place); }
void operator delete(void* place, std::size_t) noexcept { std::free(place); }
void operator delete[](void* place, std::size_t) noexcept { std::free(place); }
void operator delete(void* place, std::align_val_t) noexcept { std::free(place); }
void operator delete[](void* place, std::align_val_t) noexcept { std::free(place); }
void operator delete(void* place, std::size_t, std::align_val_t) noexcept { std::free(place); }
void operator delete[](void* place, std::size_t, std::align_val_t) noexcept { std::free(place); }
void operator delete(void* place, const std::nothrow_t&) noexcept { std::free(place); }
void operator delete[](void* place, const std::nothrow_t&) noexcept { std::free(place); }
void operator delete(void* place, std::align_val_t, const std::nothrow_t&) noexcept {
  std::free(place);
}
void operator delete[](void* place, std::align_val_t, const std::nothrow_t&) noexcept {
  std::free(place);
}
