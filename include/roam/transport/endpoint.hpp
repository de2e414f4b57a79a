// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "roam/core/detail/buffer.hpp"
#include "roam/core/types.hpp"

namespace roam::transport {

/// Names a bulk transfer between a pair of ranks. Chosen by the sender; unique among the pair's
/// transfers under way.
using BulkTag = std::uint32_t;

/// What a back end can do. Constant for the life of an endpoint.
struct Capabilities {
  /// Messages from one rank to another are delivered in the order sent. If not, the room am
  /// restores the order.
  bool ordered = true;
  /// send, send_bulk and receive_bulk may be called by several threads at once, also while another
  /// one calls progress(). If not, the caller admits one thread at a time to the whole endpoint.
  bool concurrent_send = false;
  /// Only the thread that created the endpoint may call it (an MPI library with MPI_THREAD_SINGLE
  /// or FUNNELED).
  bool main_thread_only = false;
  /// Arrivals call the waker (set_waker), so that an idle rank may sleep until then.
  bool wakes = false;
  /// The size in bytes, header included, up to which it pays to collect small messages to one rank
  /// in a batch; 0: it does not, since a message costs little more than its bytes.
  std::size_t batch_bytes = 0;
  /// What arrives takes memory of the receiver, which limits it by giving its senders credit. False
  /// inside a process, where messages stay in the sender's memory and the sender limits them.
  bool credits = true;
  /// All ranks are of one process: a pointer means the same at its destination, and a sink gets the
  /// very buffer that was sent, which then belongs to the receiver; so does bulk data without a
  /// target. If not, a buffer belongs to the sender again once it has been read.
  bool hands_over = false;
  /// Longest message for send(), bytes; longer data goes by send_bulk().
  std::size_t max_message_bytes = 64 * 1024;
};

/// Receives what an endpoint delivers, inside progress(), on the calling thread.
class Sink {
 public:
  virtual ~Sink() = default;
  /// A message that `source` has sent with send(). If the sink does not take it, the endpoint frees
  /// it.
  virtual void message(Rank source, core::Buffer&& data) = 0;
  /// A bulk transfer announced with receive_bulk() has arrived completely: in the target given
  /// there, or in a buffer of the network (inside a process, the buffer that was sent, borrowed or
  /// not).
  virtual void bulk(Rank source, BulkTag tag, core::Buffer&& data) = 0;
  /// The peer can no longer be reached; everything to it is lost from here on. What it had sent
  /// before may still arrive, or a part of it. Every rank hears of a loss.
  virtual void peer_failed(Rank peer, const char* reason) = 0;
};

/// Moves bytes between ranks; knows nothing of handlers. To port Roam to a new network is to write
/// one Endpoint (the DMCS messaging layer). No call waits for a peer. Messages are never lost
/// silently: each is delivered, or peer_failed is called.
class Endpoint {
 public:
  Endpoint() = default;
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;
  virtual ~Endpoint() = default;

  /// The rank to which this endpoint belongs.
  [[nodiscard]] virtual Rank rank() const = 0;
  /// The number of ranks of the job.
  [[nodiscard]] virtual std::int32_t size() const = 0;
  /// What this network can do; valid as long as the endpoint.
  [[nodiscard]] virtual const Capabilities& capabilities() const = 0;

  /// Takes the message (one to a lost peer may stay with the caller) and returns at once. Requires
  /// data.size() <= max_message_bytes. A rank may send to itself.
  virtual void send(Rank destination, core::Buffer&& data) = 0;
  /// Takes data of any size, for which the destination will call (or has called)
  /// receive_bulk(rank(), tag, size). A borrowed buffer is read where it lies, and releases its
  /// memory once that has been read (MPI: once the send has completed).
  virtual void send_bulk(Rank destination, BulkTag tag, core::Buffer&& data) = 0;
  /// Expects `size` bytes from `source` under `tag`; Sink::bulk gets them during a later
  /// progress(). If there is a `target`, whose size() must be `size`, the bytes are written into
  /// it, directly and once, and Sink::bulk gets that buffer; it may be borrowed.
  virtual void receive_bulk(Rank source, BulkTag tag, std::size_t size,
                            core::Buffer target = {}) = 0;
  /// Delivers what has arrived (at most about `limit` messages) and completes sends. Returns the
  /// number of messages delivered. One thread at a time; the sink may call send and receive_bulk
  /// from within. An exception of the sink passes through; its message counts as delivered, and no
  /// other is lost.
  virtual std::size_t progress(Sink& sink, std::size_t limit) = 0;

  /// Sends messages that wait for a faster path by any path that is free, because the caller may
  /// not make progress for long. Returns at once.
  virtual void flush() {}
  /// The bytes taken by send and send_bulk that have not left yet (MPI) or that the peer has not
  /// taken yet (in-process).
  [[nodiscard]] virtual std::size_t unsent_bytes() const = 0;
  /// Bytes of memory of what is being received, or has been delivered and is still in use: of whole
  /// blocks, not of the parts in use. 0 where a sender's memory is handed over. Any thread.
  [[nodiscard]] virtual std::size_t held_bytes() const { return 0; }
  /// Tells the other ranks whether anything runs or is ready to run here. For networks without
  /// credits, whose senders wait for buffers that come back only while something runs.
  virtual void set_at_rest(bool /*at_rest*/) {}
  /// True if no other rank will free a buffer of this one by itself: all are at rest and have taken
  /// what this one has sent. Approximate; any thread.
  [[nodiscard]] virtual bool others_at_rest() const { return false; }
  /// Sets the function that signals arrivals while a thread sleeps, if capabilities().wakes. It is
  /// called from any thread (this one included) and must not block. After a progress() that
  /// returned 0 while count_sleepers() said that a thread sleeps, the next arrival calls it; later
  /// ones may not, until progress() is called. Arrivals for which no thread sleeps may go
  /// unsignalled: signalling a thread that polls anyway would make each message more expensive.
  virtual void set_waker(std::function<void()> waker) = 0;
  /// Counts the threads that sleep until the waker is called: +1 before the last progress() that a
  /// thread calls before it sleeps, -1 when it is awake or does not sleep after all. Any thread.
  virtual void count_sleepers(int /*change*/) {}
  /// The moment before which no message reaches this rank (simulated networks, for the driver);
  /// `never` if nothing is under way or the network cannot know.
  [[nodiscard]] virtual Instant next_arrival() const { return never; }
  /// Prefetches memory that the next progress() uses, in steps from 0 to `last_look`, each of which
  /// reads what the one before it has prefetched. Changes nothing. For code that turns thousands of
  /// ranks on one thread.
  virtual void look_ahead(int /*step*/) const {}
  /// The last step of look_ahead().
  static constexpr int last_look = 2;
  /// A message that a later progress() may deliver.
  struct NextMessage {
    Rank source = no_rank;            ///< no_rank: there is no such message, or it is not known
    std::span<const std::byte> data;  ///< empty if it is bulk data; valid until the next call
  };
  /// What the next progress() may deliver; `index` counts from 0, in no order. Takes nothing out
  /// and throws nothing. For the thread that may call progress().
  [[nodiscard]] virtual NextMessage next_message(std::size_t /*index*/) const { return {}; }
  /// Ends the use of the endpoint after all ranks are done: completes sends, synchronises, releases
  /// resources. May block. `aborting`: peers may be gone; end without waiting for them.
  virtual void close(bool aborting) = 0;
};

}  // namespace roam::transport
