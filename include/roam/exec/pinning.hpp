// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace roam {

/// To which cores workers are bound (--roam-pin). Workers are numbered through all ranks of a host,
/// those of a rank one after the other. Cores have hwloc's logical numbers, among those that the
/// process may use: neighbouring numbers are near each other.
struct Pinning {
  /// How cores are chosen.
  enum class Policy : std::uint8_t {
    none,     ///< workers are not bound
    compact,  ///< workers take cores in order, so that neighbours share caches
    scatter,  ///< neighbours are as far apart as they can be, so that each has most of its caches
    cores     ///< as listed
  };
  Policy policy = Policy::none;     ///< how cores are chosen
  std::vector<std::int32_t> cores;  ///< of Policy::cores: of the first worker of a host, the second

  /// Workers are bound.
  [[nodiscard]] bool binds() const { return policy != Policy::none; }
  friend bool operator==(const Pinning&, const Pinning&) = default;
};

/// "none", "compact", "scatter", or "cores:0,2-5" as in the option.
[[nodiscard]] std::string to_string(const Pinning& pinning);
/// From such a text, or "true" for compact and "false" for none. Throws ConfigError that says what
/// is allowed.
[[nodiscard]] Pinning parse_pinning(const std::string& text);

}  // namespace roam
