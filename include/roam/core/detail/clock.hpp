// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "roam/core/types.hpp"

namespace roam::core {

/// Reads the time from the processor's time-stamp counter, if the kernel itself keeps time with it.
/// This takes half as long as the system's clock call. The counter's rate is measured once per
/// process, which takes 2 ms and is accurate to about 20 parts per million.
class TickCounter {
 public:
  /// A counter that is not usable.
  TickCounter() = default;
  /// A counter that counts from now on; not usable if this machine has none that keeps time.
  [[nodiscard]] static TickCounter start();
  [[nodiscard]] bool is_usable() const { return scale_ != 0; }
  /// Requires is_usable().
  [[nodiscard]] Instant now() const {
#if defined(__x86_64__)
    const std::uint64_t ticks = __builtin_ia32_rdtsc() - start_ticks_;
    return Instant(static_cast<std::int64_t>((Wide{ticks} * scale_) >> 32));
#else
    return {};
#endif
  }

 private:
  __extension__ using Wide = unsigned __int128;
  std::uint64_t start_ticks_ = 0;
  std::uint64_t scale_ = 0;  // nanoseconds per tick, times 2^32; 0: no usable counter
};

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
  /// The counter that now() reads, if it reads one: for code that reads the time before every
  /// message.
  [[nodiscard]] virtual TickCounter tick_counter() const { return {}; }
};

/// Monotonic machine time since the clock's construction, by a TickCounter where there is one.
class SteadyClock final : public Clock {
 public:
  SteadyClock() : start_(std::chrono::steady_clock::now()), ticks_(TickCounter::start()) {}
  [[nodiscard]] Instant now() const override {
    return ticks_.is_usable() ? ticks_.now() : Instant(std::chrono::steady_clock::now() - start_);
  }
  [[nodiscard]] TickCounter tick_counter() const override { return ticks_; }

 private:
  std::chrono::steady_clock::time_point start_;
  TickCounter ticks_;
};

/// Virtual time, advanced by the SimDriver. `compute` adds to an offset inside the running handler,
/// so that what the handler does next has a later time. One thread only. Where engines take turns,
/// each with its own events at times of its own, now() is the time of the engine whose turn it is.
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
