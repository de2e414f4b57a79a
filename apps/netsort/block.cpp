// SPDX-License-Identifier: Apache-2.0
#include "block.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace netsort {

Block::Block(const Settings& settings, std::int64_t index)
    : settings_(settings),
      index_(index),
      integers_(input(settings, index * settings.block_size, (index + 1) * settings.block_size)) {
  std::sort(integers_.begin(), integers_.end());
}

void Block::meet(roam::mobile_ptr<Block> self, roam::mobile_ptr<Block> left,
                 roam::mobile_ptr<Block> right) {
  self_ = self;
  left_ = left;
  right_ = right;
}

void Block::begin() {
  has_begun_ = true;
  advance();
}

void Block::take(Offer offer) {
  const bool is_known = std::any_of(offers_.begin(), offers_.end(),
                                    [&](const Offer& other) { return other.step == offer.step; });
  if (offer.step < step_ || is_known || offer.integers.size() != integers_.size()) {
    throw roam::Error("block " + std::to_string(index_) + " is at step " + std::to_string(step_) +
                      " and got unexpected integers for step " + std::to_string(offer.step));
  }
  offers_.push_back(std::move(offer));
  if (has_begun_) advance();
}

void Block::proceed() { advance(); }

void Block::advance() {
  for (; step_ < settings_.blocks(); ++step_) {
    const bool with_right = (step_ - index_) % 2 == 0;
    const roam::mobile_ptr<Block> partner = with_right ? right_ : left_;
    if (!partner) continue;
    if (!std::exchange(is_sent_, true)) partner.send<&Block::take>(Offer{step_, integers_});
    const auto theirs = std::find_if(offers_.begin(), offers_.end(),
                                     [&](const Offer& offer) { return offer.step == step_; });
    if (theirs == offers_.end()) return;
    compare(with_right, theirs->integers);
    offers_.erase(theirs);
    is_sent_ = false;
    if (settings_.variant == Variant::mobile) {
      ++step_;
      return move_on();
    }
  }
}

void Block::compare(bool with_right, const Integers& theirs) {
  roam::Runtime& rt = roam::here();
  const roam::Instant begin = rt.now();
  integers_ = with_right ? lower_half(integers_, theirs) : upper_half(integers_, theirs);
  if (settings_.comparison_seconds > 0) {
    rt.compute(roam::from_seconds(settings_.comparison_seconds *
                                  static_cast<double>(settings_.block_size)));
  }
  ++comparisons_;
  sorting_nanoseconds_ += (rt.now() - begin).count();
}

// The remaining steps are a call like any other and move along with the object.
void Block::move_on() {
  const std::uint64_t target =
      draw(~settings_.seed, static_cast<std::uint64_t>(index_), static_cast<std::uint64_t>(step_));
  const auto ranks = static_cast<std::uint64_t>(roam::here().size());
  self_.migrate(static_cast<std::int32_t>(target % ranks));
  self_.send<&Block::proceed>();
}

BlockSummary Block::summary() const {
  BlockSummary summary;
  summary.index = index_;
  summary.smallest = integers_.front();
  summary.largest = integers_.back();
  summary.fingerprint = fingerprint(integers_, index_ * settings_.block_size);
  summary.comparisons = comparisons_;
  summary.sorting_seconds = 1e-9 * static_cast<double>(sorting_nanoseconds_);
  return summary;
}

}  // namespace netsort
