// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "roam/trace/detail/offload_trips.hpp"

namespace roam::offload {

/// The first records of a run, for its trace; those that follow are only counted. Under its owner's
/// lock.
template <class Record>
class BoundedLog {
 public:
  /// 7 MB of trips, 4 MB of visits.
  static constexpr std::size_t most = 100'000;

  /// Adds a record and returns it, to be completed; nullptr: there is no space for it.
  Record* add(const Record& record) {
    if (records_.size() < most) return &records_.emplace_back(record);
    ++left_out_;
    return nullptr;
  }
  [[nodiscard]] const std::deque<Record>& records() const { return records_; }
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }

 private:
  std::deque<Record> records_;
  std::uint64_t left_out_ = 0;
};

/// The stays of other ranks' tasks on one rank.
using VisitLog = BoundedLog<trace::OffloadVisit>;

/// The trips of one rank's tasks to other ranks and back.
class TripLog {
 public:
  /// Adds a trip of a task of the function with this name, which must be in static storage, and
  /// returns it, to be completed; nullptr: there is no space for it.
  trace::OffloadTrip* add(trace::OffloadTrip trip, const char* label);
  void add_to(trace::OffloadTrips& trace) const;

 private:
  BoundedLog<trace::OffloadTrip> log_;
  std::vector<const char*> labels_;
};

}  // namespace roam::offload
