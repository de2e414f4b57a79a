// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "roam/core/types.hpp"

namespace roam::core {

/// Source of time for an engine. The engine never reads the wall clock itself, so that the same
/// code runs in virtual time. now() is callable from any thread, does not block and never
/// decreases.
class Clock {
 public:
  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  virtual ~Clock() = default;
  [[nodiscard]] virtual Instant now() const = 0;
  /// True if time advances only when a driver says so (simulation).
  [[nodiscard]] virtual bool is_virtual() const { return false; }
};

/// Monotonic machine time since the clock's construction. Reads the processor's time-stamp counter
/// where the kernel itself keeps time with it, which takes half as long as asking the kernel's
/// library; the counter's rate is measured once per process (2 ms, to about 20 millionths).
class SteadyClock final : public Clock {
 public:
  SteadyClock();
  [[nodiscard]] Instant now() const override {
#if defined(__x86_64__)
    if (scale_ != 0) {
      const std::uint64_t ticks = __builtin_ia32_rdtsc() - start_ticks_;
      return Instant(static_cast<std::int64_t>((Wide{ticks} * scale_) >> 32));
    }
#endif
    return std::chrono::steady_clock::now() - start_;
  }

 private:
  __extension__ using Wide = unsigned __int128;
  std::chrono::steady_clock::time_point start_;
  std::uint64_t start_ticks_ = 0;
  std::uint64_t scale_ = 0;  // nanoseconds per tick, times 2^32; 0: no usable counter
};

/// Virtual time, advanced by the SimDriver. `compute` adds to an offset inside the running handler,
/// so that what the handler does next carries a later time. One thread only.
class VirtualClock final : public Clock {
 public:
  [[nodiscard]] Instant now() const override { return base_ + offset_; }
  [[nodiscard]] bool is_virtual() const override { return true; }
  [[nodiscard]] Duration offset() const { return offset_; }
  void set(Instant time) { base_ = time, offset_ = Duration::zero(); }
  void compute(Duration d) { offset_ += d; }
  void reset_offset() { offset_ = Duration::zero(); }

 private:
  Instant base_{0};
  Duration offset_{0};
};

}  // namespace roam::core
