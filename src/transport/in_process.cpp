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

#include "roam/core/detail/handover_queue.hpp"
#include "roam/core/detail/spin_lock.hpp"
#include "roam/core/error.hpp"
#include "roam/transport/registry.hpp"
#include "transport/bulk_matcher.hpp"
#include "transport/routing_note.hpp"

namespace roam::transport {

namespace {

using core::Buffer;
using core::HandoverQueue;
using core::MpscNode;
using Kind = RoutingNote::Kind;

constexpr const char* network_name = "in-process";

// What receive_bulk() hands to progress(), as the contents of a buffer.
struct Announcement {
  std::size_t bytes;
  MpscNode* target;  // a released buffer, or nullptr

  static Announcement read(const Buffer& buffer) {
    Announcement announcement;
    std::memcpy(&announcement, buffer.data(), sizeof announcement);
    return announcement;
  }
};

// The part of a rank that other ranks use.
struct Inbox {
  HandoverQueue queue;

  // On a cache line that is hardly ever written, because every sender reads it.
  alignas(64) std::atomic<bool> closed{
      false};  // written by the owner; relaxed: what slips through is freed with the network
  // True if the next arrival has to call the waker. Set by the owner's threads while one of them
  // sleeps, cleared by the sender that calls. seq_cst against the queue: see
  // HandoverQueue::is_empty().
  std::atomic<bool> wants_wake{false};
  std::atomic<int> sleepers{0};        // written by the owner's threads
  std::atomic<bool> taken_out{false};  // endpoint() was called; written by any thread

  alignas(64) core::SpinLock waker_lock;
  std::function<void()>
      waker;  // under waker_lock, so that close() knows nobody is inside it any more

  // The bytes that this rank has sent, and those of them that receivers have taken. They have cache
  // lines of their own, because this rank's threads write the first and the receivers the second.
  // Relaxed: they are counts only and publish nothing.
  alignas(64) std::atomic<std::size_t> sent_bytes{0};
  alignas(64) std::atomic<std::size_t> taken_bytes{0};
  alignas(64) std::atomic<bool> at_rest{false};  // written by the owner

  void push(Buffer&& buffer, std::uint64_t note) {
    queue.push(std::move(buffer), note);
    if (wants_wake.load(std::memory_order_seq_cst)) wake_sleeper();
  }
  void want_wake() { wants_wake.store(true, std::memory_order_seq_cst); }
  [[gnu::noinline]] void wake_sleeper() {
    if (wants_wake.exchange(false, std::memory_order_seq_cst)) wake();
  }
  void wake() {
    const std::lock_guard guard(waker_lock);
    if (waker) waker();
  }
  /// Takes the oldest buffer off the queue and frees what it refers to.
  Buffer drop(RoutingNote note) {
    Buffer dropped = queue.take();
    if (note.kind == Kind::bulk_announcement)
      Buffer::adopt(Announcement::read(dropped).target).reset();
    return dropped;
  }
};

}  // namespace

struct InProcessNetwork::State {
  explicit State(std::int32_t ranks) : inboxes(static_cast<std::size_t>(ranks)) {}
  ~State() {
    for (Inbox& inbox : inboxes) {
      while (const auto front = inbox.queue.front())
        inbox.drop(RoutingNote::unpack(front->note)).reset();
    }
  }
  Inbox& inbox(Rank rank) { return inboxes[rank.index()]; }
  void fail(Rank rank) {
    {
      const std::lock_guard guard(failed_lock);
      failed.push_back(rank);
    }
    // release: a rank that sees the count also finds what the failed rank sent before.
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
    capabilities_.hands_over = true;
  }
  ~Port() override {
    if (!own_.closed.load(std::memory_order_relaxed)) close(true);
  }

  Rank rank() const override { return rank_; }
  std::int32_t size() const override { return static_cast<std::int32_t>(state_.inboxes.size()); }
  const Capabilities& capabilities() const override { return capabilities_; }

  void send(Rank destination, Buffer&& data) override {
    hand_over(destination, Kind::message, 0, std::move(data));
  }
  void send_bulk(Rank destination, BulkTag tag, Buffer&& data) override {
    hand_over(destination, Kind::bulk, tag, std::move(data));
  }
  // It goes through the rank's own queue, so that only progress() touches the matcher.
  void receive_bulk(Rank source, BulkTag tag, std::size_t size, Buffer target) override {
    const Announcement announcement{size, target.release()};
    Buffer message = Buffer::allocate(sizeof announcement);
    message.append(&announcement, sizeof announcement);
    own_.push(std::move(message), RoutingNote::pack(Kind::bulk_announcement, source, tag));
  }

  std::size_t progress(Sink& sink, std::size_t limit) override;

  std::size_t unsent_bytes() const override {
    // Read in this order, with acquire: what is counted as taken is then counted as sent, too, so
    // that the difference is never negative.
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
  void count_sleepers(int change) override {
    own_.sleepers.fetch_add(change, std::memory_order_relaxed);
    if (change > 0) own_.want_wake();
  }
  void close(bool aborting) override;

 private:
  // Counts what was taken, for one source at a time, so that a burst costs one atomic addition.
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
    void flush() {
      // release: pairs with unsent_bytes().
      if (bytes_ > 0)
        state_.inbox(source_).taken_bytes.fetch_add(bytes_, std::memory_order_release);
      bytes_ = 0;
      messages_ = 0;
    }

   private:
    State& state_;
    Rank source_ = no_rank;
    std::size_t bytes_ = 0;
    int messages_ = 0;
  };

  void hand_over(Rank destination, Kind kind, BulkTag tag, Buffer data);
  std::size_t deliver_one(Sink& sink, RoutingNote note, Buffer data);
  void report_failures(Sink& sink, std::size_t failures);

  State& state_;
  Inbox& own_;
  const Rank rank_;
  Capabilities capabilities_;
  // Used by progress() alone:
  BulkMatcher matcher_;
  std::size_t failures_seen_ = 0;
};

void InProcessNetwork::Port::hand_over(Rank destination, Kind kind, BulkTag tag, Buffer data) {
  assert(destination.value() >= 0 && destination.value() < size());
  Inbox& inbox = state_.inbox(destination);
  if (inbox.closed.load(std::memory_order_relaxed)) return;
  if (!data) data = Buffer::allocate(0);
  own_.sent_bytes.fetch_add(data.size(), std::memory_order_relaxed);
  inbox.push(std::move(data), RoutingNote::pack(kind, rank_, tag));
}

std::size_t InProcessNetwork::Port::progress(Sink& sink, std::size_t limit) {
  // Read before the queue is drained, so that everything that a failed rank has sent is delivered
  // before its failure.
  const std::size_t failures = state_.failures.load(std::memory_order_acquire);
  std::size_t delivered = 0;
  {
    Credit credit(state_);
    while (delivered < limit) {
      const auto front = own_.queue.front();
      if (!front) break;
      const RoutingNote note = RoutingNote::unpack(front->note);
      if (note.kind != Kind::bulk_announcement) credit.add(note.source, front->bytes);
      // Done while the message is on its way from the other core, and before anything is written
      // here for which an atomic addition would have to wait.
      if (delivered + 1 == limit) credit.flush();
      delivered += deliver_one(sink, note, own_.queue.take());
    }
  }
  if (failures != failures_seen_ && delivered < limit && own_.queue.is_empty())
    report_failures(sink, failures);
  if (own_.sleepers.load(std::memory_order_relaxed) > 0) {
    own_.want_wake();
    // The sender of a message that has come since then may have found that nobody wanted to be
    // woken.
    if (delivered == 0 && !own_.queue.is_empty()) own_.wake_sleeper();
  }
  return delivered;
}

std::size_t InProcessNetwork::Port::deliver_one(Sink& sink, RoutingNote note, Buffer data) {
  std::optional<BulkMatch> match;
  switch (note.kind) {
    case Kind::message:
      sink.message(note.source, std::move(data));
      return 1;
    case Kind::bulk:
      match = matcher_.arrive(note.source, note.tag, std::move(data));
      break;
    case Kind::bulk_announcement: {
      const Announcement announcement = Announcement::read(data);
      match = matcher_.expect(note.source, note.tag, announcement.bytes,
                              Buffer::adopt(announcement.target));
      break;
    }
    case Kind::loss:  // in simulations alone
      break;
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
    while (const auto front = own_.queue.front()) {
      const RoutingNote note = RoutingNote::unpack(front->note);
      const Buffer dropped = own_.drop(note);
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
