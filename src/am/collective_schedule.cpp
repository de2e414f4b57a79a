// SPDX-License-Identifier: Apache-2.0
#include "collective_schedule.hpp"

#include <algorithm>
#include <bit>

namespace roam::am {

namespace {

using Steps = std::vector<CollectiveStep>;
using Action = CollectiveStep::Action;

// Ranks are computed in 64 bits: sums of two of them may not fit 32.
Rank wrapped(std::int64_t rank, std::int64_t size) {
  return Rank(static_cast<std::int32_t>((rank + 2 * size) % size));
}

// Dissemination (Hensgen, Finkel, Manber 1988; Mellor-Crummey and Scott 1991): after round k a rank
// has heard, directly or not, of 2^(k+1) ranks. For any number of ranks.
Steps barrier(std::int64_t rank, std::int64_t size) {
  Steps steps;
  for (std::int64_t distance = 1; distance < size; distance *= 2) {
    steps.push_back({Action::send, wrapped(rank + distance, size), 0});
    steps.push_back({Action::replace, wrapped(rank - distance, size), 0});
  }
  return steps;
}

// Binomial tree (Thakur et al., section 4.2), ranks counted from the root. The child with the
// largest subtree is served first.
Steps broadcast(std::int64_t rank, std::int64_t size, std::int64_t root) {
  Steps steps;
  const std::int64_t place = (rank - root + size) % size;
  std::int64_t bit = 1;
  while (bit < size && (place & bit) == 0) bit *= 2;
  if (place != 0) steps.push_back({Action::replace, wrapped(rank - bit, size), 0});
  for (bit /= 2; bit > 0; bit /= 2) {
    if (place + bit < size) steps.push_back({Action::send, wrapped(rank + bit, size), 0});
  }
  return steps;
}

// The same tree upwards. A subtree holds consecutive ranks and a node takes its children in their
// order, so values that are combined are always neighbours in the order of ranks.
Steps upwards(std::int64_t rank, std::int64_t size, std::int64_t root, Action action) {
  Steps steps;
  const std::int64_t place = (rank - root + size) % size;
  for (std::int64_t bit = 1; bit < size; bit *= 2) {
    if ((place & bit) != 0) {
      const auto held = static_cast<std::int32_t>(std::min(bit, size - place));
      steps.push_back({Action::send, wrapped(rank - bit, size), held});
      break;
    }
    if (place + bit < size) {
      const auto count = static_cast<std::int32_t>(std::min(bit, size - place - bit));
      steps.push_back({action, wrapped(rank + bit, size), count});
    }
  }
  return steps;
}

// The root of the tree is rank 0, whichever rank wants the result: so the order of ranks is
// preserved, and the result does not depend on the root. MPICH does the same for operators that are
// not commutative.
Steps reduce(std::int64_t rank, std::int64_t size, std::int64_t root) {
  Steps steps = upwards(rank, size, 0, Action::combine_after);
  if (root != 0 && rank == 0) steps.push_back({Action::send, wrapped(root, size), 0});
  if (root != 0 && rank == root) steps.push_back({Action::replace, Rank(0), 0});
  return steps;
}

// Recursive doubling (Thakur et al., section 4.5): half the rounds of a reduction and a broadcast.
// If the number of ranks is no power of two, the first 2 * extra ranks act as pairs of neighbours,
// so that a group is always a block of consecutive ranks. Both partners compute lower (op) upper.
Steps allreduce(std::int64_t rank, std::int64_t size) {
  Steps steps;
  const auto groups = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(size)));
  const std::int64_t extra = size - groups;
  const bool is_paired = rank < 2 * extra;
  if (is_paired && rank % 2 == 0) {
    steps.push_back({Action::send, wrapped(rank + 1, size), 0});
    steps.push_back({Action::replace, wrapped(rank + 1, size), 0});
    return steps;
  }
  if (is_paired) steps.push_back({Action::combine_before, wrapped(rank - 1, size), 0});
  const std::int64_t group = is_paired ? rank / 2 : rank - extra;
  for (std::int64_t bit = 1; bit < groups; bit *= 2) {
    const std::int64_t partner = group ^ bit;
    const Rank peer = wrapped(partner < extra ? 2 * partner + 1 : partner + extra, size);
    steps.push_back({Action::send, peer, 0});
    steps.push_back({partner < group ? Action::combine_before : Action::combine_after, peer, 0});
  }
  if (is_paired) steps.push_back({Action::send, wrapped(rank - 1, size), 0});
  return steps;
}

// Bruck et al. 1997 (Thakur et al., section 4.1): each rank collects the values of the ranks that
// follow it, twice as many after each round. For any number of ranks.
Steps allgather(std::int64_t rank, std::int64_t size) {
  Steps steps;
  for (std::int64_t held = 1; held < size; held *= 2) {
    const auto count = static_cast<std::int32_t>(std::min(held, size - held));
    steps.push_back({Action::send, wrapped(rank - held, size), count});
    steps.push_back({Action::append, wrapped(rank + held, size), count});
  }
  return steps;
}

}  // namespace

std::vector<CollectiveStep> collective_schedule(CollectiveKind kind, Rank rank, std::int32_t size,
                                                Rank root) {
  switch (kind) {
    case CollectiveKind::barrier:
      return barrier(rank.value(), size);
    case CollectiveKind::broadcast:
      return broadcast(rank.value(), size, root.value());
    case CollectiveKind::reduce:
      return reduce(rank.value(), size, root.value());
    case CollectiveKind::allreduce:
      return allreduce(rank.value(), size);
    case CollectiveKind::gather:
      return upwards(rank.value(), size, root.value(), Action::append);
    case CollectiveKind::allgather:
      return allgather(rank.value(), size);
  }
  return {};
}

}  // namespace roam::am
