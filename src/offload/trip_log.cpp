// SPDX-License-Identifier: Apache-2.0
#include "roam/offload/detail/trip_log.hpp"

#include <algorithm>

namespace roam::offload {

trace::OffloadTrip* TripLog::add(trace::OffloadTrip trip, const char* label) {
  const auto known = std::find(labels_.begin(), labels_.end(), label);
  trip.label = static_cast<std::uint32_t>(known - labels_.begin());
  trace::OffloadTrip* const added = log_.add(trip);
  if (added != nullptr && known == labels_.end()) labels_.push_back(label);
  return added;
}

void TripLog::add_to(trace::OffloadTrips& trace) const {
  trace.labels.assign(labels_.begin(), labels_.end());
  trace.trips.assign(log_.records().begin(), log_.records().end());
  trace.left_out += log_.left_out();
}

}  // namespace roam::offload
