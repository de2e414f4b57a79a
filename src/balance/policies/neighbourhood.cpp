// SPDX-License-Identifier: Apache-2.0
#include "neighbourhood.hpp"

#include <algorithm>
#include <utility>

#include "other_ranks.hpp"
#include "roam/balance/transfer.hpp"

namespace roam::balance {

Neighbourhood::Neighbourhood(std::int32_t neighbours, bool is_ring, PolicyHost& host)
    : wanted_(static_cast<std::size_t>(std::min(neighbours, host.size() - 1))),
      is_ring_(is_ring),
      host_(host) {}

Neighbour* Neighbourhood::find(Rank rank) {
  const auto found = std::ranges::find(members_, rank, &Neighbour::rank);
  return found == members_.end() ? nullptr : &*found;
}

Rank Neighbourhood::another() {
  const std::int32_t size = host_.size();
  if (hint_ != no_rank && find(hint_) == nullptr) return std::exchange(hint_, no_rank);
  for (;;) {
    std::int32_t offset = 0;
    if (is_ring_) {  // 1, -1, 2, -2, ...
      ring_step_ = ring_step_ % (size - 1) + 1;
      offset = ring_step_ % 2 == 1 ? (ring_step_ + 1) / 2 : -ring_step_ / 2;
    } else {
      offset = random_other_rank(host_).value() - host_.rank().value();
    }
    const Rank rank((host_.rank().value() + offset + size) % size);
    if (find(rank) == nullptr) return rank;
  }
}

void Neighbourhood::choose() {
  if (wanted_ < static_cast<std::size_t>(host_.size() - 1)) {
    std::erase_if(members_, [](const Neighbour& n) { return n.is_exhausted; });
  }
  while (members_.size() < wanted_) members_.push_back({.rank = another()});
}

void Neighbourhood::admit(Rank rank) {
  if (find(rank) != nullptr) return;
  if (members_.size() >= wanted_) members_.erase(members_.begin());
  members_.push_back({.rank = rank});
}

void Neighbourhood::remember(Rank rank, const RankLoad& load) {
  if (has_spare(host_, load)) {
    hint_ = rank;
  } else if (rank == hint_) {
    hint_ = no_rank;
  }
}

}  // namespace roam::balance
