// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "wire_program.hpp"

namespace roam::fuzz {

/// Takes what the rank answers and forgets it.
class Peer final : private transport::Sink {
 public:
  explicit Peer(std::unique_ptr<transport::Endpoint> endpoint) : endpoint_(std::move(endpoint)) {}
  ~Peer() override { endpoint_->close(false); }

  void send(const Frame& frame, std::span<const std::uint8_t> bytes) {
    core::Buffer buffer = core::Buffer::allocate(bytes.size());
    buffer.append(bytes.data(), bytes.size());
    if ((frame.kind & Frame::as_it_is) == 0) seal(buffer);
    if ((frame.kind & Frame::bulk) != 0)
      return endpoint_->send_bulk(0, frame.tag, std::move(buffer));
    endpoint_->send(0, std::move(buffer));
  }
  /// A message of a declared kind, with these bytes for its fields and what follows them.
  void send_message(const am::HandlerTable::Entry& kind, std::span<const std::uint8_t> payload) {
    am::WireHeader header;
    header.handler = kind.id;
    header.checked_size = static_cast<std::uint32_t>(sizeof header + payload.size());
    if (kind.declaration->kind.counted == am::Counted::yes) header.flags = am::WireHeader::counted;
    core::Buffer buffer = core::Buffer::allocate(header.checked_size);
    buffer.append(&header, sizeof header);
    buffer.append(payload.data(), payload.size());
    endpoint_->send(0, std::move(buffer));
  }
  void take_answers() { (void)endpoint_->progress(*this, 1000); }

 private:
  /// So that most inputs come past the first check.
  static void seal(core::Buffer& buffer) {
    am::WireHeader header;
    if (buffer.size() < sizeof header) return;
    std::memcpy(&header, buffer.data(), sizeof header);
    header.magic = am::WireHeader::expected_magic;
    header.checked_size = static_cast<std::uint32_t>(buffer.size());
    header.flags &= am::WireHeader::known_flags;
    if ((header.flags & am::WireHeader::batch) != 0) header.flags = am::WireHeader::batch;
    std::memcpy(buffer.data(), &header, sizeof header);
  }
  void message(Rank, core::Buffer&&) override {}
  void bulk(Rank, transport::BulkTag tag, core::Buffer&&) override { (void)tag; }
  void peer_failed(Rank, const char*) override {}

  std::unique_ptr<transport::Endpoint> endpoint_;
};

/// Some turns of the rank, after which its answers are gone.
inline void poll(Runtime& rank, StepClock& clock, Peer& peer) {
  for (int turn = 0; turn < 6; ++turn) {
    (void)rank.poll();
    clock.advance();
  }
  peer.take_answers();
}

/// Plays an input against a rank whose only peer sends it: frames of a fixed size, each followed by
/// as many bytes as its member `size` says, if there are as many. `begun(rank)` once the rank has
/// started; `send(peer, frame, bytes)` for each frame.
template <class FrameType, class Begun, class Send>
void play(std::span<const std::uint8_t> bytes, Begun&& begun, Send&& send) {
  StepClock clock;
  transport::InProcessNetwork network(2);
  const auto endpoint = network.endpoint(0);
  Peer peer(network.endpoint(1));
  const auto rank = start_wire_program(*endpoint, clock);
  poll(*rank, clock, peer);
  begun(*rank);
  while (bytes.size() > sizeof(FrameType)) {
    FrameType frame;
    std::memcpy(&frame, bytes.data(), sizeof frame);
    bytes = bytes.subspan(sizeof frame);
    const std::size_t size = std::min<std::size_t>(frame.size, bytes.size());
    send(peer, frame, bytes.first(size));
    bytes = bytes.subspan(size);
    poll(*rank, clock, peer);
  }
  for (int turn = 0; turn < 4; ++turn) poll(*rank, clock, peer);
  endpoint->close(false);
}

}  // namespace roam::fuzz
