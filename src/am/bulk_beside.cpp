// SPDX-License-Identifier: Apache-2.0
// The part of Messenger for bulk data that travels beside a message.
#include <cstring>

#include "roam/am/detail/messenger.hpp"
#include "roam/core/error.hpp"

namespace roam::am {

void Messenger::begin_lending(std::size_t bytes) {
  flow_.begin_lending(bytes);
  traffic_.begin_counted(slot_here());
}

void Messenger::end_lending(std::size_t bytes) {
  flow_.end_lending(bytes);
  traffic_.end_counted(slot_here());
}

core::Packer Messenger::begin_beside() {
  const BulkAnnouncement announcement;
  core::Buffer buffer = begin(sizeof announcement).take();
  buffer.append(&announcement, sizeof announcement);
  return core::Packer(std::move(buffer));
}

void Messenger::post_beside(Rank destination, std::uint32_t handler, core::Packer&& message,
                            core::Buffer&& data, bool counted) {
  core::Buffer first = message.take();
  const BulkAnnouncement announcement{data.size(),
                                      next_tag_.fetch_add(1, std::memory_order_relaxed), 0};
  std::memcpy(first.data() + payload_offset, &announcement, sizeof announcement);
  WireHeader header;
  header.handler = handler;
  header.checked_size = static_cast<std::uint32_t>(first.size());
  header.flags =
      static_cast<std::uint16_t>(WireHeader::beside | (counted ? WireHeader::counted : 0));
  std::memcpy(first.data(), &header, sizeof header);
  static_cast<void>(traffic_.count_sent(slot_here(), first.size() + data.size(), counted));
  transmit(destination, std::move(first), std::move(data), announcement.tag);
  flow_.hold_back_sender();
}

void Messenger::announced_beside(Rank source, const WireHeader& header, core::Buffer&& data) {
  BulkAnnouncement announcement;
  if (data.size() < payload_offset + sizeof announcement || bulk_receiver_ == nullptr)
    return reject(source, "bad announcement");
  std::memcpy(&announcement, data.data() + payload_offset, sizeof announcement);
  if (announcement.size > options_.largest_message_bytes)
    return reject(source, "announced size too large");
  const auto size = static_cast<std::size_t>(announcement.size);
  core::Buffer target;
  try {
    target = bulk_receiver_->landing_place(
        source, header.handler, data.bytes().subspan(payload_offset + sizeof announcement), size);
  } catch (const MalformedMessage&) {
    // The data comes in any case; landed() throws again, and then the message is counted.
  }
  arrivals_.await_beside(source, announcement.tag, std::move(data));
  endpoint_.receive_bulk(source, announcement.tag, size, std::move(target));
}

void Messenger::dispatch_beside(Rank source, const WireHeader& header, core::Buffer&& data,
                                core::Buffer&& beside) {
  const bool is_beside = (header.flags & WireHeader::beside) != 0;
  if (!is_beside || !beside) return reject(source, "bulk data out of place");
  const bool counted = (header.flags & WireHeader::counted) != 0;
  traffic_.count_arrivals(source, 1, data.size());
  try {
    Incoming incoming{source, std::move(data), payload_offset + sizeof(BulkAnnouncement), counted};
    bulk_receiver_->landed(header.handler, std::move(incoming), std::move(beside));
  } catch (const MalformedMessage& error) {
    reject(source, error.what());
  }
  if (counted) traffic_.count_taken_in(1);
}

void Messenger::deliver(std::uint32_t handler, Incoming&& message) {
  const HandlerTable::Entry* entry = table_.find(handler);
  if (entry == nullptr || entry->program == nullptr)
    throw MalformedMessage("a handler that does not exist is to run on the data");
  entry->program->dispatch(*this, *entry->program, std::move(message));
}

}  // namespace roam::am
