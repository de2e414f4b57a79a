// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "roam/core/detail/prefetch.hpp"

namespace roam::exec {

/// The memory that nearly every turn of an engine uses. A driver that turns thousands of engines on
/// one thread finds nothing of the next engine in the cache, unless it has prefetched this memory
/// during the turn before.
class WorkingSet {
 public:
  /// Adds a piece of memory. A piece of more than `longest_piece` bytes, of which one turn uses
  /// little, is left out, and so is what comes after `most_pieces`.
  void add(const void* begin, std::size_t bytes) {
    if (bytes == 0 || bytes > longest_piece || size_ == most_pieces) return;
    const auto address = reinterpret_cast<std::uintptr_t>(begin);
    const std::uintptr_t lines = (address + bytes - 1) / line_bytes - address / line_bytes + 1;
    pieces_[size_++] = address / line_bytes * line_bytes + lines;
  }
  /// Adds the memory from `begin` to `end`: some members of a class that has others between them.
  void add_from(const void* begin, const void* end) {
    add(begin, static_cast<std::size_t>(static_cast<const std::byte*>(end) -
                                        static_cast<const std::byte*>(begin)));
  }
  template <class T>
  void add(const T& object) {
    add(&object, sizeof object);
  }
  template <class T>
  void add(std::span<const T> elements) {
    add(elements.data(), elements.size_bytes());
  }
  /// Prefetches all of it into the cache for writing; does not wait.
  void prefetch() const {
    for (std::size_t i = 0; i < size_; ++i) {
      const std::uintptr_t lines = pieces_[i] % line_bytes;
      const auto* const begin = reinterpret_cast<const std::byte*>(pieces_[i] - lines);
      for (std::uintptr_t line = 0; line < lines; ++line)
        core::prefetch_to_write(begin + line * line_bytes);
    }
  }

  static constexpr std::size_t most_pieces = 39;
  static constexpr std::size_t longest_piece = 2048;

 private:
  static constexpr std::uintptr_t line_bytes = 64;
  static_assert(longest_piece / line_bytes + 2 < line_bytes);
  std::size_t size_ = 0;
  // Of each, the address of its first line, plus the number of its lines. In place: next to that of
  // the next engine.
  std::array<std::uintptr_t, most_pieces> pieces_{};
};

}  // namespace roam::exec
