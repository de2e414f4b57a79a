// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "roam/core/object_id.hpp"
#include "roam/core/types.hpp"

namespace roam {

/// Names a part of a job's work whose end can be awaited (M10): what was issued inside it, and all
/// that this caused. A value of 8 bytes, copyable, valid as a handler's argument on every rank. The
/// default one names no epoch.
class Epoch {
 public:
  constexpr Epoch() = default;
  /// Makes an epoch from its value(); for Roam itself and for archives of the program's own.
  constexpr explicit Epoch(std::uint64_t value) : value_(value) {}
  /// The epoch with this number among those of this rank; for Roam itself and for tests.
  constexpr Epoch(Rank root, std::uint64_t serial) : value_(ObjectId(root, serial).value()) {}

  /// Rank and number in one word; 0 for no epoch.
  [[nodiscard]] constexpr std::uint64_t value() const { return value_; }
  /// The rank that began it.
  [[nodiscard]] constexpr Rank root() const { return ObjectId(value_).home(); }
  /// The number of the epoch among the epochs of that rank.
  [[nodiscard]] constexpr std::uint64_t serial() const { return ObjectId(value_).serial(); }
  [[nodiscard]] constexpr explicit operator bool() const { return value_ != 0; }
  friend constexpr auto operator<=>(Epoch, Epoch) = default;

 private:
  std::uint64_t value_ = 0;
};

/// The epoch as "rank:serial", for reports.
[[nodiscard]] inline std::string to_string(Epoch epoch) {
  return to_string(ObjectId(epoch.value()));
}

}  // namespace roam
