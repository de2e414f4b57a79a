// SPDX-License-Identifier: Apache-2.0
#include "roam/am/detail/arrival_counters.hpp"

#include "am/traffic_by_source.hpp"
#include "roam/am/detail/messenger_options.hpp"

namespace roam::am {

ArrivalCounters::ArrivalCounters() = default;

ArrivalCounters::~ArrivalCounters() = default;

void ArrivalCounters::count_by_source() { by_source_ = std::make_unique<TrafficBySource>(); }

void ArrivalCounters::count_of(Rank source, std::uint64_t messages, std::uint64_t bytes) {
  by_source_->add(source, messages, bytes);
}

std::vector<SourceTraffic> ArrivalCounters::by_source() const {
  return by_source_ == nullptr ? std::vector<SourceTraffic>() : by_source_->read();
}

void ArrivalCounters::add_to(MessengerStats& stats) const {
  stats.messages_received = messages_received_.load(std::memory_order_relaxed);
  stats.bytes_received = bytes_received_.load(std::memory_order_relaxed);
  stats.messages_rejected = rejected_.load(std::memory_order_relaxed);
}

}  // namespace roam::am
