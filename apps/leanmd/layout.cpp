// SPDX-License-Identifier: Apache-2.0
#include "layout.hpp"

#include <cstdint>

namespace leanmd {

namespace {

using support::Start;
using Place = roam::Index<2>;

template <Start S>
std::int32_t beside_cell(Place place, Place extent, std::int32_t ranks) {
  return support::rank_of_object(S, static_cast<std::uint64_t>(place[0]),
                                 static_cast<std::uint64_t>(extent[0]), ranks);
}

template <Start S>
std::int32_t in_turn(Place place, Place extent, std::int32_t ranks) {
  const auto core = static_cast<std::int32_t>(support::number_of(place, extent) %
                                              static_cast<std::uint64_t>(ranks));
  return support::rank_of_core(S, core, ranks);
}

template <Start S>
roam::Placement placed(Computations computations) {
  if (computations == Computations::round_robin) return roam::Placement::by<&in_turn<S>>();
  return roam::Placement::by<&beside_cell<S>>();
}

}  // namespace

roam::Placement placement_of(Computations computations, Start start) {
  switch (start) {
    case Start::renamed:
      return placed<Start::renamed>(computations);
    case Start::sockets:
      return placed<Start::sockets>(computations);
    case Start::nodes:
      return placed<Start::nodes>(computations);
    case Start::shuffled:
      return support::placement_of<2>(Start::shuffled);
    case Start::tree:
      break;
  }
  return placed<Start::tree>(computations);
}

}  // namespace leanmd
