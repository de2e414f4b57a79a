// SPDX-License-Identifier: Apache-2.0
#include "roam/am/detail/message_sender.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include "am/transmit.hpp"
#include "roam/core/error.hpp"

namespace roam::am {

namespace {
// The high-water mark is exceeded by at most its size divided by this.
constexpr std::size_t looks_per_mark = 64;

std::unique_ptr<Coalescer> make_coalescer(std::size_t batch_bytes, std::size_t look_every_bytes) {
  return batch_bytes == 0 ? nullptr : std::make_unique<Coalescer>(batch_bytes, look_every_bytes);
}

// Copies short payloads as words, without a function call.
inline void copy_payload(std::byte* target, std::span<const std::byte> payload) {
  constexpr std::size_t word = sizeof(std::uint64_t);
  const std::size_t bytes = payload.size();
  if (bytes < word || bytes > 8 * word) {
    if (bytes > 0) std::memcpy(target, payload.data(), bytes);
    return;
  }
  const std::byte* const last = payload.data() + bytes - word;
  std::byte* const last_target = target + bytes - word;
  for (const std::byte* from = payload.data(); from < last; from += word, target += word)
    std::memcpy(target, from, word);
  std::memcpy(last_target, last, word);
}
}  // namespace

MessageSender::MessageSender(transport::Endpoint& endpoint, exec::Engine& engine,
                             const MessengerOptions& options)
    : engine_(engine),
      rank_(endpoint.rank()),
      size_(endpoint.size() - options.helpers),
      near_(rank_.value() < size_ ? size_ : 0),
      size_with_helpers_(endpoint.size()),
      longest_message_bytes_(
          std::min(options.message_threshold_bytes, endpoint.capabilities().max_message_bytes)),
      coalescer_(make_coalescer(options.batch_bytes.value_or(endpoint.capabilities().batch_bytes),
                                options.high_water_bytes / looks_per_mark)),
      traffic_(engine, options.high_water_bytes / looks_per_mark / engine.slot_count()),
      memory_(engine, longest_message_bytes_),
      flow_(endpoint, engine, options, memory_, coalescer_.get()),
      path_({endpoint, engine, flow_, coalescer_.get(), memory_, traffic_}) {}

MessageSender::~MessageSender() = default;

void MessageSender::let_cross(std::uint32_t handler, bool counted) {
  crossing_.push_back(handler);
  if (counted) path_.queue().let_wait(handler);
}

bool MessageSender::check_crossing(Rank destination, std::uint32_t handler) const {
  const bool is_there = destination.value() >= 0 && destination.value() < size_with_helpers_;
  if (is_there && std::ranges::find(crossing_, handler) != crossing_.end()) return true;
  if (is_there && is_helper()) {
    throw Error("rank " + std::to_string(rank_.value()) +
                " is a helper (--roam-helpers): what runs there, the function of an offloaded "
                "task, cannot send messages");
  }
  throw Error("rank " + std::to_string(destination.value()) +
              " does not exist; the job has ranks 0 to " + std::to_string(size_ - 1));
}

core::Buffer MessageSender::begin_buffer(std::size_t bytes) {
  core::Buffer buffer = memory_.take(slot_here(), bytes + payload_offset);
  buffer.set_size(payload_offset);
  return buffer;
}

// The path of most messages, in one function.
[[gnu::always_inline]] inline void MessageSender::send_from(std::uint32_t slot, Rank destination,
                                                            std::uint32_t handler,
                                                            core::Buffer&& message, bool counted) {
  if (!is_near(destination)) [[unlikely]] {
    send_across(slot, destination, handler, std::move(message));
    if (counted) flow_.hold_back_sender();
    return;
  }
  WireHeader header;
  header.handler = handler;
  header.checked_size = static_cast<std::uint32_t>(message.size());
  header.flags = counted ? WireHeader::counted : 0;
  std::memcpy(message.data(), &header, sizeof header);

  const bool may_exceed = traffic_.count_sent(slot, message.size(), counted);
  if (message.size() > longest_message_bytes_) {
    send_split(destination, std::move(message));
  } else {
    path_.transmit(destination, std::move(message));
  }
  if (may_exceed && counted) flow_.hold_back_sender();
}

[[gnu::noinline]] void MessageSender::send_across(std::uint32_t slot, Rank destination,
                                                  std::uint32_t handler, core::Buffer&& message) {
  static_cast<void>(check_crossing(destination, handler));
  WireHeader header;
  header.handler = handler;
  header.checked_size = static_cast<std::uint32_t>(message.size());
  std::memcpy(message.data(), &header, sizeof header);
  static_cast<void>(traffic_.count_sent(slot, message.size(), false));
  if (message.size() > longest_message_bytes_) {
    send_split(destination, std::move(message));
  } else {
    path_.transmit(destination, std::move(message));
  }
}

void MessageSender::post(Rank destination, std::uint32_t handler, core::Packer&& message,
                         bool counted) {
  forward(destination, handler, message.take(), counted);
}

void MessageSender::forward(Rank destination, std::uint32_t handler, core::Buffer&& message,
                            bool counted) {
  send_from(slot_here(), destination, handler, std::move(message), counted);
}

void MessageSender::post_bytes(Rank destination, std::uint32_t handler,
                               std::span<const std::byte> payload) {
  const std::uint32_t slot = slot_here();
  const std::size_t bytes = payload_offset + payload.size();
  core::Buffer message = memory_.take(slot, bytes);
  message.set_size(bytes);
  copy_payload(message.data() + payload_offset, payload);
  send_from(slot, destination, handler, std::move(message), true);
}

void MessageSender::post_small(std::uint32_t slot, Rank destination, core::MpscNode* block,
                               std::size_t bytes) {
  const bool may_exceed = traffic_.count_sent(slot, bytes, true);
  if (may_exceed || !path_.is_direct()) return post_small_in_turn(destination, block, may_exceed);
  core::Buffer message = core::Buffer::adopt(block);
  path_.send_directly(destination, std::move(message));
}

void MessageSender::post_small_in_turn(Rank destination, core::MpscNode* block, bool may_exceed) {
  path_.transmit(destination, core::Buffer::adopt(block));
  if (may_exceed) flow_.hold_back_sender();
}

void MessageSender::send_split(Rank destination, core::Buffer&& message) {
  const BulkAnnouncement announcement{message.size(), take_tag(), 0};
  core::Packer packer = begin(sizeof announcement);
  packer.write(&announcement, sizeof announcement);
  core::Buffer first = packer.take();
  WireHeader announce;
  announce.checked_size = static_cast<std::uint32_t>(first.size());
  announce.flags = WireHeader::announce;
  std::memcpy(first.data(), &announce, sizeof announce);
  path_.transmit(destination, std::move(first), std::move(message), announcement.tag);
}

std::uint64_t MessageSender::counted_sent() const {
  const std::uint64_t put_into_batches = coalescer_ != nullptr ? coalescer_->messages_put() : 0;
  return put_into_batches + traffic_.counted_sent();
}

void MessageSender::add_to(MessengerStats& stats) const {
  traffic_.add_to(stats);
  if (coalescer_ != nullptr) {
    stats.messages_sent += coalescer_->messages_put();
    stats.bytes_sent += coalescer_->bytes_put();
  }
  flow_.add_to(stats);
}

void MessageSender::add_to(exec::WorkingSet& set) const {
  set.add_from(this, &path_);
  path_.add_to(set);
  if (flow_.credits() != nullptr) flow_.credits()->add_to(set);
  traffic_.add_to(set);
  memory_.add_to(set);
}

namespace {
constexpr std::size_t short_message_bytes = 64;
}  // namespace

void MessageSender::look_ahead_at_memory() const { memory_.look_ahead(short_message_bytes); }

void MessageSender::look_ahead_at_credit(Rank source) const {
  if (flow_.credits() != nullptr) flow_.credits()->look_ahead(source);
}

}  // namespace roam::am
