// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace roam {

/// How ranks learn where a mobile object is that has moved (M7).
enum class LocationPolicy : std::uint8_t {
  lazy,   ///< a rank whose call was forwarded is told, and the home always is (PREMA 3.1)
  eager,  ///< every rank that has called the object is told when it arrives, and so is the home
  home    ///< only the home is told, and calls go through it
};
[[nodiscard]] std::string_view to_string(LocationPolicy policy);

namespace mobile {

/// What a user may set for finding objects that have moved.
struct ObjectSpaceOptions {
  /// How often a message to a moved object is forwarded before the home rank is asked (M7). 1 to
  /// 1000, default 8.
  std::uint32_t max_hops = 8;
  /// How ranks learn where a moved object is (M7).
  LocationPolicy location_policy = LocationPolicy::lazy;
  /// For how many objects of other homes a rank remembers the place, besides the objects that are
  /// here. Those not used for long are forgotten, and their home is asked again. 1 to 10^9, default
  /// 2^20 (40 MiB).
  std::size_t directory_limit = std::size_t{1} << 20U;
};

}  // namespace mobile
}  // namespace roam
