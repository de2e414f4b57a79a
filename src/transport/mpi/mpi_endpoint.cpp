// SPDX-License-Identifier: Apache-2.0
#include "transport/mpi/mpi_endpoint.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <thread>

#include "roam/core/error.hpp"
#include "transport/dropping_sink.hpp"

namespace roam::transport {

namespace {

// The size of an MPI library's own header. It counts towards the longest message that the library
// sends without asking the receiver, which is usually a power of two (4 KiB on one machine, with
// Open MPI). A longer batch would cost four times as much.
constexpr std::size_t envelope_bytes = 128;

MpiOptions within_limits(MpiOptions options, int largest_tag) {
  options.max_message_bytes =
      std::min(options.max_message_bytes, static_cast<std::size_t>(largest_tag / 2));
  options.short_message_bytes = std::min(options.short_message_bytes, options.max_message_bytes);
  options.posted_receives = std::max<std::size_t>(options.posted_receives, 1);
  options.bulk_piece_bytes =
      std::clamp<std::size_t>(options.bulk_piece_bytes, 1, std::size_t{1} << 30);
  return options;
}

// The tag of a message on `messages`, which contains its size: asking MPI for the size would cost a
// call between every message and its answer.
int message_tag(std::size_t bytes, bool is_long) {
  return static_cast<int>(bytes) * 2 + (is_long ? 1 : 0);
}
std::size_t bytes_of(int tag) { return static_cast<std::size_t>(tag) / 2; }
bool announces_long(int tag) { return tag % 2 != 0; }

// Calls piece(offset, bytes) for each piece; once for an empty transfer.
template <class Piece>
void for_each_piece(std::size_t bytes, std::size_t piece_bytes, Piece&& piece) {
  std::size_t offset = 0;
  do {
    const std::size_t length = std::min(bytes - offset, piece_bytes);
    piece(offset, length);
    offset += length;
  } while (offset < bytes);
}

}  // namespace

MpiEndpoint::MpiEndpoint(MpiChannel& channel, const MpiOptions& options)
    : channel_(channel),
      options_(within_limits(options, channel.largest_tag)),
      ring_(channel.messages, options_.posted_receives, options_.short_message_bytes),
      sent_(static_cast<std::size_t>(channel.size)),
      failed_(static_cast<std::size_t>(channel.size)) {
  capabilities_.main_thread_only = channel.mpi.thread_level() < MPI_THREAD_SERIALIZED;
  capabilities_.max_message_bytes = options_.max_message_bytes;
  capabilities_.batch_bytes =
      options_.short_message_bytes - std::min(envelope_bytes, options_.short_message_bytes);
}

MpiEndpoint::~MpiEndpoint() { close(true); }

inline void MpiEndpoint::send_short(Rank destination, int tag, core::Buffer&& data) {
  MPI_Request request = MPI_REQUEST_NULL;
  int code = MPI_Isend(data.data(), static_cast<int>(data.size()), MPI_BYTE, destination.value(),
                       tag, channel_.messages, &request);
  // Most short messages have left by now: then their buffer is reused while it is in the cache.
  int has_left = 0;
  if (code == MPI_SUCCESS) code = MPI_Test(&request, &has_left, MPI_STATUS_IGNORE);
  if (code != MPI_SUCCESS) {
    fail(destination, "MPI_Isend: " + mpi_error_text(code));
  } else if (has_left == 0) {
    const std::size_t unsent = data.size();
    add_unsent(unsent);
    sends_.add(request, {.data = std::move(data), .destination = destination, .bytes = unsent});
  } else {
    data.reset();
  }
}

void MpiEndpoint::send(Rank destination, core::Buffer&& data) {
  assert(destination.value() >= 0 && destination.value() < size() &&
         data.size() <= options_.max_message_bytes);
  if (has_failures_ && failed_[destination.index()]) return;
  ++sent_[destination.index()];
  if (MpiBoxes::Neighbour* const neighbour = channel_.boxes->neighbour(destination)) {
    if (!neighbour->waiting.empty()) return wait_for_box(*neighbour, std::move(data));
    if (data.size() <= FastBox::longest) {
      if (!neighbour->there.write(neighbour->by_mpi_sent, data.data(), data.size()))
        return wait_for_box(*neighbour, std::move(data));
      data.reset();
      return;
    }
    ++neighbour->by_mpi_sent;
  }
  send_by_mpi(destination, std::move(data));
}

// A full box has space again as soon as its reader has looked. So messages wait for it: by MPI the
// message, and those that come after it, would take longer.
[[gnu::noinline]] void MpiEndpoint::wait_for_box(MpiBoxes::Neighbour& neighbour,
                                                 core::Buffer&& data) {
  add_unsent(data.size() + 1);  // an empty message counts as unsent, too
  neighbour.waiting.push_back(std::move(data));
  ++waiting_messages_;
}

// Sends as many waiting messages as find space now. One that is too long for a box is sent by MPI
// in its turn; with by_mpi, all of them are.
[[gnu::noinline]] void MpiEndpoint::send_waiting(bool by_mpi) {
  for (const auto& neighbour : channel_.boxes->neighbours()) {
    std::deque<core::Buffer>& waiting = neighbour->waiting;
    while (!waiting.empty()) {
      core::Buffer& data = waiting.front();
      const std::size_t bytes = data.size();
      const bool fits = bytes <= FastBox::longest;
      const bool is_lost = failed_[neighbour->rank.index()];
      if (!is_lost &&
          !(fits && neighbour->there.write(neighbour->by_mpi_sent, data.data(), bytes))) {
        if (fits && !by_mpi) break;
        ++neighbour->by_mpi_sent;
        send_by_mpi(neighbour->rank, std::move(data));
      }
      waiting.pop_front();
      --waiting_messages_;
      add_unsent(std::size_t{0} - (bytes + 1));
    }
  }
}

void MpiEndpoint::send_by_mpi(Rank destination, core::Buffer&& data) {
  const bool is_short = data.size() <= options_.short_message_bytes;
  const int tag = message_tag(data.size(), !is_short);
  if (is_short) return send_short(destination, tag, std::move(data));
  send_short(destination, tag, core::Buffer());
  send_data(destination, 0, std::move(data));
}

void MpiEndpoint::send_bulk(Rank destination, BulkTag tag, core::Buffer&& data) {
  assert(destination.value() >= 0 && destination.value() < size());
  if (!failed_[destination.index()]) send_data(destination, bulk_tag(tag), std::move(data));
}

void MpiEndpoint::send_data(Rank destination, int tag, core::Buffer data) {
  const std::size_t bytes = data.size();
  const std::byte* const begin = data.data();
  core::Buffer single;
  std::shared_ptr<core::Buffer> whole;
  if (bytes > options_.bulk_piece_bytes) whole = std::make_shared<core::Buffer>();
  (whole != nullptr ? *whole : single) = std::move(data);
  for_each_piece(bytes, options_.bulk_piece_bytes, [&](std::size_t offset, std::size_t length) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int code =
        MPI_Isend(begin == nullptr ? nullptr : begin + offset, static_cast<int>(length), MPI_BYTE,
                  destination.value(), tag, channel_.data, &request);
    if (code != MPI_SUCCESS) {
      fail(destination, "MPI_Isend: " + mpi_error_text(code));
      return;
    }
    add_unsent(length);
    sends_.add(request, {std::exchange(single, {}), whole, destination, length});
  });
}

void MpiEndpoint::receive_bulk(Rank source, BulkTag tag, std::size_t bytes, core::Buffer target) {
  assert(!target || target.size() == bytes);
  auto incoming = std::make_shared<Incoming>();
  incoming->source = source;
  incoming->tag = tag;
  incoming->bulk = true;
  incoming->data = std::move(target);
  receive_data(incoming, bulk_tag(tag), bytes);
}

void MpiEndpoint::receive_data(const std::shared_ptr<Incoming>& incoming, int tag,
                               std::size_t bytes) {
  if (!incoming->data) {
    // The block that was sent from is received into next, while it is in the cache: two ranks that
    // send an array to and fro need one block each. (MPI_Testsome had not seen the sends that
    // MPI_Test has completed.)
    if (!sends_.empty()) test_sends();
    incoming->data = pools_.take(bytes);
    incoming->data.set_size(bytes);
  }
  for_each_piece(bytes, options_.bulk_piece_bytes, [&](std::size_t offset, std::size_t length) {
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Irecv(incoming->data.data() + offset, static_cast<int>(length), MPI_BYTE,
                        incoming->source.value(), tag, channel_.data, &request),
              "MPI_Irecv");
    ++incoming->pieces_left;
    receives_.add(request, incoming);
  });
}

// The tag of a bulk transfer. Pairs of ranks match bulk data by tag in the order sent. Tags that
// differ by a multiple of the largest MPI tag (2^31 with Open MPI, 2^28 with MPICH) would be
// confused, if that many transfers of one pair were ever under way at once.
int MpiEndpoint::bulk_tag(BulkTag tag) const {
  return 1 + static_cast<int>(tag % static_cast<BulkTag>(channel_.largest_tag));
}

// Gives the sink a message that has arrived completely; if a long message of its sender is under
// way, it has to wait behind that. Returns how many messages the sink got.
inline std::size_t MpiEndpoint::hand_over(Sink& sink, Rank source, core::Buffer&& data) {
  if (!lanes_.empty()) {
    if (const auto lane = lanes_.find(source); lane != lanes_.end()) {
      lane->second.push_back(whole(source, std::move(data)));
      return 0;
    }
  }
  sink.message(source, std::move(data));
  return 1;
}

// False if the box is empty, or if a message by MPI comes first.
inline bool MpiEndpoint::has_next(MpiBoxes::Neighbour& neighbour) {
  if (!neighbour.here.look()) return false;
  if (neighbour.arriving) return true;
  if (neighbour.here.before() != neighbour.by_mpi_received ||
      (has_failures_ && failed_[neighbour.rank.index()]))
    return false;
  if (neighbour.here.bytes() <= FastBox::longest) return true;
  fail(neighbour.rank, "sent a message that does not fit its box");
  return false;
}

// Reads what has_next() has found. Returns an empty buffer if part of the message has not arrived
// yet.
inline core::Buffer MpiEndpoint::read_box(MpiBoxes::Neighbour& neighbour) {
  core::Buffer data = std::move(neighbour.arriving);
  if (!data) {
    data = pools_.take(neighbour.here.bytes());
    data.set_size(neighbour.here.bytes());
  }
  if (neighbour.here.copy_to(data.data())) [[likely]] {
    ++received_;
    return data;
  }
  neighbour.arriving = std::move(data);
  return {};
}

// Delivers all that is in the boxes, as far as the order and the limit allow; begins with another
// box each time.
inline std::size_t MpiEndpoint::poll_boxes(Sink& sink, std::size_t limit) {
  const auto& neighbours = channel_.boxes->neighbours();
  if (++first_box_ >= neighbours.size()) first_box_ = 0;
  std::size_t delivered = 0;
  std::size_t next = first_box_;
  for (std::size_t i = 0; i < neighbours.size() && delivered < limit; ++i) {
    MpiBoxes::Neighbour& neighbour = *neighbours[next];
    if (++next == neighbours.size()) next = 0;
    while (delivered < limit && has_next(neighbour)) {
      core::Buffer data = read_box(neighbour);
      if (!data) break;
      delivered += hand_over(sink, neighbour.rank, std::move(data));
    }
  }
  return delivered;
}

// Messages that were put into the box before the message by MPI that has arrived wait in the lane
// with it.
void MpiEndpoint::take_before(MpiBoxes::Neighbour& neighbour) {
  while (has_next(neighbour)) {
    core::Buffer data = read_box(neighbour);
    if (!data) break;
    lanes_[neighbour.rank].push_back(whole(neighbour.rank, std::move(data)));
  }
}

// Processes what the oldest slot of the ring has received. Returns how many messages the sink got.
inline std::size_t MpiEndpoint::take(Sink& sink, Rank source, int tag) {
  ++received_;
  if (MpiBoxes::Neighbour* const neighbour = channel_.boxes->neighbour(source)) {
    take_before(*neighbour);
    ++neighbour->by_mpi_received;
  }
  const std::size_t bytes = bytes_of(tag);
  if (announces_long(tag) || bytes > options_.short_message_bytes) {
    ring_.next();
    expect_long(source, bytes, announces_long(tag));
    return 0;
  }
  core::Buffer data = pools_.take(bytes);
  data.set_size(bytes);
  std::memcpy(data.data(), ring_.data(), bytes);
  ring_.next();
  return hand_over(sink, source, std::move(data));
}

// Takes one message if the last call found no more than one, because asking MPI for another would
// delay the answer to it. Else up to twice as many as last time.
inline std::size_t MpiEndpoint::poll_ring(Sink& sink, std::size_t limit) {
  const std::size_t most = std::min(limit, burst_);
  std::size_t taken = 0;
  std::size_t delivered = 0;
  MPI_Status status;
  int code = MPI_SUCCESS;
  while (taken < most) {
    if (!ring_.poll(status, code)) {
      burst_ = 1;
      return delivered;
    }
    ++taken;
    if (code != MPI_SUCCESS) {
      ring_failed(status, code);
      break;
    }
    delivered += take(sink, status.MPI_SOURCE, status.MPI_TAG);
  }
  if (taken == burst_) burst_ = std::min(burst_ * 2, largest_burst);
  return delivered;
}

std::size_t MpiEndpoint::progress(Sink& sink, std::size_t limit) {
  if (!sends_.empty()) test_sends();
  if (waiting_messages_ > 0) send_waiting(false);
  std::size_t delivered = lanes_.empty() ? 0 : drain_lanes(sink, limit);
  const std::size_t out_of_boxes = poll_boxes(sink, limit - std::min(limit, delivered));
  delivered += out_of_boxes;
  if (out_of_boxes == 0 || ++turns_without_mpi_ > most_turns_without_mpi) {
    turns_without_mpi_ = 0;
    delivered += poll_ring(sink, limit - std::min(limit, delivered));
    if (!receives_.empty()) delivered += test_receives(sink);
    if (!lanes_.empty()) delivered += drain_lanes(sink, limit - std::min(limit, delivered));
  }
  if (!new_failures_.empty()) report_failures(sink);
  return delivered;
}

void MpiEndpoint::test_sends() {
  sends_.test([this](auto& sent) {
    add_unsent(std::size_t{0} - sent.record.bytes);
    if (sent.code != MPI_SUCCESS)
      fail(sent.record.destination, "send: " + mpi_error_text(sent.code));
  });
}

void MpiEndpoint::ring_failed(const MPI_Status& status, int code) {
  const int source = status.MPI_SOURCE;
  if (source < 0 || source >= size()) check_mpi(code, "receive from any rank");
  fail(source, "receive: " + mpi_error_text(code));
  ring_.next();
}

void MpiEndpoint::expect_long(Rank source, std::size_t bytes, bool is_announced) {
  if (!is_announced || bytes > options_.max_message_bytes) {
    fail(source, "sent or announced a message longer than the limit");
    return;
  }
  auto incoming = std::make_shared<Incoming>();
  incoming->source = source;
  lanes_[source].push_back(incoming);
  receive_data(incoming, 0, bytes);
}

// A message that has arrived completely, in the form for its lane.
std::shared_ptr<MpiEndpoint::Incoming> MpiEndpoint::whole(Rank source, core::Buffer&& data) {
  auto incoming = std::make_shared<Incoming>();
  incoming->source = source;
  incoming->bytes_received = data.size();
  incoming->data = std::move(data);
  return incoming;
}

std::size_t MpiEndpoint::test_receives(Sink& sink) {
  std::size_t delivered = 0;
  receives_.test([&](auto& received) {
    Incoming& incoming = *received.record;
    int bytes = 0;
    if (received.code != MPI_SUCCESS) {
      incoming.code = received.code;
    } else if (MPI_Get_count(&received.status, MPI_BYTE, &bytes) == MPI_SUCCESS) {
      incoming.bytes_received += static_cast<std::size_t>(bytes);
    }
    // Long messages are delivered from their lane, in order.
    if (--incoming.pieces_left == 0 && incoming.bulk && finish(sink, incoming)) ++delivered;
  });
  return delivered;
}

std::size_t MpiEndpoint::drain_lanes(Sink& sink, std::size_t limit) {
  std::size_t delivered = 0;
  for (auto lane = lanes_.begin(); lane != lanes_.end();) {
    Lane& waiting = lane->second;
    while (delivered < limit && !waiting.empty() && waiting.front()->pieces_left == 0) {
      const std::shared_ptr<Incoming> incoming = std::move(waiting.front());
      waiting.pop_front();
      if (finish(sink, *incoming)) ++delivered;
    }
    lane = waiting.empty() ? lanes_.erase(lane) : std::next(lane);
  }
  return delivered;
}

// Delivers a transfer that has arrived completely.
bool MpiEndpoint::finish(Sink& sink, Incoming& incoming) {
  if (incoming.code != MPI_SUCCESS) {
    fail(incoming.source, "receive: " + mpi_error_text(incoming.code));
    return false;
  }
  if (incoming.bytes_received != incoming.data.size()) {
    fail(incoming.source, "sent " + std::to_string(incoming.bytes_received) + " bytes where " +
                              std::to_string(incoming.data.size()) + " were announced");
    return false;
  }
  if (incoming.bulk) {
    sink.bulk(incoming.source, incoming.tag, std::move(incoming.data));
  } else {
    sink.message(incoming.source, std::move(incoming.data));
  }
  return true;
}

void MpiEndpoint::fail(Rank peer, std::string reason) {
  if (failed_[peer.index()]) return;
  failed_[peer.index()] = true;
  has_failures_ = true;
  new_failures_.emplace_back(peer, std::move(reason));
}

void MpiEndpoint::report_failures(Sink& sink) {
  for (const auto& [peer, reason] : std::exchange(new_failures_, {}))
    sink.peer_failed(peer, reason.c_str());
}

void MpiEndpoint::wait(MPI_Request request, const char* call) {
  DroppingSink sink;
  for (;;) {
    int ended = 0;
    check_mpi(MPI_Test(&request, &ended, MPI_STATUS_IGNORE), call);
    if (ended != 0) return;
    if (progress(sink, 1024) == 0) std::this_thread::yield();
  }
}

void MpiEndpoint::close(bool aborting) {
  if (std::exchange(closed_, true)) return;
  if (aborting) {
    sends_.abandon();
    receives_.abandon();
    ring_.abandon();
    channel_.abandon();
    return;
  }
  DroppingSink sink;
  while (!sends_.empty() || waiting_messages_ > 0) {
    if (progress(sink, 1024) == 0) std::this_thread::yield();
  }
  // A completed send may still be on its way. No rank leaves before the messages to it have
  // arrived.
  std::int64_t expected = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ireduce_scatter_block(sent_.data(), &expected, 1, MPI_INT64_T, MPI_SUM,
                                      channel_.messages, &request),
            "MPI_Ireduce_scatter_block");
  wait(request, "MPI_Ireduce_scatter_block");
  while (received_ < expected || !lanes_.empty()) {
    if (progress(sink, 1024) == 0) std::this_thread::yield();
  }
  check_mpi(MPI_Ibarrier(channel_.messages, &request), "MPI_Ibarrier");
  wait(request, "MPI_Ibarrier");
  receives_.cancel_all();  // bulk data that was announced and never sent
  ring_.cancel();
  channel_.free();
}

}  // namespace roam::transport
