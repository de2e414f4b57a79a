// SPDX-License-Identifier: Apache-2.0
// The part of Messenger for large arrays of a message, which travel beside it.
#include <cstring>

#include "am/credits.hpp"
#include "roam/am/detail/messenger.hpp"
#include "roam/core/error.hpp"

namespace roam::am {

namespace {
// What a message has besides its arrays, at a guess: a smaller amount does not decide whether an
// array travels beside it.
constexpr std::size_t usual_rest = 64;
}  // namespace

void Messenger::throw_no_rank(Rank destination) const {
  throw Error("rank " + std::to_string(destination.value()) +
              " does not exist; the job has ranks 0 to " + std::to_string(size_ - 1));
}

// An array travels beside its message, as a second transfer, only if the message would otherwise go
// split-phase and would not do so without its largest array.
std::optional<std::size_t> Messenger::choose_attachment(const core::ArraySizes& sizes) const {
  if (sizes.total + usual_rest <= largest_single_) return std::nullopt;
  if (sizes.total - sizes.largest > largest_single_ / 2) return std::nullopt;
  return sizes.index_of_largest;
}

void Messenger::post_with(core::Attachment&& attachment, Rank destination, std::uint32_t handler,
                          core::Packer&& message, bool counted) {
  if (!attachment.data) return post(destination, handler, std::move(message), counted);
  core::Packer rest = begin_beside();
  const auto payload = message.buffer().bytes().subspan(payload_offset);
  rest.write(payload.data(), payload.size());
  forward_attached(destination, handler, rest.take(), std::move(attachment), counted);
}

void Messenger::forward_attached(Rank destination, std::uint32_t handler, core::Buffer&& message,
                                 core::Attachment&& attachment, bool counted) {
  if (!is_rank(destination)) throw_no_rank(destination);
  if (message.size() > largest_single_) {  // other arguments are as large as the array
    core::Packer whole = begin(message.size() + attachment.data.size());
    core::write_whole(whole, message.bytes().subspan(payload_offset + sizeof(BulkAnnouncement)),
                      attachment);
    return forward(destination, handler, whole.take(), counted);
  }
  const BulkAnnouncement announcement{attachment.data.size(),
                                      next_tag_.fetch_add(1, std::memory_order_relaxed),
                                      static_cast<std::uint32_t>(attachment.bytes_behind)};
  std::memcpy(message.data() + payload_offset, &announcement, sizeof announcement);
  WireHeader header;
  header.handler = handler;
  header.checked_size = static_cast<std::uint32_t>(message.size());
  header.flags =
      static_cast<std::uint16_t>(WireHeader::attached | (counted ? WireHeader::counted : 0));
  std::memcpy(message.data(), &header, sizeof header);
  const bool may_exceed =
      traffic_.count_sent(slot_here(), message.size() + attachment.data.size(), counted);
  transmit(destination, std::move(message), std::move(attachment.data), announcement.tag);
  if (may_exceed) flow_.hold_back_sender();
}

void Messenger::announced_attached(Rank source, core::Buffer&& data) {
  BulkAnnouncement announcement;
  if (data.size() < payload_offset + sizeof announcement) return reject(source, "bad announcement");
  std::memcpy(&announcement, data.data() + payload_offset, sizeof announcement);
  if (announcement.size == 0) return reject(source, "nothing announced");
  if (announcement.size > options_.largest_message_bytes)
    return reject(source, "announced size too large");
  if (flow_.credits() != nullptr)
    credits().count_arrival(source, Credits::charge(announcement.size));
  arrivals_.await_beside(source, announcement.tag, std::move(data));
  endpoint_.receive_bulk(source, announcement.tag, static_cast<std::size_t>(announcement.size));
}

void Messenger::dispatch_attached(Rank source, const WireHeader& header, core::Buffer&& data,
                                  core::Buffer&& array) {
  const HandlerTable::Entry* entry = table_.find(header.handler);
  if (entry == nullptr) return reject(source, "unknown handler");
  if (!entry->takes_attachment) return reject(source, "the handler takes no array");
  if (!array) return reject(source, "bulk data out of place");
  BulkAnnouncement announcement;
  std::memcpy(&announcement, data.data() + payload_offset, sizeof announcement);
  const bool counted = (header.flags & WireHeader::counted) != 0;
  traffic_.count_arrivals(source, 1, data.size() + array.size());
  call(*entry, {source,
                std::move(data),
                payload_offset + sizeof announcement,
                counted,
                {std::move(array), announcement.bytes_behind}});
  if (counted) traffic_.count_taken_in(1);
}

}  // namespace roam::am
