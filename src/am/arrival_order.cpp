// SPDX-License-Identifier: Apache-2.0
#include "roam/am/detail/arrival_order.hpp"

#include <algorithm>
#include <utility>

namespace roam::am {

ArrivalOrder::Turn ArrivalOrder::turn_of(Rank source, std::uint32_t sequence,
                                         core::Buffer& message) {
  OfRank& of = of_rank_[source.value()];
  const auto ahead = static_cast<std::int32_t>(sequence - of.next_sequence);
  if (ahead < 0 || (ahead > 0 && of.early.contains(sequence))) return Turn::repeated;
  if (ahead > 0) {
    of.early.emplace(sequence, std::move(message));
    return Turn::later;
  }
  ++of.next_sequence;
  return Turn::now;
}

std::optional<core::Buffer> ArrivalOrder::next_in_sequence(Rank source) {
  OfRank& of = of_rank_[source.value()];
  const auto next = of.early.find(of.next_sequence);
  if (next == of.early.end()) return std::nullopt;
  std::optional<core::Buffer> message(std::move(next->second));
  of.early.erase(next);
  ++of.next_sequence;
  return message;
}

void ArrivalOrder::await(Rank source, Place&& place) {
  of_rank_[source.value()].line.push_back(std::move(place));
  ++awaited_;
}

bool ArrivalOrder::take_behind(Rank source, core::Buffer& message) {
  const auto found = of_rank_.find(source.value());
  if (found == of_rank_.end() || found->second.line.empty()) return false;
  found->second.line.push_back({std::move(message), {}, 0, false, false});
  return true;
}

bool ArrivalOrder::has_come(Rank source, transport::BulkTag tag, core::Buffer&& data) {
  std::deque<Place>& line = of_rank_[source.value()].line;
  const auto place = std::ranges::find_if(
      line, [tag](const Place& one) { return one.is_awaited && one.tag == tag; });
  if (place == line.end()) return false;
  (place->goes_beside ? place->beside : place->message) = std::move(data);
  place->is_awaited = false;
  --awaited_;
  return true;
}

std::optional<ArrivalOrder::Message> ArrivalOrder::next(Rank source) {
  std::deque<Place>& line = of_rank_[source.value()].line;
  if (line.empty() || line.front().is_awaited) return std::nullopt;
  std::optional<Message> next(
      Message{std::move(line.front().message), std::move(line.front().beside)});
  line.pop_front();
  return next;
}

}  // namespace roam::am
