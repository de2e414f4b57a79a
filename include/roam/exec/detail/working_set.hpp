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
    pieces_[size_++] = {static_cast<const std::byte*>(begin), static_cast<std::uint32_t>(lines)};
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
      for (std::uint32_t line = 0; line < pieces_[i].lines; ++line)
        core::prefetch_to_write(pieces_[i].begin + line * line_bytes);
    }
  }

  static constexpr std::size_t most_pieces = 31;
  static constexpr std::size_t longest_piece = 2048;

 private:
  static constexpr std::size_t line_bytes = 64;
  struct Piece {
    const std::byte* begin;
    std::uint32_t lines;
  };
  std::size_t size_ = 0;
  std::array<Piece, most_pieces> pieces_{};  // in place: next to that of the next engine
};

}  // namespace roam::exec
