// SPDX-License-Identifier: Apache-2.0
#include "roam/transport/in_process.hpp"

#include <atomic>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "roam/core/error.hpp"
#include "roam/core/mpsc_queue.hpp"
#include "roam/core/spin_lock.hpp"
#include "roam/transport/registry.hpp"
#include "transport/bulk_matcher.hpp"
#include "transport/routing_note.hpp"

namespace roam::transport {

namespace {

using core::Buffer;
using core::MpscNode;
using core::MpscQueue;
using Kind = RoutingNote::Kind;

constexpr const char* network_name = "in-process";

// What receive_bulk() tells progress(), as the bytes of a buffer.
struct Announcement {
  std::size_t bytes;
  MpscNode* target;  // a released buffer, or nullptr

  static Announcement read(const Buffer& buffer) {
    Announcement announcement;
    std::memcpy(&announcement, buffer.data(), sizeof announcement);
    return announcement;
  }
};

// Frees what is queued, and what it refers to.
Buffer drop(MpscNode* node) {
  Buffer dropped = Buffer::adopt(node);
  if (RoutingNote::unpack(dropped.note()).kind == Kind::bulk_announcement)
    Buffer::adopt(Announcement::read(dropped).target).reset();
  return dropped;
}

// What other ranks see of one rank.
struct Inbox {
  MpscQueue queue;
  // On a line that is hardly ever written: every sender reads it.
  alignas(64) std::atomic<bool> closed{
      false};  // written by the owner; relaxed: what slips through is freed with the network
  std::atomic<bool> taken_out{false};  // endpoint() was called; written by any thread

  alignas(64) core::SpinLock waker_lock;
  std::function<void()>
      waker;  // under waker_lock, so that close() knows nobody is inside it any more

  // Bytes this rank has sent, and those of them that receivers have taken. On lines of their own:
  // the first is written by this rank's threads, the second by the receivers. Relaxed: counts only,
  // they publish nothing.
  alignas(64) std::atomic<std::size_t> sent_bytes{0};
  alignas(64) std::atomic<std::size_t> taken_bytes{0};
  alignas(64) std::atomic<bool> at_rest{false};  // written by the owner

  void push(MpscNode* node) {
    if (queue.push(node)) wake();
  }
  void wake() {
    const std::lock_guard guard(waker_lock);
    if (waker) waker();
  }
};

}  // namespace

struct InProcessNetwork::State {
  explicit State(std::int32_t ranks) : inboxes(static_cast<std::size_t>(ranks)) {}
  ~State() {
    for (Inbox& inbox : inboxes) {
      while (MpscNode* node = inbox.queue.pop()) drop(node).reset();
    }
  }
  Inbox& inbox(Rank rank) { return inboxes[rank.index()]; }
  void fail(Rank rank) {
    {
      const std::lock_guard guard(failed_lock);
      failed.push_back(rank);
    }
    // release: a rank that sees the count also finds what the failed one sent before.
    failures.fetch_add(1, std::memory_order_release);
    for (Inbox& other : inboxes) other.wake();
  }

  // Read by every call, and hardly ever written:
  std::vector<Inbox> inboxes;  // by rank; never resized
  std::atomic<std::size_t> failures{0};
  alignas(64) std::atomic<std::size_t> resting{0};  // ranks at rest
  core::SpinLock failed_lock;
  std::vector<Rank> failed;  // under failed_lock, in the order of failure
};

class InProcessNetwork::Port final : public Endpoint {
 public:
  Port(State& state, Rank rank) : state_(state), own_(state.inbox(rank)), rank_(rank) {
    capabilities_.concurrent_send = true;
    capabilities_.wakes = true;
    capabilities_.credits = false;
  }
  ~Port() override {
    if (!own_.closed.load(std::memory_order_relaxed)) close(true);
  }

  Rank rank() const override { return rank_; }
  std::int32_t size() const override { return static_cast<std::int32_t>(state_.inboxes.size()); }
  const Capabilities& capabilities() const override { return capabilities_; }

  void send(Rank destination, Buffer data) override {
    hand_over(destination, Kind::message, 0, std::move(data));
  }
  void send_bulk(Rank destination, BulkTag tag, Buffer data) override {
    hand_over(destination, Kind::bulk, tag, std::move(data));
  }
  // Through the own queue, so that only progress() touches the matcher.
  void receive_bulk(Rank source, BulkTag tag, std::size_t size, Buffer target) override {
    const Announcement announcement{size, target.release()};
    Buffer message = Buffer::allocate(sizeof announcement);
    message.append(&announcement, sizeof announcement);
    message.set_note(RoutingNote::pack(Kind::bulk_announcement, source, tag));
    own_.push(message.release());
  }

  std::size_t progress(Sink& sink, std::size_t limit) override;

  std::size_t unsent_bytes() const override {
    // In this order, and acquire: whatever is counted as taken is counted as sent too, so never
    // negative.
    const std::size_t taken = own_.taken_bytes.load(std::memory_order_acquire);
    return own_.sent_bytes.load(std::memory_order_relaxed) - taken;
  }
  void set_at_rest(bool at_rest) override {
    if (own_.at_rest.exchange(at_rest) == at_rest) return;
    if (at_rest) {
      state_.resting.fetch_add(1);
    } else {
      state_.resting.fetch_sub(1);
    }
  }
  bool others_at_rest() const override {
    const std::size_t all = state_.inboxes.size() + (own_.at_rest.load() ? 1U : 0U);
    return state_.resting.load() + 1 >= all && unsent_bytes() == 0;
  }
  void set_waker(std::function<void()> waker) override {
    const std::lock_guard guard(own_.waker_lock);
    own_.waker = std::move(waker);
  }
  void close(bool aborting) override;

 private:
  // Counts what was taken, one source at a time, so that a burst costs one atomic addition.
  class Credit {
   public:
    explicit Credit(State& state) : state_(state) {}
    Credit(const Credit&) = delete;
    Credit& operator=(const Credit&) = delete;
    ~Credit() { flush(); }
    void add(Rank source, std::size_t bytes) {
      if (source != source_ || ++messages_ == 32) flush();
      source_ = source;
      bytes_ += bytes;
    }

   private:
    void flush() {
      // release: pairs with unsent_bytes().
      if (bytes_ > 0)
        state_.inbox(source_).taken_bytes.fetch_add(bytes_, std::memory_order_release);
      bytes_ = 0;
      messages_ = 0;
    }
    State& state_;
    Rank source_ = no_rank;
    std::size_t bytes_ = 0;
    int messages_ = 0;
  };

  void hand_over(Rank destination, Kind kind, BulkTag tag, Buffer data);
  MpscNode* pop();
  std::size_t deliver_one(Sink& sink, Buffer data, Credit& credit);
  void report_failures(Sink& sink, std::size_t failures);

  State& state_;
  Inbox& own_;
  const Rank rank_;
  Capabilities capabilities_;
  // Touched by progress() alone:
  BulkMatcher matcher_;
  std::size_t failures_seen_ = 0;
};

void InProcessNetwork::Port::hand_over(Rank destination, Kind kind, BulkTag tag, Buffer data) {
  assert(destination.value() >= 0 && destination.value() < size());
  Inbox& inbox = state_.inbox(destination);
  if (inbox.closed.load(std::memory_order_relaxed)) return;
  if (!data) data = Buffer::allocate(0);
  own_.sent_bytes.fetch_add(data.size(), std::memory_order_relaxed);
  data.set_note(RoutingNote::pack(kind, rank_, tag));
  inbox.push(data.release());
}

// nullptr only if the queue is empty or the waker has been called.
MpscNode* InProcessNetwork::Port::pop() {
  for (int attempt = 0; attempt < 100; ++attempt) {
    MpscNode* node = own_.queue.pop();
    if (node != nullptr || own_.queue.empty()) return node;
  }
  // A sender was interrupted in the middle of a push, and finishing it wakes nobody.
  own_.wake();
  return nullptr;
}

std::size_t InProcessNetwork::Port::progress(Sink& sink, std::size_t limit) {
  // Read before the queue is drained: everything a failed rank has sent is delivered before its
  // failure.
  const std::size_t failures = state_.failures.load(std::memory_order_acquire);
  std::size_t delivered = 0;
  Credit credit(state_);
  while (delivered < limit) {
    MpscNode* node = pop();
    if (node == nullptr) {
      if (failures != failures_seen_) report_failures(sink, failures);
      break;
    }
    delivered += deliver_one(sink, Buffer::adopt(node), credit);
  }
  return delivered;
}

std::size_t InProcessNetwork::Port::deliver_one(Sink& sink, Buffer data, Credit& credit) {
  const RoutingNote note = RoutingNote::unpack(data.note());
  std::optional<BulkMatch> match;
  switch (note.kind) {
    case Kind::message:
      credit.add(note.source, data.size());
      sink.message(note.source, std::move(data));
      return 1;
    case Kind::bulk:
      credit.add(note.source, data.size());
      match = matcher_.arrive(note.source, note.tag, std::move(data));
      break;
    case Kind::bulk_announcement: {
      const Announcement announcement = Announcement::read(data);
      match = matcher_.expect(note.source, note.tag, announcement.bytes,
                              Buffer::adopt(announcement.target));
      break;
    }
  }
  if (!match) return 0;
  deliver(sink, note.source, note.tag, std::move(*match));
  return 1;
}

void InProcessNetwork::Port::report_failures(Sink& sink, std::size_t failures) {
  for (; failures_seen_ < failures; ++failures_seen_) {
    Rank peer;
    {
      const std::lock_guard guard(state_.failed_lock);
      peer = state_.failed[failures_seen_];
    }
    if (peer != rank_) sink.peer_failed(peer, "the rank ended early");
  }
}

void InProcessNetwork::Port::close(bool aborting) {
  if (own_.closed.exchange(true, std::memory_order_relaxed)) return;
  set_waker(nullptr);
  set_at_rest(true);
  {
    Credit credit(state_);
    while (MpscNode* node = own_.queue.pop()) {
      const Buffer dropped = drop(node);
      const RoutingNote note = RoutingNote::unpack(dropped.note());
      if (note.kind != Kind::bulk_announcement) credit.add(note.source, dropped.size());
    }
  }
  if (aborting) state_.fail(rank_);
}

InProcessNetwork::InProcessNetwork(std::int32_t ranks) {
  if (ranks < 1)
    throw ConfigError("an in-process job needs at least 1 rank, not " + std::to_string(ranks));
  state_ = std::make_unique<State>(ranks);
}

InProcessNetwork::~InProcessNetwork() = default;

std::int32_t InProcessNetwork::size() const {
  return static_cast<std::int32_t>(state_->inboxes.size());
}

std::vector<Rank> InProcessNetwork::local_ranks() const {
  std::vector<Rank> ranks;
  for (std::int32_t rank = 0; rank < size(); ++rank) ranks.emplace_back(rank);
  return ranks;
}

std::unique_ptr<Endpoint> InProcessNetwork::endpoint(Rank rank) {
  if (rank.value() < 0 || rank.value() >= size()) {
    throw Error("no endpoint for rank " + std::to_string(rank.value()) + ": the job has " +
                std::to_string(size()) + " ranks");
  }
  if (state_->inbox(rank).taken_out.exchange(true)) {
    throw Error("the endpoint of rank " + std::to_string(rank.value()) +
                " has been handed out already");
  }
  return std::make_unique<Port>(*state_, rank);
}

void InProcessNetwork::abort(int status) { std::_Exit(status); }

namespace {
const NetworkRegistrar registrar{{
    .name = network_name,
    .description = "all ranks in this process",
    .create = [](const NetworkRequest& request) -> std::unique_ptr<Network> {
      return std::make_unique<InProcessNetwork>(request.ranks.value_or(1));
    },
    .detected = nullptr,
}};
}  // namespace

}  // namespace roam::transport
