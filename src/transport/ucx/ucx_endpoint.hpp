// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "roam/transport/endpoint.hpp"
#include "transport/receive_pools.hpp"
#include "transport/ucx/box_store.hpp"
#include "transport/ucx/closing_tree.hpp"
#include "transport/ucx/ucx_channel.hpp"

namespace roam::transport {

/// Messages are active messages of UCX whose number tells the sender, so that Roam adds no header;
/// UCX preserves the order of those of a pair. Short ones are copied out of UCX's memory inside its
/// callback. UCX announces the size of a long one in order, and its data follows into its final
/// place: what the same sender has sent meanwhile waits in a lane. Bulk data is matched by tag.
///
/// Two processes that share memory soon have a box (FastBox) in it for the short messages from one
/// to the other. The pair's messages that are sent by UCX meanwhile are counted at both ends, so
/// that the order is preserved.
///
/// UCX calls back inside progress(); such a callback may send but must not make progress. It gives
/// a message to the sink at once, unless others wait before it. If others wait, and always for long
/// messages and bulk data, callbacks only queue what has arrived, and the sink gets it afterwards.
class UcxEndpoint final : public Endpoint {
 public:
  /// The number of bytes that this class needs in front of each request of UCX.
  static const std::size_t request_bytes;

  /// `channel` must outlive the endpoint.
  UcxEndpoint(UcxChannel& channel, const UcxOptions& options);
  ~UcxEndpoint() override;

  Rank rank() const override { return rank_; }
  std::int32_t size() const override { return channel_.size(); }
  const Capabilities& capabilities() const override { return capabilities_; }
  void send(Rank destination, core::Buffer&& data) override;
  void send_bulk(Rank destination, BulkTag tag, core::Buffer&& data) override;
  void receive_bulk(Rank source, BulkTag tag, std::size_t size, core::Buffer target) override;
  std::size_t progress(Sink& sink, std::size_t limit) override;
  std::size_t unsent_bytes() const override {
    return unsent_bytes_.load(std::memory_order_relaxed);
  }
  std::size_t held_bytes() const override { return pools_.bytes_in_use(); }
  void set_waker(std::function<void()> /*waker*/) override {}
  void close(bool aborting) override;

 private:
  struct Outgoing {
    core::Buffer data;
    Rank destination;
    std::size_t bytes = 0;  // the number that counts as unsent
    bool is_lost = false;   // to a peer that is lost: it may stay with UCX for ever
  };
  struct Incoming {
    UcxEndpoint* owner = nullptr;
    Rank source;
    BulkTag tag = 0;
    bool is_bulk = false;
    bool is_complete = false;
    ucs_status_t status = UCS_OK;
    std::size_t bytes_received = 0;
    core::Buffer data;
    void* request = nullptr;  // set while UCX uses it
  };
  struct SendRecord;
  using Lane = std::deque<std::unique_ptr<Incoming>>;
  struct Peer {
    UcxEndpoint* owner = nullptr;
    Rank rank;
    bool failed = false;
    bool shares_memory = false;
    bool is_helper = false;
    bool has_left = false;        // a helper, in order
    ucp_ep_h endpoint = nullptr;  // made for the first message
    std::size_t eager_below = 0;  // messages shorter than this are copied at once
    std::int64_t sent = 0;        // the number of messages
    std::unique_ptr<Lane> lane;   // exists while the peer has a long message under way
    // Messages sent by UCX and not by boxes; modulo 2^32, as both ends count them.
    std::uint32_t by_ucx_sent = 0;
    std::uint32_t by_ucx_received = 0;
    std::unique_ptr<OpenedBox> box_there;     // for messages to the peer
    std::unique_ptr<FastBoxReader> box_here;  // for messages from the peer
  };
  // Plain words, because one is moved for every message. `data` is a released buffer.
  struct Arrival {
    core::MpscNode* data;
    Rank source;
    BulkTag tag;
    bool is_bulk;
  };
  enum class Purpose : std::uint32_t { message, closing, ask_for_box, offer_box };
  struct Header {
    std::int32_t source;
    Purpose purpose;
  };

  static ucs_status_t on_message(void* peer, const void* header, std::size_t header_bytes,
                                 void* data, std::size_t bytes,
                                 const ucp_am_recv_param_t* parameters);
  template <class Function>
  void guard(Function function);
  ucs_status_t receive(Peer* peer, const void* header, std::size_t header_bytes, void* data,
                       std::size_t bytes, const ucp_am_recv_param_t* parameters);
  static void on_sent(void* request, ucs_status_t status, void* endpoint);
  static void on_bulk(void* request, ucs_status_t status, const ucp_tag_recv_info_t* info,
                      void* incoming);
  static void on_long(void* request, ucs_status_t status, std::size_t bytes, void* incoming);
  static void on_failure(void* peer, ucp_ep_h endpoint, ucs_status_t status);

  // The UCX endpoint of a peer; nullptr if the peer is lost.
  [[nodiscard]] ucp_ep_h connected(Peer& peer) {
    if (peer.failed) return nullptr;
    return peer.endpoint != nullptr ? peer.endpoint : connect(peer);
  }
  ucp_ep_h connect(Peer& peer);
  void track(void* request, Peer& peer, core::Buffer data, const char* call);
  Peer* sender_of(const void* header, std::size_t header_bytes, const void* data, std::size_t bytes,
                  bool is_long);
  void accept(Peer& peer, const void* data, std::size_t bytes);
  void take(Peer& peer, core::Buffer data);
  void count_received(const Peer& peer) { received_ += peer.is_helper ? 0 : 1; }
  // Queues an arrival. What comes after it has to be queued, too.
  void queue(const Arrival& arrival) {
    arrived_.push_back(arrival);
    sink_ = nullptr;
  }
  ucs_status_t take_long(Peer& peer, void* announcement, std::size_t bytes);
  void complete(Incoming& incoming, ucs_status_t status, std::size_t bytes);
  void drain(Peer& peer);
  [[nodiscard]] bool is_intact(const Incoming& incoming);
  std::size_t deliver(Sink& sink, std::size_t limit);
  void look_for_lost();
  void fail(Peer& peer, std::string reason);
  void report_failures(Sink& sink);
  void add_unsent(std::size_t bytes) {
    unsent_bytes_.store(unsent_bytes() + bytes, std::memory_order_relaxed);
  }

  // Boxes.
  struct BoxNews {
    Peer* peer;
    std::string offer;  // empty: the peer asks for a box
  };
  void ask_for_box(Peer& peer);
  void handle_box_news();
  void grant_box(Peer& peer);
  void open_box(Peer& peer, const std::string& offer);
  void poll_boxes();
  bool take_from_box(Peer& peer);

  void send_with_header(Peer& peer, const Header& header, core::Buffer data);

  // Closing.
  template <class Done>
  bool progress_until(Done&& done);
  /// What is left to be sent goes to lost helpers.
  [[nodiscard]] bool is_all_sent() const { return outgoing_.size() == lost_outgoing_; }
  void close_as_helper();
  void close_with_helpers();
  void set_aside_lane(Peer& peer);
  bool sum_over_ranks(std::size_t round, const ClosingTree::Numbers& mine);
  void send_closing(Rank destination, std::size_t round, const ClosingTree::Numbers& numbers);
  void disconnect();
  void cancel_receives();
  void drop_arrivals();
  void abandon();

  UcxChannel& channel_;
  const UcxOptions options_;
  Capabilities capabilities_;
  const Rank rank_;
  const std::int32_t members_;  // the number of ranks that are no helpers
  // Members, because UCX reads them when it sends, which may be later.
  const Header message_header_;
  const Header closing_header_;
  const Header ask_header_;
  const Header offer_header_;
  // The number of an active message identifies its sender if there are enough numbers; else its
  // header does.
  const unsigned number_;
  const Header* const header_;
  const std::size_t header_bytes_;
  ucp_request_param_t eager_{};   // how to send what UCX must copy at once
  ucp_request_param_t chosen_{};  // how to send what UCX may send as it chooses
  ucp_worker* const worker_;
  ReceivePools pools_;
  std::vector<Peer> peers_;          // by rank
  std::unique_ptr<BoxStore> boxes_;  // made when the first box is granted
  std::vector<Peer*> box_peers_;     // those that have a box here
  std::size_t first_box_ = 0;        // index in box_peers_ of the box to look at first
  std::uint32_t box_turns_ = 0;      // calls of progress() that have left out UCX
  std::vector<BoxNews> box_news_;    // to be handled outside UCX's callbacks
  std::list<Outgoing> outgoing_;
  std::size_t lost_outgoing_ = 0;                  // of these, the number of those to lost peers
  std::vector<std::unique_ptr<Lane>> lost_lanes_;  // of lost helpers: UCX may still use them
  std::size_t lanes_ = 0;                          // the number of lanes of all peers
  std::unordered_map<Incoming*, std::unique_ptr<Incoming>> bulks_;  // announced and not arrived yet
  std::vector<Arrival> arrived_;
  std::size_t next_arrival_ = 0;  // index in arrived_
  // The sink, while UCX makes progress and messages are given to it at once; nullptr if others wait
  // or the limit has been reached.
  Sink* sink_ = nullptr;
  std::size_t handed_over_ = 0;
  std::size_t hand_over_limit_ = 0;
  std::exception_ptr thrown_;  // thrown by the sink, inside a callback of UCX
  std::int64_t received_ = 0;  // the number of messages, from all other ranks but helpers
  std::uint32_t calls_ = 0;    // the number of calls of progress()
  // Written by the thread that has the endpoint, read by any.
  std::atomic<std::size_t> unsent_bytes_{0};
  std::vector<std::pair<Rank, std::string>> new_failures_;
  std::string first_failure_;  // "rank 3: why"; not of a helper, which ends no job
  ClosingTree tree_;
  bool closed_ = false;
};

// Processes a message that has arrived completely, in the order sent. UCX calls it too, and must
// not see exceptions: progress() throws what the sink throws.
inline void UcxEndpoint::accept(Peer& peer, const void* data, std::size_t bytes) {
  count_received(peer);
  core::Buffer copy = pools_.take(bytes);
  copy.set_size(bytes);
  if (bytes != 0) std::memcpy(copy.data(), data, bytes);
  if (sink_ == nullptr || peer.lane != nullptr) {
    take(peer, std::move(copy));
    return;
  }
  // In the usual case no message waits before it, so that it need not be queued.
  Sink& sink = *sink_;
  if (++handed_over_ == hand_over_limit_) sink_ = nullptr;
  try {
    sink.message(peer.rank, std::move(copy));
  } catch (...) {
    thrown_ = std::current_exception();
    sink_ = nullptr;
  }
}

}  // namespace roam::transport
