// SPDX-License-Identifier: Apache-2.0
#include "transport/ucx/ucx_endpoint.hpp"

#include <cassert>
#include <cstring>

#include "roam/core/error.hpp"
#include "transport/ucx/ucx_error.hpp"

namespace roam::transport {

namespace {

// The number of handlers: active messages of UCX have 16-bit numbers.
constexpr std::int32_t handler_numbers = 1 << 16;
// How many calls of progress() pass between two looks for lost processes: a look is a system call
// and must not burden each of them. An idle rank sleeps at most half a millisecond between calls,
// so that it looks about once a second.
constexpr std::uint32_t calls_per_look = 2048;
// A rank that has sent this many messages to a peer asks it for a box.
constexpr std::uint32_t messages_before_box = 16;
// While boxes have messages, at most this many calls of progress() in a row leave out UCX.
constexpr std::uint32_t turns_without_ucx = 7;

std::uint64_t wire_tag(Rank source, BulkTag tag) {
  return std::uint64_t{source.index()} << 32 | tag;
}

}  // namespace

// The memory in front of the request of a send.
struct UcxEndpoint::SendRecord {
  std::list<Outgoing>::iterator outgoing;
};
const std::size_t UcxEndpoint::request_bytes = sizeof(SendRecord);

UcxEndpoint::UcxEndpoint(UcxChannel& channel, const UcxOptions& options)
    : channel_(channel),
      options_(options),
      rank_(channel.rank()),
      members_(channel.size() - options.helpers),
      message_header_{channel.rank().value(), Purpose::message},
      closing_header_{channel.rank().value(), Purpose::closing},
      ask_header_{channel.rank().value(), Purpose::ask_for_box},
      offer_header_{channel.rank().value(), Purpose::offer_box},
      number_(channel.size() <= handler_numbers ? static_cast<unsigned>(channel.rank().value())
                                                : 0),
      header_(channel.size() <= handler_numbers ? nullptr : &message_header_),
      header_bytes_(channel.size() <= handler_numbers ? 0 : sizeof message_header_),
      worker_(channel.worker()),
      peers_(static_cast<std::size_t>(channel.size())),
      tree_(channel.rank(), members_) {
  capabilities_.max_message_bytes = options_.max_message_bytes;
  capabilities_.batch_bytes = 4096;
  eager_.op_attr_mask =
      UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS;
  eager_.cb.send = &UcxEndpoint::on_sent;
  eager_.user_data = this;
  chosen_ = eager_;
  eager_.flags = UCP_AM_SEND_FLAG_EAGER;
  for (std::int32_t i = 0; i < size(); ++i) {
    Peer& peer = peers_[static_cast<std::size_t>(i)];
    peer.owner = this;
    peer.rank = i;
    peer.is_helper = i >= members_;
    peer.shares_memory =
        i == rank().value() || (options_.share_memory && channel.process(i).watched);
    peer.eager_below = peer.shares_memory ? options_.eager_bytes + 1 : 0;
    if (i > 0 && header_ != nullptr) continue;
    ucp_am_handler_param_t handler{};
    handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB |
                         UCP_AM_HANDLER_PARAM_FIELD_ARG;
    handler.id = static_cast<unsigned>(i);
    handler.cb = &UcxEndpoint::on_message;
    handler.arg = &peer;
    check_ucx(ucp_worker_set_am_recv_handler(channel.worker(), &handler),
              "ucp_worker_set_am_recv_handler");
  }
}

UcxEndpoint::~UcxEndpoint() { close(true); }

void UcxEndpoint::send(Rank destination, core::Buffer&& data) {
  assert(destination.value() >= 0 && destination.value() < size() &&
         data.size() <= options_.max_message_bytes);
  Peer& peer = peers_[destination.index()];
  if (destination == rank_) {
    // Copied into memory that counts as held, like all that arrives, and not delivered at once: the
    // sink, which may be the caller, must not be entered twice.
    core::Buffer copy = pools_.take(data.size());
    copy.append(data.data(), data.size());
    queue({copy.release(), destination, 0, false});
    return;
  }
  ucp_ep* const endpoint = connected(peer);
  if (endpoint == nullptr) return;
  ++peer.sent;
  if (peer.box_there != nullptr && data.size() <= FastBox::piece &&
      peer.box_there->writer.write(peer.by_ucx_sent, data.data(), data.size())) {
    return;
  }
  if (++peer.by_ucx_sent == messages_before_box && peer.shares_memory) ask_for_box(peer);
  void* const request =
      ucp_am_send_nbx(endpoint, number_, header_, header_bytes_, data.data(), data.size(),
                      data.size() < peer.eager_below ? &eager_ : &chosen_);
  if (request != nullptr) track(request, peer, std::move(data), "ucp_am_send_nbx");
}

void UcxEndpoint::send_bulk(Rank destination, BulkTag tag, core::Buffer&& data) {
  assert(destination.value() >= 0 && destination.value() < size());
  Peer& peer = peers_[destination.index()];
  ucp_ep* const endpoint = connected(peer);
  if (endpoint == nullptr) return;
  ucp_request_param_t parameters = chosen_;
  parameters.op_attr_mask &= ~std::uint32_t{UCP_OP_ATTR_FIELD_FLAGS};
  void* const request =
      ucp_tag_send_nbx(endpoint, data.data(), data.size(), wire_tag(rank(), tag), &parameters);
  if (request != nullptr) track(request, peer, std::move(data), "ucp_tag_send_nbx");
}

// Stores a send that UCX has not completed at once.
void UcxEndpoint::track(void* request, Peer& peer, core::Buffer data, const char* call) {
  if (UCS_PTR_IS_ERR(request)) {
    fail(peer, std::string(call) + ": " + ucs_status_string(UCS_PTR_STATUS(request)));
    return;
  }
  // An empty message that has not left yet counts, too.
  const std::size_t bytes = data.size();
  add_unsent(bytes);
  outgoing_.push_front({std::move(data), peer.rank, bytes});
  ::new (request) SendRecord{outgoing_.begin()};
}

void UcxEndpoint::on_sent(void* request, ucs_status_t status, void* endpoint) {
  auto& self = *static_cast<UcxEndpoint*>(endpoint);
  const auto outgoing = static_cast<SendRecord*>(request)->outgoing;
  // Counted off once: fail() counts off all that is still on its way to the lost peer.
  self.add_unsent(std::size_t{0} - std::exchange(outgoing->bytes, 0));
  if (status != UCS_OK) {
    self.fail(self.peers_[outgoing->destination.index()],
              std::string("send: ") + ucs_status_string(status));
  }
  if (outgoing->is_lost) --self.lost_outgoing_;
  self.outgoing_.erase(outgoing);
  ucp_request_free(request);
}

void UcxEndpoint::receive_bulk(Rank source, BulkTag tag, std::size_t bytes, core::Buffer target) {
  assert(!target || target.size() == bytes);
  auto owned = std::make_unique<Incoming>();
  Incoming& incoming = *owned;
  incoming.owner = this;
  incoming.source = source;
  incoming.tag = tag;
  incoming.is_bulk = true;
  incoming.data = target ? std::move(target) : pools_.take(bytes);
  incoming.data.set_size(bytes);
  bulks_.emplace(&incoming, std::move(owned));
  ucp_request_param_t parameters{};
  // UCX always calls the callback, also for data that has arrived: otherwise UCX 1.13 does not tell
  // its size.
  parameters.op_attr_mask =
      UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
  parameters.cb.recv = &UcxEndpoint::on_bulk;
  parameters.user_data = &incoming;
  void* const request = ucp_tag_recv_nbx(channel_.worker(), incoming.data.data(), bytes,
                                         wire_tag(source, tag), ~ucp_tag_t{0}, &parameters);
  if (UCS_PTR_IS_ERR(request)) {
    complete(incoming, UCS_PTR_STATUS(request), 0);
  } else if (const auto waiting = bulks_.find(&incoming); waiting != bulks_.end()) {
    waiting->second->request = request;
  }
}

void UcxEndpoint::on_bulk(void* request, ucs_status_t status, const ucp_tag_recv_info_t* info,
                          void* incoming) {
  auto& done = *static_cast<Incoming*>(incoming);
  UcxEndpoint& self = *done.owner;
  self.guard([&] { self.complete(done, status, status == UCS_OK ? info->length : 0); });
  ucp_request_free(request);
}

// For functions that UCX calls, which must not let exceptions escape: progress() throws what
// `function` throws, including std::bad_alloc if there is no memory for a message.
template <class Function>
inline void UcxEndpoint::guard(Function function) {
  try {
    function();
  } catch (...) {
    if (thrown_ == nullptr) thrown_ = std::current_exception();
    sink_ = nullptr;
  }
}

ucs_status_t UcxEndpoint::on_message(void* argument, const void* header, std::size_t header_bytes,
                                     void* data, std::size_t bytes,
                                     const ucp_am_recv_param_t* parameters) {
  auto* const peer = static_cast<Peer*>(argument);
  ucs_status_t status = UCS_OK;
  peer->owner->guard(
      [&] { status = peer->owner->receive(peer, header, header_bytes, data, bytes, parameters); });
  return status;
}

ucs_status_t UcxEndpoint::receive(Peer* peer, const void* header, std::size_t header_bytes,
                                  void* data, std::size_t bytes,
                                  const ucp_am_recv_param_t* parameters) {
  const bool is_long = (parameters->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0;
  if (header_bytes != 0) {
    peer = sender_of(header, header_bytes, data, bytes, is_long);
    if (peer == nullptr) return UCS_OK;
  }
  if (peer->failed) return UCS_OK;
  // Messages that were put into the sender's box before this message come before it.
  if (peer->box_here != nullptr) {
    while (take_from_box(*peer)) {
    }
  }
  ++peer->by_ucx_received;
  if (bytes > options_.max_message_bytes) {
    count_received(*peer);
    fail(*peer, "sent a message longer than the limit");
    return UCS_OK;
  }
  if (is_long) return take_long(*peer, data, bytes);
  accept(*peer, data, bytes);
  return UCS_OK;
}

// Delivers all that is in the boxes, as far as the sink takes it; begins with another box each
// time.
void UcxEndpoint::poll_boxes() {
  const std::size_t count = box_peers_.size();
  if (++first_box_ >= count) first_box_ = 0;
  std::size_t next = first_box_;
  for (std::size_t i = 0; i < count && sink_ != nullptr; ++i) {
    Peer& peer = *box_peers_[next];
    if (++next == count) next = 0;
    if (!peer.box_here->look()) continue;
    while (take_from_box(peer) && sink_ != nullptr) {
    }
  }
}

// Delivers a message from the peer's box. False if there is none, or if a message by UCX comes
// before it.
bool UcxEndpoint::take_from_box(Peer& peer) {
  FastBoxReader& box = *peer.box_here;
  if (!box.look() || box.before() != peer.by_ucx_received || peer.failed) return false;
  if (box.bytes() > FastBox::piece) {
    fail(peer, "sent a message that does not fit its box");
    return false;
  }
  accept(peer, box.data(), box.bytes());
  box.next();
  return true;
}

// The sender of an active message with a header; nullptr if the message is not for the sink.
UcxEndpoint::Peer* UcxEndpoint::sender_of(const void* header, std::size_t header_bytes,
                                          const void* data, std::size_t bytes, bool is_long) {
  Header head{};
  // A message with another header does not come from a rank of this job and is dropped.
  if (header_bytes != sizeof head) return nullptr;
  std::memcpy(&head, header, sizeof head);
  if (head.source < 0 || head.source >= size()) return nullptr;
  Peer& peer = peers_[static_cast<std::size_t>(head.source)];
  if (head.purpose == Purpose::message) return &peer;
  if (head.purpose == Purpose::closing && peer.is_helper) {
    peer.has_left = true;
  } else if (head.purpose == Purpose::closing) {
    if (is_long || !tree_.take(peer.rank, data, bytes))
      fail(peer, "sent a closing message that does not fit");
  } else if (!is_long && head.purpose <= Purpose::offer_box) {
    box_news_.push_back({&peer, std::string(static_cast<const char*>(data), bytes)});
  }
  return nullptr;
}

// Stores a message that has arrived completely and, because of the order, has to wait.
void UcxEndpoint::take(Peer& peer, core::Buffer data) {
  if (peer.lane == nullptr) {
    queue({data.release(), peer.rank, 0, false});
    return;
  }
  auto incoming = std::make_unique<Incoming>();
  incoming->source = peer.rank;
  incoming->is_complete = true;
  incoming->bytes_received = data.size();
  incoming->data = std::move(data);
  peer.lane->push_back(std::move(incoming));
}

ucs_status_t UcxEndpoint::take_long(Peer& peer, void* announcement, std::size_t bytes) {
  count_received(peer);
  if (peer.lane == nullptr) {
    peer.lane = std::make_unique<Lane>();
    ++lanes_;
  }
  Incoming& incoming = *peer.lane->emplace_back(std::make_unique<Incoming>());
  incoming.owner = this;
  incoming.source = peer.rank;
  incoming.data = pools_.take(bytes);
  incoming.data.set_size(bytes);
  std::size_t received = 0;
  ucp_request_param_t parameters{};
  parameters.op_attr_mask =
      UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_RECV_INFO;
  parameters.cb.recv_am = &UcxEndpoint::on_long;
  parameters.user_data = &incoming;
  parameters.recv_info.length = &received;
  void* const request = ucp_am_recv_data_nbx(channel_.worker(), announcement, incoming.data.data(),
                                             bytes, &parameters);
  if (UCS_PTR_IS_PTR(request)) {
    incoming.request = request;
    return UCS_INPROGRESS;
  }
  complete(incoming, UCS_PTR_STATUS(request), received);
  return UCS_OK;
}

void UcxEndpoint::on_long(void* request, ucs_status_t status, std::size_t bytes, void* incoming) {
  auto& done = *static_cast<Incoming*>(incoming);
  UcxEndpoint& self = *done.owner;
  self.guard([&] { self.complete(done, status, bytes); });
  ucp_request_free(request);
}

// May destroy `incoming`.
void UcxEndpoint::complete(Incoming& incoming, ucs_status_t status, std::size_t bytes) {
  incoming.request = nullptr;
  incoming.is_complete = true;
  incoming.status = status;
  incoming.bytes_received = bytes;
  if (!incoming.is_bulk) {
    drain(peers_[incoming.source.index()]);
    return;
  }
  if (is_intact(incoming)) {
    queue({incoming.data.release(), incoming.source, incoming.tag, true});
  }
  bulks_.erase(&incoming);
}

void UcxEndpoint::drain(Peer& peer) {
  if (peer.lane == nullptr) return;  // set aside, since the peer is lost
  Lane& lane = *peer.lane;
  while (!lane.empty() && lane.front()->is_complete) {
    const std::unique_ptr<Incoming> first = std::move(lane.front());
    lane.pop_front();
    if (is_intact(*first)) {
      queue({first->data.release(), first->source, 0, false});
    }
  }
  if (!lane.empty() || peer.lane == nullptr) return;
  peer.lane.reset();
  --lanes_;
}

bool UcxEndpoint::is_intact(const Incoming& incoming) {
  Peer& peer = peers_[incoming.source.index()];
  if (incoming.status != UCS_OK) {
    fail(peer, std::string("receive: ") + ucs_status_string(incoming.status));
    return false;
  }
  if (incoming.bytes_received != incoming.data.size()) {
    fail(peer, "sent " + std::to_string(incoming.bytes_received) + " bytes where " +
                   std::to_string(incoming.data.size()) + " were announced");
    return false;
  }
  return true;
}

std::size_t UcxEndpoint::progress(Sink& sink, std::size_t limit) {
  std::size_t delivered = arrived_.empty() ? 0 : deliver(sink, limit);
  if (delivered < limit) {
    handed_over_ = 0;
    hand_over_limit_ = limit - delivered;
    if (arrived_.empty()) sink_ = &sink;
    if (!box_peers_.empty()) poll_boxes();
    if (handed_over_ == 0 || ++box_turns_ > turns_without_ucx) {
      box_turns_ = 0;
      ucp_worker_progress(worker_);
    }
    sink_ = nullptr;
    if (!box_news_.empty()) handle_box_news();
    if (thrown_ != nullptr) std::rethrow_exception(std::exchange(thrown_, nullptr));
    delivered += handed_over_;
    if (!arrived_.empty()) delivered += deliver(sink, limit - delivered);
  }
  if (++calls_ % calls_per_look == 0) look_for_lost();
  if (!new_failures_.empty()) report_failures(sink);
  return delivered;
}

// The sink may send from within, also to this rank.
std::size_t UcxEndpoint::deliver(Sink& sink, std::size_t limit) {
  std::size_t delivered = 0;
  while (delivered < limit && next_arrival_ < arrived_.size()) {
    const Arrival arrival = arrived_[next_arrival_++];
    ++delivered;
    if (arrival.is_bulk) {
      sink.bulk(arrival.source, arrival.tag, core::Buffer::adopt(arrival.data));
    } else {
      sink.message(arrival.source, core::Buffer::adopt(arrival.data));
    }
  }
  if (next_arrival_ == arrived_.size()) {
    arrived_.clear();
    next_arrival_ = 0;
  }
  return delivered;
}

}  // namespace roam::transport
