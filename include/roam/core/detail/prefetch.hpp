// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace roam::core {

/// Asks for the cache line at `place`, soon to be written, to be this core's alone when that
/// happens. Reads and writes nothing; any address will do.
inline void prefetch_to_write(const void* place) {
#if defined(__x86_64__)
  // The builtin asks for a copy to read, unless the compiler may count on this instruction. What
  // does not know it takes it for none.
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(place)));
#else
  __builtin_prefetch(place, 1);
#endif
}

}  // namespace roam::core
