// SPDX-License-Identifier: Apache-2.0
// The part of UcxEndpoint by which two ranks that share memory get a box for their short messages.
// A rank that has sent some messages asks for one; the receiver grants a box in its memory; the
// sender opens it, if it can, and uses it from then on. Until then, and whenever the box is full,
// messages are sent by UCX.
#include <algorithm>

#include "transport/ucx/ucx_endpoint.hpp"

namespace roam::transport {

void UcxEndpoint::ask_for_box(Peer& peer) {
  if (options_.fast_boxes > 0) send_with_header(peer, ask_header_, {});
}

void UcxEndpoint::handle_box_news() {
  for (const BoxNews& news : std::exchange(box_news_, {})) {
    if (news.peer->failed || !news.peer->shares_memory) continue;
    if (news.offer.empty()) {
      grant_box(*news.peer);
    } else {
      open_box(*news.peer, news.offer);
    }
  }
}

// Grants a box once to each peer, as long as there are boxes.
void UcxEndpoint::grant_box(Peer& peer) {
  if (peer.box_here != nullptr) return;
  if (boxes_ == nullptr) {
    const auto others = static_cast<std::size_t>(std::max(channel_.ranks_on_this_machine() - 1, 1));
    boxes_ = std::make_unique<BoxStore>(channel_.context(), std::min(options_.fast_boxes, others));
  }
  FastBox* const box = boxes_->grant();
  if (box == nullptr) return;
  peer.box_here = std::make_unique<FastBoxReader>(*box);
  box_peers_.push_back(&peer);
  const std::string offer = boxes_->offer(*box);
  core::Buffer data = core::Buffer::allocate(offer.size());
  data.append(offer.data(), offer.size());
  send_with_header(peer, offer_header_, std::move(data));
}

void UcxEndpoint::open_box(Peer& peer, const std::string& offer) {
  std::uint64_t address = 0;
  ucp_ep* const endpoint = connected(peer);
  if (endpoint == nullptr || peer.box_there != nullptr || offer.size() <= sizeof address) return;
  std::memcpy(&address, offer.data(), sizeof address);
  auto memory = std::make_unique<OpenedMemory>(endpoint, address, offer.substr(sizeof address));
  if (memory->data() != nullptr) peer.box_there = std::make_unique<OpenedBox>(std::move(memory));
}

// Sends to a number that every process has a handler for; the header says the rest.
void UcxEndpoint::send_with_header(Peer& peer, const Header& header, core::Buffer data) {
  ucp_ep* const endpoint = connected(peer);
  if (endpoint == nullptr) return;
  void* const request =
      ucp_am_send_nbx(endpoint, 0, &header, sizeof header, data.data(), data.size(), &eager_);
  if (request != nullptr) track(request, peer, std::move(data), "ucp_am_send_nbx");
}

}  // namespace roam::transport
