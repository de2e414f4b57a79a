// SPDX-License-Identifier: Apache-2.0
#include "offers.hpp"

#include <algorithm>

#include "other_ranks.hpp"

namespace roam::balance {

namespace {

// The most ranks that are remembered as short of work and told at once when there is some.
constexpr std::size_t most_hungry = 64;
constexpr std::size_t most_offers = 8;
constexpr Duration longest_offer_pause = std::chrono::hours(24);

}  // namespace

void Offers::remember(Rank rank) {
  std::erase(hungry_, rank);
  if (hungry_.size() == most_hungry) hungry_.erase(hungry_.begin());
  hungry_.push_back(rank);
}

Rank Offers::take_latest() {
  const Rank rank = hungry_.back();
  hungry_.pop_back();
  return rank;
}

void Offers::hear_of_hunger() {
  is_somebody_hungry_ = true;
  pause_ = Duration::zero();
  next_ = host_.now() + shortest_pause();
  offered_seconds_ = 0;
}

Offers::Plan Offers::plan(const RankLoad& load, double settles_in, double least_gain,
                          bool also_strangers) {
  Plan plan;
  if (!is_somebody_hungry_ || !has_spare(host_, load)) return plan;
  if (!also_strangers && hungry_.empty()) return plan;
  const Instant now = host_.now();
  const double rate = load.rate();
  const double waits = load.seconds_until_idle(rate);
  // Twice as much work as offered before: the offer is made at once.
  if (offered_seconds_ > 0 && waits >= 2 * offered_seconds_) next_ = std::min(next_, now);
  // Not stored in next_: what is known about the work may change before that time.
  plan.next = std::max(next_, now + from_seconds(settles_in));
  if (now < plan.next) return plan;
  // The gain of the last object in the queue if it started elsewhere at once.
  const double gain = waits - load.queued_total(rate) / load.queued / load.workers;
  plan.next = never;
  if (gain <= least_gain) return plan;
  const std::size_t count =
      std::min({hungry_.size(), static_cast<std::size_t>(load.queued), most_offers});
  for (std::size_t i = 0; i < count; ++i) plan.to.push_back(take_latest());
  if (count == 0 && host_.size() > 2) {
    for (int i = 0; i < 2; ++i) plan.to.push_back(random_other_rank(host_));
  }
  // The pause doubles up to a long limit, so that work that is never wanted costs few messages in
  // all.
  pause_ = std::clamp(2 * pause_, shortest_pause(), longest_offer_pause);
  next_ = now + pause_;
  offered_seconds_ = std::max(offered_seconds_, waits);
  plan.next = next_;
  return plan;
}

}  // namespace roam::balance
