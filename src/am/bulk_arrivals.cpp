// SPDX-License-Identifier: Apache-2.0
// The part of Receiver for bulk data: a message itself, an array of it, or data beside it.
#include <cstring>
#include <optional>
#include <utility>

#include "am/credits.hpp"
#include "roam/am/detail/receiver.hpp"
#include "roam/core/error.hpp"

namespace roam::am {

namespace {

constexpr std::size_t bytes_before_payload = sizeof(WireHeader) + sizeof(BulkAnnouncement);

/// What is announced in a message with this header; nullopt if it is too short.
std::optional<BulkAnnouncement> read_announcement(const core::Buffer& data) {
  BulkAnnouncement announcement;
  if (data.size() < bytes_before_payload) return std::nullopt;
  std::memcpy(&announcement, data.data() + sizeof(WireHeader), sizeof announcement);
  return announcement;
}

}  // namespace

void Receiver::announced(Rank source, const core::Buffer& data) {
  const std::optional<BulkAnnouncement> announcement = read_announcement(data);
  if (!announcement || data.size() > bytes_before_payload)
    return reject(source, "bad announcement");
  if (announcement->size > largest_transfer_bytes_)
    return reject(source, "announced size too large");
  arrivals_.await(source, announcement->tag);
  if (flow_.credits() != nullptr)
    flow_.credits()->count_arrival(source, Credits::charge(announcement->size));
  endpoint_.receive_bulk(source, announcement->tag, static_cast<std::size_t>(announcement->size));
}

void Receiver::announced_attached(Rank source, core::Buffer&& data) {
  const std::optional<BulkAnnouncement> announcement = read_announcement(data);
  if (!announcement) return reject(source, "bad announcement");
  if (announcement->size == 0) return reject(source, "nothing announced");
  if (announcement->size > largest_transfer_bytes_)
    return reject(source, "announced size too large");
  if (flow_.credits() != nullptr)
    flow_.credits()->count_arrival(source, Credits::charge(announcement->size));
  arrivals_.await_beside(source, announcement->tag, std::move(data));
  endpoint_.receive_bulk(source, announcement->tag, static_cast<std::size_t>(announcement->size));
}

void Receiver::announced_beside(Rank source, const WireHeader& header, core::Buffer&& data) {
  const std::optional<BulkAnnouncement> announcement = read_announcement(data);
  if (!announcement || bulk_receiver_ == nullptr) return reject(source, "bad announcement");
  if (announcement->size > largest_transfer_bytes_)
    return reject(source, "announced size too large");
  const auto size = static_cast<std::size_t>(announcement->size);
  core::Buffer target;
  try {
    target = bulk_receiver_->landing_place(source, header.handler,
                                           data.bytes().subspan(bytes_before_payload), size);
  } catch (const MalformedMessage&) {
    // The data comes in any case; landed() throws again, and then the message is counted.
  }
  arrivals_.await_beside(source, announcement->tag, std::move(data));
  endpoint_.receive_bulk(source, announcement->tag, size, std::move(target));
}

void Receiver::bulk(Rank source, transport::BulkTag tag, core::Buffer&& data) {
  if (!arrivals_.has_come(source, tag, std::move(data)))
    return reject(source, "unexpected bulk transfer");
  while (std::optional<ArrivalOrder::Message> next = arrivals_.next(source)) {
    WireHeader header;
    if (!read_header(next->message.bytes(), header)) {
      reject(source, "bad header");
    } else if ((header.flags & WireHeader::attached) != 0) {
      dispatcher_.dispatch_attached(source, header, std::move(next->message),
                                    std::move(next->beside));
    } else if ((header.flags & WireHeader::beside) != 0 || next->beside) {
      land(source, header, std::move(next->message), std::move(next->beside));
    } else {
      dispatcher_.dispatch(source, header, std::move(next->message));
    }
  }
}

void Receiver::land(Rank source, const WireHeader& header, core::Buffer&& data,
                    core::Buffer&& beside) {
  const bool is_beside = (header.flags & WireHeader::beside) != 0;
  if (!is_beside || !beside) return reject(source, "bulk data out of place");
  const bool counted = (header.flags & WireHeader::counted) != 0;
  dispatcher_.counters().count_arrivals(source, 1, data.size());
  try {
    Incoming incoming{source, std::move(data), bytes_before_payload, counted};
    bulk_receiver_->landed(header.handler, std::move(incoming), std::move(beside));
  } catch (const MalformedMessage& error) {
    reject(source, error.what());
  }
  if (counted) dispatcher_.counters().count_taken_in(1);
}

}  // namespace roam::am
