// SPDX-License-Identifier: Apache-2.0
#include "roam/mobile/resident.hpp"

#include <algorithm>

#include "roam/mobile/object_space.hpp"

namespace roam::mobile {

std::uint32_t& ExpectedSequences::of(std::int32_t origin) {
  const auto place =
      std::lower_bound(entries_.begin(), entries_.end(), origin,
                       [](const auto& entry, std::int32_t rank) { return entry.first < rank; });
  if (place != entries_.end() && place->first == origin) return place->second;
  return entries_.insert(place, {origin, 0})->second;
}

Resident::~Resident() {
  while (!inbox.empty()) delete inbox.pop();
  while (!leaving.empty()) delete leaving.pop();
  for (auto& [key, call] : early) delete call;
  if (object != nullptr) type.functions().destroy(object);
}

void Resident::run(exec::Context& context) { space.run(*this, context); }

}  // namespace roam::mobile
