// SPDX-License-Identifier: Apache-2.0
#include "roam/am/detail/bulk_sender.hpp"

#include <cstring>

namespace roam::am {

namespace {
// What a message has besides its arrays, at a guess: a smaller amount does not decide whether an
// array travels beside it.
constexpr std::size_t usual_rest = 64;
}  // namespace

BulkSender::BulkSender(transport::Endpoint& endpoint, exec::Engine& engine,
                       const MessengerOptions& options)
    : MessageSender(endpoint, engine, options),
      largest_transfer_bytes_(options.largest_message_bytes),
      hands_over_(endpoint.capabilities().hands_over) {}

// --- arrays of a message ---

// An array travels beside its message, as a second transfer, only if the message would otherwise go
// split-phase and would not do so without its largest array.
std::optional<std::size_t> BulkSender::choose_attachment(const core::ArraySizes& sizes) const {
  if (sizes.total + usual_rest <= longest_message_bytes()) return std::nullopt;
  if (sizes.total - sizes.largest > longest_message_bytes() / 2) return std::nullopt;
  return sizes.index_of_largest;
}

void BulkSender::post_with(core::Attachment&& attachment, Rank destination, std::uint32_t handler,
                           core::Packer&& message, bool counted) {
  if (!attachment.data) return post(destination, handler, std::move(message), counted);
  core::Packer rest = begin_beside();
  const auto payload = message.buffer().bytes().subspan(payload_offset);
  rest.write(payload.data(), payload.size());
  forward_attached(destination, handler, rest.take(), std::move(attachment), counted);
}

void BulkSender::forward_attached(Rank destination, std::uint32_t handler, core::Buffer&& message,
                                  core::Attachment&& attachment, bool counted) {
  if (crosses(destination, handler)) counted = false;
  if (message.size() > longest_message_bytes()) {  // other arguments are as large as the array
    core::Packer whole = begin(message.size() + attachment.data.size());
    core::write_whole(whole, message.bytes().subspan(payload_offset + sizeof(BulkAnnouncement)),
                      attachment);
    return forward(destination, handler, whole.take(), counted);
  }
  const BulkAnnouncement announcement{attachment.data.size(), take_tag(),
                                      static_cast<std::uint32_t>(attachment.bytes_behind)};
  std::memcpy(message.data() + payload_offset, &announcement, sizeof announcement);
  WireHeader header;
  header.handler = handler;
  header.checked_size = static_cast<std::uint32_t>(message.size());
  header.flags =
      static_cast<std::uint16_t>(WireHeader::attached | (counted ? WireHeader::counted : 0));
  std::memcpy(message.data(), &header, sizeof header);
  const bool may_exceed =
      traffic().count_sent(slot_here(), message.size() + attachment.data.size(), counted);
  path().transmit(destination, std::move(message), std::move(attachment.data), announcement.tag);
  if (may_exceed) flow().hold_back_sender();
}

// --- bulk data ---

void BulkSender::begin_lending(std::size_t bytes) {
  flow().begin_lending(bytes);
  begin_counted_work();
}

void BulkSender::end_lending(std::size_t bytes) {
  flow().end_lending(bytes);
  end_counted_work();
}

core::Packer BulkSender::begin_beside() {
  const BulkAnnouncement announcement;
  core::Buffer buffer = begin(sizeof announcement).take();
  buffer.append(&announcement, sizeof announcement);
  return core::Packer(std::move(buffer));
}

void BulkSender::post_beside(Rank destination, std::uint32_t handler, core::Packer&& message,
                             core::Buffer&& data, bool counted) {
  core::Buffer first = message.take();
  const BulkAnnouncement announcement{data.size(), take_tag(), 0};
  std::memcpy(first.data() + payload_offset, &announcement, sizeof announcement);
  WireHeader header;
  header.handler = handler;
  header.checked_size = static_cast<std::uint32_t>(first.size());
  header.flags =
      static_cast<std::uint16_t>(WireHeader::beside | (counted ? WireHeader::counted : 0));
  std::memcpy(first.data(), &header, sizeof header);
  static_cast<void>(traffic().count_sent(slot_here(), first.size() + data.size(), counted));
  path().transmit(destination, std::move(first), std::move(data), announcement.tag);
  flow().hold_back_sender();
}

}  // namespace roam::am
