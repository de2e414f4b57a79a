// SPDX-License-Identifier: Apache-2.0
#include "transport/shared_links.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "roam/core/error.hpp"

namespace roam::transport {

namespace {

double nanoseconds_per_byte(double bytes_per_second) {
  return bytes_per_second > 0 ? 1e9 / bytes_per_second : 0.0;
}

std::size_t product(const std::vector<std::int32_t>& sizes) {
  std::size_t all = 1;
  for (const std::int32_t size : sizes) all *= static_cast<std::size_t>(size);
  return all;
}

}  // namespace

bool SharedLinks::Later::operator()(const Claim& a, const Claim& b) const {
  if (a.head != b.head) return a.head > b.head;
  if (a.source != b.source) return a.source > b.source;
  return a.sequence > b.sequence;
}

SharedLinks::SharedLinks(const std::vector<NetworkLevel>& levels, std::int32_t ranks) {
  for (const NetworkLevel& level : levels) {
    any_ = any_ || level.shared_bandwidth_bytes_per_second > 0 ||
           level.uplink_bandwidth_bytes_per_second > 0 || !level.torus.empty();
    least_latency_ = std::min(least_latency_, from_seconds(level.latency_seconds));
  }
  if (!any_) {
    levels_.resize(levels.size());
    return;
  }
  for (const NetworkLevel& level : levels) make_level(level, ranks);
}

void SharedLinks::make_level(const NetworkLevel& described, std::int32_t ranks) {
  const std::size_t index = levels_.size();
  Level level;
  level.extra = from_seconds(described.latency_seconds) - least_latency_;
  level.shared_ns = nanoseconds_per_byte(described.shared_bandwidth_bytes_per_second);
  level.uplink_ns = nanoseconds_per_byte(described.uplink_bandwidth_bytes_per_second);
  level.link_ns = nanoseconds_per_byte(described.link_bandwidth_bytes_per_second);
  level.hop = from_seconds(described.hop_latency_seconds);
  level.group_ranks = described.group_ranks;
  level.uplinks = described.uplinks;
  level.torus = described.torus;
  if (!described.parents.empty()) {
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
      const std::int32_t child = index == 0 ? rank : group(index - 1, rank);
      level.groups.push_back(described.parents[static_cast<std::size_t>(child)]);
    }
  }
  level.is_passed = level.shared_ns > 0 || !level.torus.empty();
  for (const Level& lower : levels_) level.is_passed = level.is_passed || lower.uplink_ns > 0;
  levels_.push_back(std::move(level));
  Level& made = levels_.back();
  const auto groups = static_cast<std::size_t>(group(index, ranks - 1)) + 1;
  const auto add = [&](bool present, std::size_t count) {
    const std::size_t first = free_.size();
    if (present) free_.resize(first + count);
    return first;
  };
  made.first_shared = add(made.shared_ns > 0, groups);
  made.first_up = add(made.uplink_ns > 0, groups * static_cast<std::size_t>(made.uplinks));
  made.first_down = add(made.uplink_ns > 0, groups * static_cast<std::size_t>(made.uplinks));
  const std::size_t nodes = product(made.torus);
  if (!made.torus.empty() && nodes <= static_cast<std::size_t>(inside(index, ranks - 1)))
    throw ConfigError("simulated network: the torus has too few nodes");
  made.first_link = add(!made.torus.empty(), nodes * made.torus.size() * 2);
}

std::int32_t SharedLinks::group(std::size_t level, Rank rank) const {
  const Level& at = levels_[level];
  if (!at.groups.empty()) return at.groups[rank.index()];
  return at.group_ranks > 0 ? rank.value() / at.group_ranks : 0;
}

std::int32_t SharedLinks::inside(std::size_t level, Rank rank) const {
  return level == 0 ? rank.value() : group(level - 1, rank);
}

std::size_t SharedLinks::uplink(std::size_t level, Rank of, const Flight& flight) const {
  const std::int32_t uplinks = levels_[level].uplinks;
  const std::int32_t which = inside(level, flight.destination) % uplinks;
  return static_cast<std::size_t>(group(level, of)) * static_cast<std::size_t>(uplinks) +
         static_cast<std::size_t>(which);
}

void SharedLinks::enter(Flight flight) {
  flight.stage = 0;
  flight.node = inside(flight.level, flight.source);
  const bool found = seek(flight);
  assert(found);
  static_cast<void>(found);
  const Claim claim{flight.head, flight.sequence, flight.source,
                    unused_.empty() ? static_cast<std::uint32_t>(flights_.size()) : unused_.back()};
  if (unused_.empty()) {
    flights_.push_back(std::move(flight));
  } else {
    unused_.pop_back();
    flights_[claim.flight] = std::move(flight);
  }
  heap_.push_back(claim);
  std::ranges::push_heap(heap_, Later());
}

std::optional<Flight> SharedLinks::pass() {
  std::ranges::pop_heap(heap_, Later());
  Claim claim = heap_.back();
  heap_.pop_back();
  Flight& flight = flights_[claim.flight];
  // At the same instant it is still the first of all.
  while (flight.head == claim.head) {
    claim_next(flight);
    if (!seek(flight)) {
      unused_.push_back(claim.flight);
      return std::move(flight);
    }
  }
  claim.head = flight.head;
  heap_.push_back(claim);
  std::ranges::push_heap(heap_, Later());
  return {};
}

bool SharedLinks::seek(Flight& flight) const {
  const std::uint32_t across = flight.level;
  for (; flight.stage <= 2 * across; ++flight.stage) {
    if (flight.stage != across) {
      const std::uint32_t level = flight.stage < across ? flight.stage : 2 * across - flight.stage;
      if (levels_[level].uplink_ns > 0) return true;
      continue;
    }
    const Level& level = levels_[across];
    if (level.torus.empty() ? level.shared_ns > 0 && flight.node >= 0
                            : flight.node != inside(across, flight.destination)) {
      return true;
    }
    flight.head += level.extra;
    flight.tail += level.extra;
  }
  return false;
}

void SharedLinks::claim_next(Flight& flight) {
  const std::uint32_t across = flight.level;
  if (flight.stage == across) {
    const Level& level = levels_[across];
    if (!level.torus.empty()) return claim_hop(flight, level);
    flight.node = -1;  // a message passes it once
    const std::int32_t of = group(across, flight.source);
    return claim(flight, level.first_shared + static_cast<std::size_t>(of), level.shared_ns);
  }
  const bool up = flight.stage < across;
  const std::size_t at = up ? flight.stage : 2 * across - flight.stage;
  const Level& level = levels_[at];
  const std::size_t link = (up ? level.first_up : level.first_down) +
                           uplink(at, up ? flight.source : flight.destination, flight);
  claim(flight, link, level.uplink_ns);
  ++flight.stage;
}

void SharedLinks::claim_hop(Flight& flight, const Level& level) {
  std::int32_t stride = 1;
  std::int32_t from = flight.node;
  std::int32_t to = inside(flight.level, flight.destination);
  for (std::size_t dimension = 0;; ++dimension) {
    const std::int32_t size = level.torus[dimension];
    const std::int32_t here = from % size;
    const std::int32_t upwards = (to % size - here + size) % size;
    if (upwards == 0) {
      from /= size;
      to /= size;
      stride *= size;
      continue;
    }
    const bool up = 2 * upwards <= size;
    const std::size_t link =
        (static_cast<std::size_t>(flight.node) * level.torus.size() + dimension) * 2 + (up ? 0 : 1);
    claim(flight, level.first_link + link, level.link_ns);
    const std::int32_t next = (here + (up ? 1 : size - 1)) % size;
    flight.node += (next - here) * stride;
    if (flight.node == inside(flight.level, flight.destination)) return;
    flight.head += level.hop;
    flight.tail += level.hop;
    return;
  }
}

void SharedLinks::claim(Flight& flight, std::size_t link, double ns_per_byte) {
  const auto bytes = static_cast<double>(flight.data.size());
  const Duration transfer(std::llround(bytes * ns_per_byte));
  flight.head = std::max(flight.head, free_[link]);
  free_[link] = flight.head + transfer;
  flight.tail = std::max(flight.tail, free_[link]);
}

}  // namespace roam::transport
