// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace roam {

/// The place of one runtime in its job: 0 <= rank < size. A rank is an object, not a process: one
/// process may hold one rank (under MPI) or thousands (in-process, simulated).
class Rank {
 public:
  constexpr Rank() = default;
  /// From a number, so that `rank == 0` and `object.migrate(1)` read naturally; not checked.
  constexpr Rank(std::int32_t value)
      : value_(value) {}  // NOLINT: `rank == 0`, `migrate(object, 1)` read naturally
  /// The number; -1 for no_rank.
  [[nodiscard]] constexpr std::int32_t value() const { return value_; }
  /// The number as an index into a list with an entry for each rank. Requires a rank that is not
  /// no_rank.
  [[nodiscard]] constexpr std::size_t index() const { return static_cast<std::size_t>(value_); }
  friend constexpr auto operator<=>(Rank, Rank) = default;

 private:
  std::int32_t value_ = -1;
};

/// "No rank": never a member of a job.
inline constexpr Rank no_rank{};

/// Index of a worker within its rank. The application's main program runs on worker 0.
using WorkerIndex = std::uint32_t;

/// A length of time in nanoseconds.
using Duration = std::chrono::nanoseconds;
/// A moment: nanoseconds since the start of the job's clock, which is virtual in a simulated run.
using Instant = std::chrono::nanoseconds;
/// A moment that never comes.
inline constexpr Instant never = Instant::max();

/// A duration in seconds.
[[nodiscard]] constexpr double seconds(Duration d) {
  return std::chrono::duration<double>(d).count();
}
/// Seconds as a duration, rounded towards zero to whole nanoseconds.
[[nodiscard]] constexpr Duration from_seconds(double s) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(s));
}

/// Urgency of ready work; workers take higher ones first.
enum class Priority : std::uint8_t { high = 0, normal = 1, low = 2 };
/// How many priorities there are.
inline constexpr std::size_t priority_count = 3;

}  // namespace roam

template <>
struct std::hash<roam::Rank> {
  std::size_t operator()(roam::Rank r) const noexcept {
    return std::hash<std::int32_t>{}(r.value());
  }
};
