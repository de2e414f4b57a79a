// SPDX-License-Identifier: Apache-2.0
#include "roam/mobile/placement.hpp"

#include <algorithm>
#include <limits>

#include "roam/core/detail/type_name.hpp"
#include "roam/core/error.hpp"

namespace roam::mobile {

namespace {

std::uint64_t mixed(std::uint64_t z) {
  // The finaliser of SplitMix64 (Steele, Lea, Flood 2014), because the high bits of FNV-1a differ
  // little.
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

const PlacementMap& placement_map(std::uint32_t id) {
  const auto* function = NamedFunction<PlacementMap>::find(id);
  if (function == nullptr) throw MalformedMessage("a placement by an unknown function");
  return function->function();
}

}  // namespace

Coordinates CollectionShape::coordinates(std::uint64_t linear) const {
  const auto width = static_cast<std::uint64_t>(extent[2]);
  const auto height = static_cast<std::uint64_t>(extent[1]);
  return {static_cast<std::int64_t>(linear / width / height),
          static_cast<std::int64_t>(linear / width % height),
          static_cast<std::int64_t>(linear % width)};
}

std::int32_t CollectionShape::checked_rank(std::int32_t rank, const std::string& what) const {
  if (rank >= 0 && rank < ranks) return rank;
  throw Error("the placement puts " + what + " on rank " + std::to_string(rank) +
              "; the job has ranks 0 to " + std::to_string(ranks - 1));
}

Rank CollectionShape::home(std::uint64_t linear) const {
  const auto all = static_cast<std::uint64_t>(ranks);
  switch (placement.kind()) {
    case Placement::Kind::block:
      return {static_cast<std::int32_t>(((linear + 1) * all - 1) / count())};
    case Placement::Kind::block_cyclic:
      return {static_cast<std::int32_t>(linear / placement.parameter() % all)};
    case Placement::Kind::user:
      break;
    case Placement::Kind::hash:
      throw Error("the elements of a dense collection have no keys to be placed by");
  }
  const Coordinates at = coordinates(linear);
  const std::int32_t rank = placement_map(placement.parameter()).of_index(at, extent, ranks);
  return {rank >= 0 && rank < ranks ? rank : checked_rank(rank, "element " + describe(at))};
}

Rank CollectionShape::home_of_key(std::span<const std::byte> key) const {
  if (placement.kind() == Placement::Kind::user)
    return {checked_rank(placement_map(placement.parameter()).of_key(key, ranks), "a key")};
  const std::string_view text(reinterpret_cast<const char*>(key.data()), key.size());
  return {static_cast<std::int32_t>(mixed(core::fnv1a(text)) % static_cast<std::uint64_t>(ranks))};
}

std::string CollectionShape::describe(const Coordinates& at) const {
  std::string text = "(" + std::to_string(at[0]);
  for (int d = 1; d < dimensions; ++d)
    text += ", " + std::to_string(at[static_cast<std::size_t>(d)]);
  return text + ")";
}

void CollectionShape::throw_outside(const Coordinates& at) const {
  throw Error("element " + describe(at) + " does not exist; the collection's extent is " +
              describe(extent));
}

void CollectionShape::check() const {
  if (dimensions < 0 || static_cast<std::size_t>(dimensions) > extent.size())
    throw Error("a collection has one to three dimensions, or none and keys");
  if (placement.kind() > Placement::Kind::user ||
      (placement.kind() == Placement::Kind::block_cyclic && placement.parameter() == 0))
    throw Error("a collection's placement is none that there is");
  std::uint64_t left = most_elements;
  for (const std::int64_t length : extent) {
    if (length < 0 || (length > 0 && static_cast<std::uint64_t>(length) > left)) {
      throw Error("a collection of extent " + describe(extent) +
                  " cannot be made: no length may be negative, and all collections of a job "
                  "together have room for " +
                  std::to_string(most_elements) + " elements");
    }
    if (length > 0) left /= static_cast<std::uint64_t>(length);
  }
  if (placement.kind() == Placement::Kind::user) {
    const PlacementMap& map = placement_map(placement.parameter());
    if (map.dimensions != dimensions || (dimensions == 0) != (map.of_key != nullptr))
      throw Error("the placement's function is for a collection of other dimensions");
  } else if ((placement.kind() == Placement::Kind::hash) != (dimensions == 0)) {
    throw Error(dimensions == 0
                    ? "keys are placed by Placement::hash() or by a function of the program"
                    : "Placement::hash() is for sparse collections");
  }
}

HomeElements::HomeElements(const CollectionShape& shape, Rank rank)
    : placement_(shape.placement),
      ranks_(static_cast<std::uint64_t>(shape.ranks)),
      rank_(static_cast<std::uint64_t>(rank.value())) {
  const std::uint64_t all = shape.count();
  if (placement_.kind() == Placement::Kind::user) {
    for (std::uint64_t linear = 0; linear < all; ++linear) {
      if (shape.home(linear) == rank) listed_.push_back(linear);
    }
    count_ = listed_.size();
  } else if (placement_.kind() == Placement::Kind::block) {
    // ((k + 1) * ranks - 1) / all >= rank  <=>  k >= all * rank / ranks, all rounded down.
    first_ = all * rank_ / ranks_;
    const std::uint64_t end = all * (rank_ + 1) / ranks_;
    count_ = end - first_;
  } else {
    const std::uint64_t length = placement_.parameter();
    const std::uint64_t pieces = all / length;
    const std::uint64_t mine = pieces / ranks_ + (pieces % ranks_ > rank_ ? 1 : 0);
    count_ = mine * length + (pieces % ranks_ == rank_ ? all % length : 0);
  }
}

std::uint64_t HomeElements::linear(std::uint64_t position) const {
  if (placement_.kind() == Placement::Kind::user) return listed_[position];
  if (placement_.kind() == Placement::Kind::block) return first_ + position;
  const std::uint64_t length = placement_.parameter();
  return (position / length * ranks_ + rank_) * length + position % length;
}

std::uint64_t HomeElements::position(std::uint64_t linear) const {
  if (placement_.kind() == Placement::Kind::user) {
    return static_cast<std::uint64_t>(std::lower_bound(listed_.begin(), listed_.end(), linear) -
                                      listed_.begin());
  }
  if (placement_.kind() == Placement::Kind::block) return linear - first_;
  const std::uint64_t length = placement_.parameter();
  return linear / length / ranks_ * length + linear % length;
}

}  // namespace roam::mobile
