// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "roam/transport/endpoint.hpp"
#include "transport/mpi/mpi_boxes.hpp"
#include "transport/mpi/mpi_library.hpp"
#include "transport/mpi/receive_ring.hpp"
#include "transport/mpi/request_list.hpp"
#include "transport/receive_pools.hpp"

namespace roam::transport {

/// What a network and its endpoint use together.
struct MpiChannel {
  MpiLibrary mpi;
  MPI_Comm messages = MPI_COMM_NULL;  // short messages and the announcements of long ones
  MPI_Comm data = MPI_COMM_NULL;      // long messages (tag 0) and bulk (other tags)
  int rank = 0;
  int size = 0;
  int largest_tag = 0;
  std::unique_ptr<MpiBoxes> boxes;

  /// Duplicates `communicator`. Collective.
  MpiChannel(MPI_Comm communicator, const MpiOptions& options);
  MpiChannel(const MpiChannel&) = delete;
  MpiChannel& operator=(const MpiChannel&) = delete;
  /// Collective, unless abandon() was called.
  ~MpiChannel() { free(); }
  void free();
  /// Called because peers may be gone: nothing collective is called any more.
  void abandon();
};

/// Sends three kinds of traffic. A short message is put into the receiver's box (MpiBoxes) if there
/// is one with space for it; else it is one MPI message on `messages` whose tag is twice its size.
/// A long one is announced there by an empty message whose tag is twice its size plus one, and its
/// data follows on `data`. Announcements preserve the order: what a sender sends after one waits in
/// a lane. Bulk data is sent on `data` under tags of its own.
class MpiEndpoint final : public Endpoint {
 public:
  /// `channel` must outlive the endpoint.
  MpiEndpoint(MpiChannel& channel, const MpiOptions& options);
  ~MpiEndpoint() override;

  Rank rank() const override { return channel_.rank; }
  std::int32_t size() const override { return channel_.size; }
  const Capabilities& capabilities() const override { return capabilities_; }
  void send(Rank destination, core::Buffer&& data) override;
  void send_bulk(Rank destination, BulkTag tag, core::Buffer&& data) override;
  void receive_bulk(Rank source, BulkTag tag, std::size_t size, core::Buffer target) override;
  std::size_t progress(Sink& sink, std::size_t limit) override;
  void flush() override {
    if (waiting_messages_ > 0) send_waiting(true);
  }
  std::size_t unsent_bytes() const override {
    return unsent_bytes_.load(std::memory_order_relaxed);
  }
  std::size_t held_bytes() const override { return pools_.bytes_in_use(); }
  void set_waker(std::function<void()> /*waker*/) override {}
  void close(bool aborting) override;

 private:
  struct Outgoing {
    core::Buffer data = {};  // set if the transfer is in one piece
    // Set if the transfer is in several pieces, which share it.
    std::shared_ptr<core::Buffer> whole = {};
    Rank destination;
    std::size_t bytes = 0;  // the size of the piece
  };
  struct Incoming {
    core::Buffer data;
    Rank source;
    BulkTag tag = 0;
    bool bulk = false;
    std::size_t pieces_left = 0;
    std::size_t bytes_received = 0;
    int code = MPI_SUCCESS;
  };
  using Lane = std::deque<std::shared_ptr<Incoming>>;

  void send_by_mpi(Rank destination, core::Buffer&& data);
  void wait_for_box(MpiBoxes::Neighbour& neighbour, core::Buffer&& data);
  void send_waiting(bool by_mpi);
  void send_short(Rank destination, int tag, core::Buffer&& data);
  void send_data(Rank destination, int tag, core::Buffer data);
  void receive_data(const std::shared_ptr<Incoming>& incoming, int tag, std::size_t bytes);
  std::size_t poll_ring(Sink& sink, std::size_t limit);
  void ring_failed(const MPI_Status& status, int code);
  std::size_t take(Sink& sink, Rank source, int tag);
  void expect_long(Rank source, std::size_t bytes, bool is_announced);
  std::size_t hand_over(Sink& sink, Rank source, core::Buffer&& data);
  static std::shared_ptr<Incoming> whole(Rank source, core::Buffer&& data);
  std::size_t poll_boxes(Sink& sink, std::size_t limit);
  bool has_next(MpiBoxes::Neighbour& neighbour);
  core::Buffer read_box(MpiBoxes::Neighbour& neighbour);
  void take_before(MpiBoxes::Neighbour& neighbour);
  std::size_t test_receives(Sink& sink);
  std::size_t drain_lanes(Sink& sink, std::size_t limit);
  bool finish(Sink& sink, Incoming& incoming);
  void test_sends();
  void fail(Rank peer, std::string reason);
  void report_failures(Sink& sink);
  void add_unsent(std::size_t bytes) {
    unsent_bytes_.store(unsent_bytes() + bytes, std::memory_order_relaxed);
  }
  void wait(MPI_Request request, const char* call);
  [[nodiscard]] int bulk_tag(BulkTag tag) const;

  static constexpr std::size_t largest_burst = 64;
  // While boxes have messages, at most this many calls of progress() in a row leave out MPI.
  static constexpr std::uint32_t most_turns_without_mpi = 7;

  MpiChannel& channel_;
  const MpiOptions options_;
  Capabilities capabilities_;
  ReceiveRing ring_;
  std::size_t burst_ = 1;      // the most messages that the next look at the ring takes
  std::size_t first_box_ = 0;  // index of the neighbour whose box is looked at first
  std::uint32_t turns_without_mpi_ = 0;
  std::size_t waiting_messages_ = 0;  // messages of all neighbours that wait for space in a box
  ReceivePools pools_;
  RequestList<Outgoing> sends_;
  RequestList<std::shared_ptr<Incoming>> receives_;
  std::unordered_map<Rank, Lane> lanes_;  // for senders of which a message has to wait
  std::vector<std::int64_t> sent_;        // number of messages, by destination
  std::int64_t received_ = 0;             // number of messages, from all ranks
  // Written by the thread that has the endpoint, read by any.
  std::atomic<std::size_t> unsent_bytes_{0};
  std::vector<std::pair<Rank, std::string>> new_failures_;
  std::vector<bool> failed_;  // by rank
  bool has_failures_ = false;
  bool closed_ = false;
};

}  // namespace roam::transport
