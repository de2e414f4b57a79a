// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

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

/// The same for the lines in which the `bytes` from `place` on lie.
inline void prefetch_to_write(const void* place, std::size_t bytes) {
  constexpr std::size_t line_bytes = 64;
  const auto* const begin = static_cast<const char*>(place);
  for (std::size_t offset = 0; offset < bytes; offset += line_bytes)
    prefetch_to_write(begin + offset);
  // A piece that does not begin with a line ends in one more.
  if (bytes > 0) prefetch_to_write(begin + bytes - 1);
}

}  // namespace roam::core
