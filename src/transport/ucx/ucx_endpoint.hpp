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

/// Messages are active messages of UCX whose number says who sent them, so that they need no header
/// of ours; UCX keeps those of a pair in order. Short ones are copied out of UCX's memory inside
/// its callback. Of a long one UCX announces the size in order, and the data follow into place:
/// what the same sender sent meanwhile waits in a lane. Bulk data are matched by tag.
///
/// Two processes that share memory soon have a box (FastBox) in it for the short messages of one to
/// the other. Those of a pair that go by UCX meanwhile are counted at both ends, which keeps order.
///
/// UCX calls back inside progress(), where it may be told to send but not to make progress: a
/// message goes to the sink from there, unless others wait before it. Then, and always for long
/// messages and bulk data, callbacks only queue what has arrived, for the sink to get afterwards.
class UcxEndpoint final : public Endpoint {
 public:
  /// Bytes this class needs in front of each request of UCX.
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
    std::size_t bytes = 0;  // that count as unsent
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
    void* request = nullptr;  // while UCX has it
  };
  struct SendRecord;
  using Lane = std::deque<std::unique_ptr<Incoming>>;
  struct Peer {
    UcxEndpoint* owner = nullptr;
    Rank rank;
    bool failed = false;
    bool shares_memory = false;
    ucp_ep_h endpoint = nullptr;  // from the first message on
    std::size_t eager_below = 0;  // messages shorter than this are copied at once
    std::int64_t sent = 0;        // messages
    std::unique_ptr<Lane> lane;   // while it has a long message under way
    // Messages by UCX, the others being in boxes; modulo 2^32, as both ends count.
    std::uint32_t by_ucx_sent = 0;
    std::uint32_t by_ucx_received = 0;
    std::unique_ptr<OpenedBox> box_there;     // for messages to it
    std::unique_ptr<FastBoxReader> box_here;  // for messages from it
  };
  // Plain words, since one is moved for every message: `data` is a released buffer.
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

  // nullptr if the peer is lost.
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
  // What comes after it has to be queued too.
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
    std::string offer;  // empty: it asks for a box
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
  const Header message_header_;  // UCX reads them when it sends, which may be later
  const Header closing_header_;
  const Header ask_header_;
  const Header offer_header_;
  // The number of an active message names its sender where numbers suffice, else its header does.
  const unsigned number_;
  const Header* const header_;
  const std::size_t header_bytes_;
  ucp_request_param_t eager_{};   // how to send what UCX must copy at once
  ucp_request_param_t chosen_{};  // how to send what goes as UCX chooses
  ucp_worker* const worker_;
  ReceivePools pools_;
  std::vector<Peer> peers_;          // by rank
  std::unique_ptr<BoxStore> boxes_;  // from the first one on
  std::vector<Peer*> box_peers_;     // that have a box here
  std::size_t first_box_ = 0;        // index in box_peers_: where to look first
  std::uint32_t box_turns_ = 0;      // of progress() that left out UCX
  std::vector<BoxNews> box_news_;    // to be handled outside UCX's callbacks
  std::list<Outgoing> outgoing_;
  std::size_t lanes_ = 0;                                           // of all peers
  std::unordered_map<Incoming*, std::unique_ptr<Incoming>> bulks_;  // announced, not yet here
  std::vector<Arrival> arrived_;
  std::size_t next_arrival_ = 0;  // index in arrived_
  // While UCX makes progress: where messages go at once, unless others wait or the limit is
  // reached.
  Sink* sink_ = nullptr;
  std::size_t handed_over_ = 0;
  std::size_t hand_over_limit_ = 0;
  std::exception_ptr thrown_;                 // by the sink, inside a callback of UCX
  std::int64_t received_ = 0;                 // messages, from all others
  std::uint32_t calls_ = 0;                   // of progress()
  std::atomic<std::size_t> unsent_bytes_{0};  // written by the admitted thread, read by any
  std::vector<std::pair<Rank, std::string>> new_failures_;
  std::string first_failure_;  // "rank 3: why"
  ClosingTree tree_;
  bool closed_ = false;
};

// A message that is here whole, in the order sent. Called by UCX too, which knows no exceptions:
// progress() throws what the sink throws.
inline void UcxEndpoint::accept(Peer& peer, const void* data, std::size_t bytes) {
  ++received_;
  core::Buffer copy = pools_.take(bytes);
  copy.set_size(bytes);
  if (bytes != 0) std::memcpy(copy.data(), data, bytes);
  if (sink_ == nullptr || peer.lane != nullptr) {
    take(peer, std::move(copy));
    return;
  }
  // The usual case: nothing waits before it, so it need not be queued.
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
