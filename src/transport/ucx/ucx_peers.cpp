// SPDX-License-Identifier: Apache-2.0
// The part of UcxEndpoint that connects peers, notices their loss, and leaves them.
#include <algorithm>
#include <thread>

#include "roam/core/error.hpp"
#include "transport/dropping_sink.hpp"
#include "transport/ucx/ucx_endpoint.hpp"

namespace roam::transport {

// Connects a peer; nullptr if it cannot be reached, which is then reported.
ucp_ep_h UcxEndpoint::connect(Peer& peer) {
  ucp_ep_params_t parameters{};
  parameters.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                          UCP_EP_PARAM_FIELD_ERR_HANDLER;
  parameters.address =
      reinterpret_cast<const ucp_address_t*>(channel_.process(peer.rank).address.data());
  // UCX 1.13 does not use shared memory if it has to handle errors. In that case the process watch
  // notices the end of a peer. Both sides decide in the same way, as they must.
  parameters.err_mode =
      peer.shares_memory ? UCP_ERR_HANDLING_MODE_NONE : UCP_ERR_HANDLING_MODE_PEER;
  parameters.err_handler = {&UcxEndpoint::on_failure, &peer};
  const ucs_status_t status = ucp_ep_create(channel_.worker(), &parameters, &peer.endpoint);
  if (status == UCS_OK) return peer.endpoint;
  peer.endpoint = nullptr;
  fail(peer, std::string("ucp_ep_create: ") + ucs_status_string(status));
  return nullptr;
}

void UcxEndpoint::on_failure(void* argument, ucp_ep_h /*endpoint*/, ucs_status_t status) {
  auto& peer = *static_cast<Peer*>(argument);
  peer.owner->fail(peer, std::string("UCX says ") + ucs_status_string(status));
}

void UcxEndpoint::look_for_lost() {
  while (const std::optional<LostProcess> lost = channel_.lost()) {
    if (lost->rank.value() >= 0 && lost->rank.value() < size())
      fail(peers_[lost->rank.index()], lost->reason);
  }
}

void UcxEndpoint::fail(Peer& peer, std::string reason) {
  if (peer.failed) return;
  peer.failed = true;
  reason += "; it was on host " + channel_.process(peer.rank).host;
  // UCX may hold them still, but nobody will receive them any more.
  for (Outgoing& outgoing : outgoing_) {
    if (outgoing.destination != peer.rank || std::exchange(outgoing.is_lost, true)) continue;
    add_unsent(std::size_t{0} - std::exchange(outgoing.bytes, 0));
    ++lost_outgoing_;
  }
  set_aside_lane(peer);
  if (first_failure_.empty() && !peer.is_helper)
    first_failure_ = "rank " + std::to_string(peer.rank.value()) + " was lost: " + reason;
  new_failures_.emplace_back(peer.rank, std::move(reason));
}

// What has not arrived completely never will, but UCX holds its memory.
void UcxEndpoint::set_aside_lane(Peer& peer) {
  if (!peer.is_helper || peer.lane == nullptr) return;
  lost_lanes_.push_back(std::move(peer.lane));
  --lanes_;
}

void UcxEndpoint::report_failures(Sink& sink) {
  for (const auto& [peer, reason] : std::exchange(new_failures_, {}))
    sink.peer_failed(peer, reason.c_str());
}

// Makes progress until done(). False if a peer is lost before.
template <class Done>
bool UcxEndpoint::progress_until(Done&& done) {
  DroppingSink sink;
  while (!done()) {
    if (!first_failure_.empty()) return false;
    if (progress(sink, 1024) == 0) std::this_thread::yield();
  }
  return true;
}

// Makes tree_ hold the result. False if a peer is lost before.
bool UcxEndpoint::sum_over_ranks(std::size_t round, const ClosingTree::Numbers& mine) {
  tree_.add(round, mine);
  if (!progress_until([&] { return tree_.is_complete(round); })) return false;
  if (const std::optional<Rank> parent = tree_.parent()) {
    send_closing(*parent, round, tree_.sum(round));
    if (!progress_until([&] { return tree_.result(round) != nullptr; })) return false;
  }
  for (const Rank child : tree_.children()) send_closing(child, round, *tree_.result(round));
  return true;
}

void UcxEndpoint::send_closing(Rank destination, std::size_t round,
                               const ClosingTree::Numbers& numbers) {
  send_with_header(peers_[destination.index()], closing_header_, ClosingTree::pack(round, numbers));
}

void UcxEndpoint::close(bool aborting) {
  if (std::exchange(closed_, true)) return;
  // After the loss of a peer no collective operation can end.
  if (aborting || !first_failure_.empty()) {
    abandon();
    return;
  }
  if (rank_.value() >= members_) {
    close_as_helper();
    return;
  }
  // A completed send may still be on its way. No rank leaves before the messages to it have
  // arrived.
  ClosingTree::Numbers sent;
  for (const Peer& peer : peers_)
    if (!peer.is_helper) sent.push_back(peer.sent);
  const auto all_received = [&] {
    return lanes_ == 0 && received_ >= (*tree_.result(0))[rank().index()];
  };
  if (!progress_until([&] { return is_all_sent(); }) || !sum_over_ranks(0, sent) ||
      !progress_until(all_received)) {
    abandon();
    throw Error("while the job was closing, " + first_failure_);
  }
  if (members_ < size()) {
    close_with_helpers();
    return;
  }
  // A rank that is lost from here on has most likely left, as this rank is about to.
  static_cast<void>(sum_over_ranks(1, {}));
  static_cast<void>(progress_until([&] { return outgoing_.empty(); }));
  channel_.bootstrap().leave();
  cancel_receives();
  disconnect();
  if (outgoing_.empty() && bulks_.empty()) {
    boxes_.reset();
    channel_.release();
    drop_arrivals();
  } else {
    abandon();
  }
}

// Tells the others. A rank that is lost from here on has most likely left.
void UcxEndpoint::close_as_helper() {
  for (std::int32_t rank = 0; rank < members_; ++rank) send_closing(Rank(rank), 1, {});
  static_cast<void>(progress_until([&] { return is_all_sent(); }));
  abandon();
}

// What this rank has sent to a helper last, the news that the job is over, has arrived when the
// helper closes. A helper may be gone before all have left, and others may be lost: the memory that
// UCX may use then is not freed.
void UcxEndpoint::close_with_helpers() {
  const auto has_gone = [](const Peer& peer) {
    return !peer.is_helper || peer.has_left || peer.failed;
  };
  static_cast<void>(progress_until([&] { return std::ranges::all_of(peers_, has_gone); }));
  static_cast<void>(sum_over_ranks(1, {}));
  static_cast<void>(progress_until([&] { return is_all_sent(); }));
  channel_.bootstrap().leave();
  abandon();
}

// Cancels the receives of bulk data that was announced and never sent.
void UcxEndpoint::cancel_receives() {
  std::vector<void*> requests;
  for (const auto& [incoming, owned] : bulks_) {
    if (incoming->request != nullptr) requests.push_back(incoming->request);
  }
  for (void* request : requests) ucp_request_cancel(channel_.worker(), request);
}

void UcxEndpoint::disconnect() {
  std::vector<void*> requests;
  for (Peer& peer : peers_) {
    peer.box_there.reset();
    if (peer.endpoint == nullptr || peer.failed) continue;
    ucp_request_param_t parameters{};
    void* const request = ucp_ep_close_nbx(std::exchange(peer.endpoint, nullptr), &parameters);
    if (UCS_PTR_IS_PTR(request)) requests.push_back(request);
  }
  // Peers may have gone already, so the number of attempts is limited.
  for (int i = 0; i < 10000 && !requests.empty(); ++i) {
    ucp_worker_progress(channel_.worker());
    std::erase_if(requests, [](void* request) {
      if (ucp_request_check_status(request) == UCS_INPROGRESS) return false;
      ucp_request_free(request);
      return true;
    });
  }
  for (void* request : requests) ucp_request_free(request);
}

// UCX 1.13 crashes if a worker is destroyed while transfers, or connections being made, are under
// way; and a network may still write into their memory. So UCX and that memory are not freed until
// the process ends.
void UcxEndpoint::abandon() {
  channel_.abandon();
  static_cast<void>(new std::list<Outgoing>(std::move(outgoing_)));
  static_cast<void>(new decltype(bulks_)(std::move(bulks_)));
  static_cast<void>(new decltype(lost_lanes_)(std::move(lost_lanes_)));
  static_cast<void>(boxes_.release());
  for (Peer& peer : peers_) {
    static_cast<void>(peer.lane.release());
    static_cast<void>(peer.box_there.release());
  }
  drop_arrivals();
}

void UcxEndpoint::drop_arrivals() {
  for (; next_arrival_ < arrived_.size(); ++next_arrival_)
    core::Buffer::adopt(arrived_[next_arrival_].data).reset();
  arrived_.clear();
  next_arrival_ = 0;
}

}  // namespace roam::transport
