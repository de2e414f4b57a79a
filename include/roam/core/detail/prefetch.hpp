// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace roam::core {

/// Asks for exclusive ownership of the cache line at `place`, which is soon to be written. Reads
/// and writes nothing; any address is allowed.
inline void prefetch_to_write(const void* place) {
#if defined(__x86_64__)
  // The builtin fetches a shared copy for reading, unless the compiler may assume that this
  // instruction exists. Processors that do not have it treat it as no operation.
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(place)));
#else
  __builtin_prefetch(place, 1);
#endif
}

}  // namespace roam::core
