// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "roam/core/detail/buffer.hpp"
#include "roam/core/machine.hpp"

namespace roam::transport {

/// A message on its way over links that ranks share.
struct Flight {
  std::uint64_t sequence = 0;  ///< in the order in which its source sends
  Instant head{0};  ///< when its beginning is at its next link, without the least latency
  Instant tail{0};  ///< the earliest time at which its end is there, likewise
  Instant sent{0};  ///< when it was sent; for the caller's use
  core::Buffer data;
  Rank source;
  Rank destination;
  std::uint32_t level = 0;  ///< on which the two meet
  std::uint32_t stage = 0;  ///< below `level` upwards, at it across, above it downwards
  std::int32_t node = 0;  ///< in a torus, the node where it is; -1 once it has passed a shared link
};

/// The links of a simulated machine that ranks share. Each takes one message after the other, in
/// the order in which their heads come, those of an instant by source and sequence; it takes n
/// bytes for n / its bandwidth. A message's head goes on as soon as the link has begun with it
/// (cut-through, with space for any number of messages before each link); the message is through
/// when its slowest link is done with it. What exceeds the least latency of all levels passes
/// between the links up and those down, so that a message arrives at least the least latency after
/// its last claim: a driver may let ranks take turns of that length.
class SharedLinks {
 public:
  /// Of checked levels. Throws ConfigError for a torus with fewer nodes than there are to place.
  SharedLinks(const std::vector<NetworkLevel>& levels, std::int32_t ranks);

  /// Whether any two ranks share anything.
  [[nodiscard]] bool any() const { return any_; }
  /// Whether messages that meet on this level pass a shared link.
  [[nodiscard]] bool on(std::size_t level) const { return levels_[level].is_passed; }
  /// The least latency of all levels, which neither head nor tail include.
  [[nodiscard]] Duration least_latency() const { return least_latency_; }

  /// Puts a message that meets on a level with on() at its first link.
  void enter(Flight flight);
  /// When the next message claims a link; never, if none is on its way.
  [[nodiscard]] Instant next() const { return heap_.empty() ? never : heap_.front().head; }
  /// Lets that message claim its link, and the following ones that its head reaches at the same
  /// instant. Returns the message if it has passed all its links. Requires a message on its way,
  /// and that none can enter before next() any more.
  [[nodiscard]] std::optional<Flight> pass();

 private:
  struct Level {
    Duration extra{0};                 // latency beyond the least
    double shared_ns = 0;              // per byte
    double uplink_ns = 0;              // per byte
    double link_ns = 0;                // per byte
    Duration hop{0};                   // of the torus
    std::int32_t group_ranks = 0;      // 0: all ranks, or given by rank
    std::vector<std::int32_t> groups;  // of each rank, if given by rank
    std::int32_t uplinks = 1;
    std::vector<std::int32_t> torus;
    std::size_t first_shared = 0;  // in free_
    std::size_t first_up = 0;
    std::size_t first_down = 0;
    std::size_t first_link = 0;
    bool is_passed = false;
  };
  struct Claim {
    Instant head;
    std::uint64_t sequence;
    Rank source;
    std::uint32_t flight;
  };
  struct Later {
    bool operator()(const Claim& a, const Claim& b) const;
  };

  void make_level(const NetworkLevel& described, std::int32_t ranks);
  [[nodiscard]] std::int32_t group(std::size_t level, Rank rank) const;
  /// The group on the level inside, or the rank.
  [[nodiscard]] std::int32_t inside(std::size_t level, Rank rank) const;
  [[nodiscard]] std::size_t uplink(std::size_t level, Rank of, const Flight& flight) const;
  /// Moves the message to the next stage that has a link, this one included. Returns false if there
  /// is none.
  bool seek(Flight& flight) const;
  void claim_next(Flight& flight);
  void claim_hop(Flight& flight, const Level& level);
  void claim(Flight& flight, std::size_t link, double ns_per_byte);

  std::vector<Level> levels_;
  std::vector<Instant> free_;  // when each link is free
  std::vector<Flight> flights_;
  std::vector<std::uint32_t> unused_;  // places in flights_ that are free
  std::vector<Claim> heap_;            // the next claim of each flight
  Duration least_latency_ = Duration::max();
  bool any_ = false;
};

}  // namespace roam::transport
