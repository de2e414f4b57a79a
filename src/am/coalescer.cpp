// SPDX-License-Identifier: Apache-2.0
#include "roam/am/detail/coalescer.hpp"

#include <algorithm>
#include <unordered_map>

namespace roam::am {

struct Coalescer::Lanes {
  std::unordered_map<std::int32_t, Lane> of_rank;  // elements stay where they are
};

Coalescer::Coalescer(std::size_t batch_bytes, std::size_t look_every_bytes)
    : batch_bytes_(std::clamp(batch_bytes, least_batch_bytes, most_batch_bytes)),
      longest_fitting_(std::min(longest_payload, batch_bytes_ - least_batch_bytes)),
      look_every_bytes_(look_every_bytes),
      pool_(core::BufferPool::create(batch_bytes_, kept_batches)),
      lanes_(core::make_owned<Lanes>()) {}

Coalescer::~Coalescer() = default;

void Coalescer::make_last(Rank destination) {
  last_lane_ = &lanes_->of_rank[destination.value()];
  last_destination_ = destination.value();
}

bool Coalescer::find(Rank destination) {
  const auto found = lanes_->of_rank.find(destination.value());
  if (found == lanes_->of_rank.end()) return false;
  last_destination_ = destination.value();
  last_lane_ = &found->second;
  return true;
}

void Coalescer::list(Lane& lane) {
  lane.is_listed = true;
  listed_.emplace_back(Rank(last_destination_), &lane);
  may_be_collecting_.store(true, std::memory_order_relaxed);
}

}  // namespace roam::am
