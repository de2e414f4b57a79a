// SPDX-License-Identifier: Apache-2.0
#include "element.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace kneighbor {

namespace {

/// The first bytes of a message.
struct Stamp {
  std::int64_t sender;
  std::int64_t round;
};

void write_stamp(roam::Array<std::byte>& data, const Stamp& stamp) {
  std::memcpy(data.data(), &stamp, sizeof stamp);
}

Stamp read_stamp(const roam::Array<std::byte>& data) {
  Stamp stamp{};
  std::memcpy(&stamp, data.data(), sizeof stamp);
  return stamp;
}

}  // namespace

void Element::run(std::int32_t rounds) {
  last_round_ += rounds;
  begin_round();
}

double Element::work_seconds() const {
  if (!pattern_.is_quadratic) return pattern_.work_seconds;
  const std::int64_t elements = pattern_.ring.extent()[0];
  const auto share = [elements](std::int64_t i) { return static_cast<double>(i * i / elements); };
  const double ratio = share(place_) / std::max(1.0, share(elements - 1));
  return pattern_.work_seconds * ratio * ratio;
}

void Element::begin_round() {
  if (const double seconds = work_seconds(); seconds > 0) {
    roam::here().compute(roam::from_seconds(seconds));
  }
  missing_ = 2 * pattern_.neighbours;
  const double bytes = static_cast<double>(pattern_.bytes) * missing_;
  roam::here().compute_if_simulated(roam::from_seconds(pattern_.byte_seconds * bytes));
  const std::int64_t elements = pattern_.ring.extent()[0];
  for (std::int32_t k = 1; k <= pattern_.neighbours; ++k) {
    for (const std::int64_t to : {place_ + k, place_ - k + elements}) {
      auto data = roam::here().make_array<std::byte>(static_cast<std::size_t>(pattern_.bytes));
      std::memset(data.data(), 0, data.size());
      write_stamp(data, {place_, round_});
      pattern_.ring[{to % elements}].send<&Element::ask>(place_, std::move(data));
    }
  }
}

void Element::ask(std::int64_t from, roam::Array<std::byte> data) {
  ++questions_;
  bytes_ += data.size();
  pattern_.ring[{from}].send<&Element::answer>(std::move(data));
}

void Element::answer(roam::Array<std::byte> data) {
  const bool is_whole = data.size() == static_cast<std::size_t>(pattern_.bytes);
  if (!is_whole || read_stamp(data).sender != place_ || read_stamp(data).round != round_) {
    throw roam::Error("a message did not come back as it was sent");
  }
  ++answers_;
  bytes_ += data.size();
  if (--missing_ > 0) return;
  ++round_;
  if (round_ < last_round_) begin_round();
}

Counts Element::counts() const {
  const auto expected = static_cast<std::uint64_t>(round_ * 2 * pattern_.neighbours);
  const bool is_right = round_ == last_round_ && questions_ == expected && answers_ == expected &&
                        bytes_ == 2 * expected * static_cast<std::uint64_t>(pattern_.bytes);
  return {questions_, answers_, bytes_, is_right ? 0U : 1U};
}

}  // namespace kneighbor
