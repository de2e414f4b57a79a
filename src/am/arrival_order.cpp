// SPDX-License-Identifier: Apache-2.0
#include "roam/am/detail/arrival_order.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <unordered_map>
#include <utility>

namespace roam::am {

struct ArrivalOrder::Place {
  core::Buffer message;
  core::Buffer beside;
  transport::BulkTag tag = 0;
  bool is_awaited = false;
  bool goes_beside = false;  // true: beside a message; false: it is the message
};

struct ArrivalOrder::OfRank {
  std::uint32_t next_sequence = 0;
  std::map<std::uint32_t, core::Buffer> early;  // by sequence number
  std::deque<Place> line;  // its first entry is awaited, or the queue is being emptied
};

struct ArrivalOrder::Ranks {
  std::unordered_map<std::int32_t, OfRank> known;
};

ArrivalOrder::ArrivalOrder() : ranks_(core::make_owned<Ranks>()) {}

ArrivalOrder::~ArrivalOrder() = default;

ArrivalOrder::OfRank& ArrivalOrder::of(Rank source) { return ranks_->known[source.value()]; }

ArrivalOrder::Turn ArrivalOrder::turn_of(Rank source, std::uint32_t sequence,
                                         core::Buffer& message) {
  OfRank& rank = of(source);
  const auto ahead = static_cast<std::int32_t>(sequence - rank.next_sequence);
  if (ahead < 0 || (ahead > 0 && rank.early.contains(sequence))) return Turn::repeated;
  if (ahead > 0) {
    rank.early.emplace(sequence, std::move(message));
    return Turn::later;
  }
  ++rank.next_sequence;
  return Turn::now;
}

std::optional<core::Buffer> ArrivalOrder::next_in_sequence(Rank source) {
  OfRank& rank = of(source);
  const auto next = rank.early.find(rank.next_sequence);
  if (next == rank.early.end()) return std::nullopt;
  std::optional<core::Buffer> message(std::move(next->second));
  rank.early.erase(next);
  ++rank.next_sequence;
  return message;
}

void ArrivalOrder::await(Rank source, transport::BulkTag tag) {
  await(source, Place{{}, {}, tag, true, false});
}

void ArrivalOrder::await_beside(Rank source, transport::BulkTag tag, core::Buffer&& message) {
  await(source, Place{std::move(message), {}, tag, true, true});
}

void ArrivalOrder::await(Rank source, Place&& place) {
  of(source).line.push_back(std::move(place));
  ++awaited_;
}

bool ArrivalOrder::take_behind(Rank source, core::Buffer& message) {
  const auto found = ranks_->known.find(source.value());
  if (found == ranks_->known.end() || found->second.line.empty()) return false;
  found->second.line.push_back({std::move(message), {}, 0, false, false});
  return true;
}

bool ArrivalOrder::has_come(Rank source, transport::BulkTag tag, core::Buffer&& data) {
  std::deque<Place>& line = of(source).line;
  const auto place = std::ranges::find_if(
      line, [tag](const Place& one) { return one.is_awaited && one.tag == tag; });
  if (place == line.end()) return false;
  (place->goes_beside ? place->beside : place->message) = std::move(data);
  place->is_awaited = false;
  --awaited_;
  return true;
}

std::optional<ArrivalOrder::Message> ArrivalOrder::next(Rank source) {
  std::deque<Place>& line = of(source).line;
  if (line.empty() || line.front().is_awaited) return std::nullopt;
  std::optional<Message> next(
      Message{std::move(line.front().message), std::move(line.front().beside)});
  line.pop_front();
  return next;
}

}  // namespace roam::am
