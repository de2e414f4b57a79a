// SPDX-License-Identifier: Apache-2.0
#include "roam/am/remote_layout.hpp"

#include <cstring>

namespace roam::am {

namespace {

// Calls run(offset in bytes, length in bytes) for each contiguous piece, in order.
template <class Run>
void for_each_run(const Layout& layout, Run&& run) {
  const auto bytes = static_cast<std::int64_t>(layout.element_bytes);
  const bool is_dense = layout.strides[0] == 1;
  for (std::uint64_t z = 0; z < layout.extents[2]; ++z) {
    for (std::uint64_t y = 0; y < layout.extents[1]; ++y) {
      const std::int64_t start = (static_cast<std::int64_t>(z) * layout.strides[2] +
                                  static_cast<std::int64_t>(y) * layout.strides[1]) *
                                 bytes;
      if (is_dense) {
        run(start, static_cast<std::size_t>(layout.extents[0] * layout.element_bytes));
        continue;
      }
      for (std::uint64_t x = 0; x < layout.extents[0]; ++x) {
        run(start + static_cast<std::int64_t>(x) * layout.strides[0] * bytes,
            static_cast<std::size_t>(layout.element_bytes));
      }
    }
  }
}

bool fits(std::uint64_t value) { return value <= std::uint64_t{INT64_MAX}; }

}  // namespace

std::optional<Footprint> footprint(const Layout& layout) {
  std::uint64_t bytes = layout.element_bytes;
  for (const std::uint64_t extent : layout.extents) {
    if (extent == 0) return Footprint{};
  }
  for (const std::uint64_t extent : layout.extents) {
    if (__builtin_mul_overflow(bytes, extent, &bytes) || !fits(bytes)) return std::nullopt;
  }
  if (bytes == 0) return std::nullopt;  // elements without size
  // The corners bound all elements.
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  const auto element = static_cast<std::int64_t>(layout.element_bytes);
  for (std::size_t i = 0; i < layout.extents.size(); ++i) {
    const auto steps = static_cast<std::int64_t>(layout.extents[i] - 1);
    std::int64_t reach = 0;
    if (__builtin_mul_overflow(steps, layout.strides[i], &reach) ||
        __builtin_mul_overflow(reach, element, &reach)) {
      return std::nullopt;
    }
    std::int64_t& corner = reach < 0 ? lowest : highest;
    if (__builtin_add_overflow(corner, reach, &corner)) return std::nullopt;
  }
  std::int64_t length = 0;
  if (__builtin_sub_overflow(highest, lowest, &length) ||
      __builtin_add_overflow(length, element, &length)) {
    return std::nullopt;
  }
  return Footprint{bytes, {lowest, static_cast<std::uint64_t>(length)}};
}

void gather(const std::byte* first, const Layout& layout, std::byte* packed) {
  for_each_run(layout, [&](std::int64_t offset, std::size_t length) {
    std::memcpy(packed, first + offset, length);
    packed += length;
  });
}

void scatter(const std::byte* packed, std::byte* first, const Layout& layout) {
  for_each_run(layout, [&](std::int64_t offset, std::size_t length) {
    std::memcpy(first + offset, packed, length);
    packed += length;
  });
}

}  // namespace roam::am
