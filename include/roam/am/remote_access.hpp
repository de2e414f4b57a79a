// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "roam/am/remote_ptr.hpp"
#include "roam/core/error.hpp"

namespace roam {

/// A remote access that its target refused (A4), leaving its memory unchanged. what() names the
/// operation, the rank, the region, offset and length asked for and the region's size, and says
/// why.
class RemoteMemoryError : public Error {
 public:
  using Error::Error;
};

namespace am {

/// @cond
/// Why an access was refused. Sent in answers.
enum class AccessFault : std::uint32_t {
  none,
  no_such_region,
  gone,  // freed, or no longer exposed
  outside,
  misaligned,
  not_freeable,
  out_of_memory,
};
inline constexpr auto last_access_fault = AccessFault::out_of_memory;

/// The bytes that an operation accesses, as they are named in messages to their rank.
struct Access {
  std::uint32_t region = 0;
  std::uint32_t alignment = 1;  // bytes, a power of two
  std::uint64_t generation = 0;
  std::int64_t offset = 0;   // bytes from the region's beginning
  std::uint64_t length = 0;  // bytes
};
static_assert(sizeof(Access) == 32);

[[nodiscard]] inline Access access_to(const RemoteAddress& address, std::uint64_t length,
                                      std::size_t alignment) {
  return {address.region, static_cast<std::uint32_t>(alignment), address.generation, address.offset,
          length};
}

/// The text of a RemoteMemoryError.
[[nodiscard]] std::string describe_fault(const char* operation, Rank rank, const Access& access,
                                         AccessFault fault, std::uint64_t region_bytes);
/// @endcond

}  // namespace am
}  // namespace roam
