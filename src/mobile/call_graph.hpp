// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "roam/core/detail/call_edge.hpp"
#include "roam/core/detail/spin_lock.hpp"
#include "roam/core/object_id.hpp"

namespace roam::mobile {

/// Counts which objects of a rank call which others. Each of its readers gets every call once. It
/// has one part per slot of the engine, so that workers do not wait for each other.
class CallGraph {
 public:
  explicit CallGraph(std::uint32_t slots)
      : slots_(slots), parts_(std::make_unique<Part[]>(slots)) {}

  /// Called by the thread that turns the slot; several threads share the outside slot.
  void add(std::uint32_t slot, const CallEdge& calls);
  /// Whether calls are counted from now on; at first they are. Any thread.
  void set_counting(bool on) { counts_.store(on, std::memory_order_relaxed); }
  [[nodiscard]] bool is_counting() const { return counts_.load(std::memory_order_relaxed); }
  /// Adds a reader and returns its number. Before the first call.
  [[nodiscard]] std::size_t add_reader();
  /// The calls counted since this reader last took them, sorted. Any thread.
  [[nodiscard]] std::vector<CallEdge> take(std::size_t reader);

 private:
  struct Pair {
    std::uint64_t from;
    std::uint64_t to;
    friend bool operator==(const Pair&, const Pair&) = default;
  };
  struct Hash {
    std::size_t operator()(const Pair& pair) const noexcept {
      return (pair.from * 0x9e3779b97f4a7c15ULL) ^ (pair.to * 0xc2b2ae3d27d4eb4fULL);
    }
  };
  struct Sum {
    std::uint64_t calls = 0;
    std::uint64_t bytes = 0;
  };
  struct alignas(64) Part {
    core::SpinLock lock;
    std::unordered_map<Pair, Sum, Hash> sums;
  };
  using Sums = std::map<std::pair<std::uint64_t, std::uint64_t>, Sum>;

  void collect();

  std::atomic<bool> counts_{true};
  const std::uint32_t slots_;
  const std::unique_ptr<Part[]> parts_;
  std::mutex readers_lock_;
  std::vector<Sums> untaken_;  // by reader, under readers_lock_
};

}  // namespace roam::mobile
