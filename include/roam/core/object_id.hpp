// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>

#include "roam/core/types.hpp"

namespace roam {

/// The name of a mobile object: the rank that created it (its home) and a serial number there, in 8
/// bytes. Never reused. 0 is "no object".
class ObjectId {
 public:
  /// Bits of the serial number; the rest name the home.
  static constexpr int serial_bits = 40;
  /// The bit of the serial number that is set for elements of dense collections, and for no other
  /// object.
  static constexpr std::uint64_t element_bit = std::uint64_t{1} << (serial_bits - 1);
  constexpr ObjectId() = default;
  constexpr explicit ObjectId(std::uint64_t value) : value_(value) {}
  /// The object with this serial number and home; for Roam itself and for tests.
  constexpr ObjectId(Rank home, std::uint64_t serial)
      : value_((static_cast<std::uint64_t>(home.value()) << serial_bits) | serial) {}

  /// Home and serial number in one word, as it travels; 0 for no object.
  [[nodiscard]] constexpr std::uint64_t value() const { return value_; }
  /// The rank that created the object, wherever it is now.
  [[nodiscard]] constexpr Rank home() const {
    return {static_cast<std::int32_t>(value_ >> serial_bits)};
  }
  /// The number that the home gave it.
  [[nodiscard]] constexpr std::uint64_t serial() const {
    return value_ & ((std::uint64_t{1} << serial_bits) - 1);
  }
  /// True for an element of a dense collection, whose name is computed from its index.
  [[nodiscard]] constexpr bool is_element() const { return (value_ & element_bit) != 0; }
  [[nodiscard]] constexpr explicit operator bool() const { return value_ != 0; }
  friend constexpr auto operator<=>(ObjectId, ObjectId) = default;

 private:
  std::uint64_t value_ = 0;
};

/// "home:serial", as in reports and traces.
[[nodiscard]] inline std::string to_string(ObjectId id) {
  return std::to_string(id.home().value()) + ":" + std::to_string(id.serial());
}

}  // namespace roam

template <>
struct std::hash<roam::ObjectId> {
  std::size_t operator()(roam::ObjectId id) const noexcept {
    std::uint64_t z =
        id.value() * 0x9e3779b97f4a7c15ULL;  // Fibonacci hashing: serials are consecutive
    return static_cast<std::size_t>(z ^ (z >> 29));
  }
};
