// SPDX-License-Identifier: Apache-2.0
#include "roam/am/detail/messenger.hpp"

#include <algorithm>
#include <bit>
#include <mutex>
#include <thread>

#include "am/credits.hpp"
#include "batch_run.hpp"
#include "outbox_node.hpp"
#include "own_messages.hpp"
#include "roam/core/error.hpp"
#include "source_line.hpp"

namespace roam::am {

namespace {
// The most messages taken from the network in one turn, so that a flood of them does not keep a
// worker from its handlers.
constexpr std::size_t most_arrivals_per_poll = 64;
// The high-water mark is exceeded by at most its size divided by this.
constexpr std::size_t looks_per_mark = 64;

std::unique_ptr<Coalescer> make_coalescer(std::size_t batch_bytes, std::size_t look_every_bytes) {
  return batch_bytes == 0 ? nullptr : std::make_unique<Coalescer>(batch_bytes, look_every_bytes);
}

// Copies short payloads as words, without a function call.
inline void copy_payload(std::byte* target, std::span<const std::byte> payload) {
  constexpr std::size_t word = sizeof(std::uint64_t);
  const std::size_t bytes = payload.size();
  if (bytes < word || bytes > 8 * word) {
    if (bytes > 0) std::memcpy(target, payload.data(), bytes);
    return;
  }
  const std::byte* const last = payload.data() + bytes - word;
  std::byte* const last_target = target + bytes - word;
  for (const std::byte* from = payload.data(); from < last; from += word, target += word)
    std::memcpy(target, from, word);
  std::memcpy(last_target, last, word);
}
}  // namespace

Messenger::Messenger(transport::Endpoint& endpoint, exec::Engine& engine,
                     const MessengerOptions& options)
    : endpoint_(endpoint),
      engine_(engine),
      options_(options),
      capabilities_(endpoint.capabilities()),
      rank_(endpoint.rank()),
      size_(endpoint.size()),
      owner_thread_(core::this_thread_tag()),
      largest_single_(std::min(options.message_threshold_bytes, capabilities_.max_message_bytes)),
      coalescer_(make_coalescer(options.batch_bytes.value_or(capabilities_.batch_bytes),
                                options.high_water_bytes / looks_per_mark)),
      traffic_(engine, options.high_water_bytes / looks_per_mark / engine.slot_count()),
      memory_(engine, largest_single_),
      flow_(endpoint, engine, options, memory_, coalescer_.get()),
      sends_directly_(capabilities_.concurrent_send && capabilities_.ordered &&
                      !capabilities_.main_thread_only && coalescer_ == nullptr &&
                      flow_.credits() == nullptr),
      may_run_next_(engine.workers() == 1 && !engine.clock().is_virtual()),
      runs_next_at_once_(may_run_next_ && capabilities_.ordered && flow_.credits() == nullptr),
      comparison_(*this,
                  [this](const std::string& report) {
                    if (on_failure_) on_failure_(report);
                  }),
      requests_(*this),
      source_lines_(*this) {
  next_message_.set_pool(memory_.pool(0));  // the pool of the only worker
  bind<&Messenger::on_credit>(*this);
  engine_.services().set<Messenger>(this);
  epochs_ = std::make_unique<Epochs>(*this);
}

Messenger::~Messenger() {
  while (core::MpscNode* node = outbox_.pop()) delete static_cast<OutboxNode*>(node);
}

core::Buffer Messenger::begin_buffer(std::size_t bytes) {
  core::Buffer buffer = memory_.take(slot_here(), bytes + payload_offset);
  buffer.set_size(payload_offset);
  return buffer;
}

void Messenger::post(Rank destination, std::uint32_t handler, core::Packer&& message,
                     bool counted) {
  forward(destination, handler, message.take(), counted);
}

void Messenger::forward(Rank destination, std::uint32_t handler, core::Buffer&& message,
                        bool counted) {
  send_from(slot_here(), destination, handler, std::move(message), counted);
}

void Messenger::post_bytes(Rank destination, std::uint32_t handler,
                           std::span<const std::byte> payload) {
  const std::uint32_t slot = slot_here();
  const std::size_t bytes = payload_offset + payload.size();
  core::Buffer message = memory_.take(slot, bytes);
  message.set_size(bytes);
  copy_payload(message.data() + payload_offset, payload);
  send_from(slot, destination, handler, std::move(message), true);
}

void Messenger::post_small(std::uint32_t slot, Rank destination, core::MpscNode* block,
                           std::size_t bytes) {
  const bool may_exceed = traffic_.count_sent(slot, bytes, true);
  if (may_exceed || !sends_directly_) return post_small_in_turn(destination, block, may_exceed);
  core::Buffer message = core::Buffer::adopt(block);
  endpoint_.send(destination, std::move(message));
}

void Messenger::post_small_in_turn(Rank destination, core::MpscNode* block, bool may_exceed) {
  transmit(destination, core::Buffer::adopt(block));
  if (may_exceed) flow_.hold_back_sender();
}

// The path of most messages, in one function.
[[gnu::always_inline]] inline void Messenger::send_from(std::uint32_t slot, Rank destination,
                                                        std::uint32_t handler,
                                                        core::Buffer&& message, bool counted) {
  if (!is_rank(destination)) throw_no_rank(destination);
  WireHeader header;
  header.handler = handler;
  header.checked_size = static_cast<std::uint32_t>(message.size());
  header.flags = counted ? WireHeader::counted : 0;
  std::memcpy(message.data(), &header, sizeof header);

  const bool may_exceed = traffic_.count_sent(slot, message.size(), counted);
  if (message.size() > largest_single_) {
    send_split(destination, std::move(message));
  } else {
    transmit(destination, std::move(message));
  }
  if (may_exceed && counted) flow_.hold_back_sender();
}

void Messenger::send_split(Rank destination, core::Buffer&& message) {
  const BulkAnnouncement announcement{message.size(),
                                      next_tag_.fetch_add(1, std::memory_order_relaxed), 0};
  core::Packer packer = begin(sizeof announcement);
  packer.write(&announcement, sizeof announcement);
  core::Buffer first = packer.take();
  WireHeader announce;
  announce.checked_size = static_cast<std::uint32_t>(first.size());
  announce.flags = WireHeader::announce;
  std::memcpy(first.data(), &announce, sizeof announce);
  transmit(destination, std::move(first), std::move(message), announcement.tag);
}

// Inside its own poll() this thread has the endpoint already, and none of its messages wait in the
// outbox.
inline bool Messenger::is_polling_here() const {
  const exec::Context* self = exec::detail::current_context;
  return self != nullptr && poller_.load(std::memory_order_relaxed) == self;
}

[[gnu::always_inline]] inline void Messenger::transmit(Rank destination, core::Buffer&& message) {
  if (sends_directly_) return endpoint_.send(destination, std::move(message));
  if (is_polling_here()) return put_on_wire(destination, std::move(message));
  if (!lock_endpoint()) return put_into_outbox(destination, std::move(message), {}, 0);
  {
    const std::lock_guard guard(endpoint_lock_, std::adopt_lock);
    if (outbox_size_.load(std::memory_order_relaxed) > 0) drain_outbox();
    put_on_wire(destination, std::move(message));
  }
  drain_what_came_meanwhile();
}

void Messenger::transmit(Rank destination, core::Buffer&& message, core::Buffer&& bulk,
                         std::uint32_t tag) {
  if (sends_directly_ || is_polling_here())
    return put_on_wire(destination, std::move(message), std::move(bulk), tag);
  if (!lock_endpoint())
    return put_into_outbox(destination, std::move(message), std::move(bulk), tag);
  {
    const std::lock_guard guard(endpoint_lock_, std::adopt_lock);
    if (outbox_size_.load(std::memory_order_relaxed) > 0) drain_outbox();
    put_on_wire(destination, std::move(message), std::move(bulk), tag);
  }
  drain_what_came_meanwhile();
}

void Messenger::put_into_outbox(Rank destination, core::Buffer&& message, core::Buffer&& bulk,
                                std::uint32_t tag) {
  // The handler is nested in poll() and ahead of it in time: poll() would send the message too
  // early.
  if (engine_.is_ahead_of_time())
    return transmit_in_time(destination, std::move(message), std::move(bulk), tag);
  auto* node = new OutboxNode;
  node->destination = destination;
  node->message = std::move(message);
  node->bulk = std::move(bulk);
  flow_.begin_waiting(node->memory_bytes());
  node->tag = tag;
  outbox_.push(node);
  outbox_size_.fetch_add(1, std::memory_order_seq_cst);
  drain_what_came_meanwhile();
}

// The thread that held the lock may have drained the outbox before another thread's push; so it
// looks again after releasing the lock.
inline void Messenger::drain_what_came_meanwhile() {
  while (outbox_size_.load(std::memory_order_seq_cst) > 0 && lock_endpoint()) {
    const std::lock_guard guard(endpoint_lock_, std::adopt_lock);
    if (outbox_size_.load(std::memory_order_relaxed) > 0) drain_outbox();
  }
}

void Messenger::drain_and_hold_back(bool may_exceed) {
  drain_what_came_meanwhile();
  if (may_exceed) flow_.hold_back_sender();
}

void Messenger::drain_outbox() {
  while (core::MpscNode* popped = outbox_.pop()) {
    const std::unique_ptr<OutboxNode> node(static_cast<OutboxNode*>(popped));
    outbox_size_.fetch_sub(1, std::memory_order_relaxed);
    flow_.end_waiting(node->memory_bytes());
    put_on_wire(node->destination, std::move(node->message), std::move(node->bulk), node->tag);
  }
}

[[gnu::always_inline]] inline void Messenger::put_on_wire(Rank destination,
                                                          core::Buffer&& message) {
  if (flow_.credits() != nullptr && credits().is_blocked(destination))
    return wait_for_credit(destination, std::move(message), {}, 0);
  const auto send = [this](Rank to, core::Buffer&& batch) { send_one(to, std::move(batch)); };
  if (coalescer_ != nullptr && coalescer_->add(destination, message, send)) return;
  if (flow_.credits() != nullptr && !credits().take(destination, message.size()))
    return hold_for_credit(destination, std::move(message), {}, 0);
  number(destination, message);
  endpoint_.send(destination, std::move(message));
}

void Messenger::put_on_wire(Rank destination, core::Buffer&& message, core::Buffer&& bulk,
                            std::uint32_t tag) {
  if (!bulk) return put_on_wire(destination, std::move(message));
  if (flow_.credits() != nullptr && credits().is_blocked(destination))
    return wait_for_credit(destination, std::move(message), std::move(bulk), tag);
  if (coalescer_ != nullptr) {
    coalescer_->flush(destination,
                      [this](Rank to, core::Buffer&& batch) { send_one(to, std::move(batch)); });
  }
  send_one(destination, std::move(message), std::move(bulk), tag);
}

void Messenger::send_one(Rank destination, core::Buffer&& message, core::Buffer&& bulk,
                         std::uint32_t tag) {
  if (flow_.credits() != nullptr) {
    if (credits().is_blocked(destination))
      return hold_for_credit(destination, std::move(message), std::move(bulk), tag);
    credits().count_sent(destination, Credits::charge(message, bulk));
  }
  send_now(destination, std::move(message), std::move(bulk), tag);
}

inline void Messenger::number(Rank destination, core::Buffer& message) {
  if (capabilities_.ordered) return;
  const std::uint32_t sequence = next_sequence_[destination.value()]++;
  std::memcpy(message.data() + offsetof(WireHeader, sequence), &sequence, sizeof sequence);
}

void Messenger::send_now(Rank destination, core::Buffer&& message, core::Buffer&& bulk,
                         std::uint32_t tag) {
  number(destination, message);
  endpoint_.send(destination, std::move(message));
  if (bulk) endpoint_.send_bulk(destination, tag, std::move(bulk));
}

// After a silence the first message is handled before the network is asked for a second one; while
// messages keep coming, more are taken at a time.
inline std::size_t Messenger::take_arrivals(Instant now) {
  const std::size_t done = endpoint_.progress(*this, arrivals_limit_);
  if (done == 0) {
    arrivals_limit_ = 1;
  } else if (done >= arrivals_limit_) {
    arrivals_limit_ = std::min(2 * arrivals_limit_, most_arrivals_per_poll);
  }
  if (done == 0) {
    flow_.note_silence(now);
  } else {
    flow_.note_arrivals();
  }
  return done;
}

/// Marks the endpoint as used by poll() for a scope: what is sent meanwhile leaves at once.
class Messenger::Polling {
 public:
  explicit Polling(Messenger& messenger) : messenger_(messenger) {
    messenger.poller_.store(exec::detail::current_context, std::memory_order_relaxed);
  }
  Polling(const Polling&) = delete;
  Polling& operator=(const Polling&) = delete;
  ~Polling() {
    messenger_.poller_.store(nullptr, std::memory_order_relaxed);
    messenger_.endpoint_lock_.unlock();
  }

 private:
  Messenger& messenger_;
};

std::size_t Messenger::poll(Instant now) {
  return sends_directly_ ? take_arrivals(now) : poll_locked(now);
}

std::size_t Messenger::poll_locked(Instant now) {
  if (!lock_endpoint()) return 0;
  const Polling polling(*this);
  if (outbox_size_.load(std::memory_order_relaxed) > 0) drain_outbox();
  const auto send = [this](Rank to, core::Buffer&& batch) { send_one(to, std::move(batch)); };
  if (coalescer_ != nullptr) coalescer_->flush_all(send);
  const std::size_t done = take_arrivals(now);
  // Sends what system handlers have put into batches meanwhile.
  if (coalescer_ != nullptr) coalescer_->flush_all(send);
  if (flow_.credits() != nullptr && credits().is_due()) give_credit(now);
  return done;
}

// An idle worker runs what it has just received, without making an item for any queue.
inline bool Messenger::run_next(const HandlerTable::Entry& handler, Rank source,
                                core::Buffer& data) {
  if (handler.plain == nullptr || !may_run_next_ || !engine_.run_next(&next_message_)) return false;
  next_message_.put(*handler.plain, source, data.release());
  return true;
}

void Messenger::NextMessage::run(exec::Context& context) {
  core::MpscNode* const block = std::exchange(block_, nullptr);
  if (block == nullptr) __builtin_unreachable();  // put() is called before run()
  core::Buffer memory = core::Buffer::adopt(block);
  handler_->run_in_place(messenger_, *handler_, source_,
                         std::as_const(memory).bytes().subspan(payload_offset), context);
  pool_->recycle(std::move(memory));  // for what this worker sends next
}

void Messenger::call(const HandlerTable::Entry& handler, Incoming&& message) {
  const Rank source = message.source;
  try {
    if (handler.program != nullptr) {
      handler.program->dispatch(*this, *handler.program, std::move(message));
    } else {
      handler.system(handler.self, std::move(message));
    }
  } catch (const MalformedMessage& error) {
    reject(source, error.what());
  }
}

[[gnu::always_inline]] inline void Messenger::hand_over(const HandlerTable::Entry& handler,
                                                        Rank source, core::Buffer&& data,
                                                        bool counted) {
  traffic_.count_arrivals(source, 1, data.size());
  if (!run_next(handler, source, data))
    call(handler, {source, std::move(data), payload_offset, counted});
  // Counted last: what the message caused is visible (queued, or sent on and counted) before it
  // counts as received.
  if (counted) traffic_.count_taken_in(1);
}

// The path of most messages from one thread to itself and back, without a function call: all
// conditions are checked before anything is done.
void Messenger::message(Rank source, core::Buffer&& data) {
  const SingleHeader header(data.bytes());
  if (!runs_next_at_once_ || !header.is_valid() || arrivals_.is_awaiting())
    return receive(source, std::move(data));
  const HandlerTable::Entry* entry = table_.find(header.handler());
  if (entry == nullptr) return receive(source, std::move(data));
  const ProgramHandler* const plain = entry->plain;
  if (plain == nullptr) return call_at_once(*entry, source, std::move(data));
  const std::size_t bytes = data.size();
  if (!engine_.run_next(&next_message_)) return receive(source, std::move(data));
  next_message_.put(*plain, source, data.release());
  traffic_.count_arrivals(source, 1, bytes);
  if (header.is_counted()) traffic_.count_taken_in(1);
}

// For message(), which has checked all conditions.
[[gnu::noinline]] void Messenger::call_at_once(const HandlerTable::Entry& handler, Rank source,
                                               core::Buffer&& data) {
  const bool counted = SingleHeader(data.bytes()).is_counted();
  hand_over(handler, source, std::move(data), counted);
}

// The path of most messages, in one function.
void Messenger::receive(Rank source, core::Buffer&& data) {
  if (flow_.credits() != nullptr) credits().count_arrival(source, Credits::charge(data.size()));
  const SingleHeader header(data.bytes());
  if (!header.is_valid() || !capabilities_.ordered || arrivals_.is_awaiting())
    return message_in_turn(source, std::move(data));
  const HandlerTable::Entry* entry = table_.find(header.handler());
  if (entry == nullptr) return reject(source, "unknown handler");
  hand_over(*entry, source, std::move(data), header.is_counted());
}

void Messenger::message_in_turn(Rank source, core::Buffer&& data) {
  WireHeader header;
  if (!read_header(data.bytes(), header)) return reject(source, "bad header");
  if (!capabilities_.ordered) return in_sequence(source, header, std::move(data));
  in_order(source, header, std::move(data));
}

void Messenger::in_sequence(Rank source, const WireHeader& header, core::Buffer&& data) {
  switch (arrivals_.turn_of(source, header.sequence, data)) {
    case ArrivalOrder::Turn::repeated:
      return reject(source, "repeated sequence number");
    case ArrivalOrder::Turn::later:
      return;
    case ArrivalOrder::Turn::now:
      break;
  }
  in_order(source, header, std::move(data));
  while (std::optional<core::Buffer> next = arrivals_.next_in_sequence(source)) {
    WireHeader next_header;
    static_cast<void>(read_header(next->bytes(), next_header));  // it was valid when it came
    in_order(source, next_header, std::move(*next));
  }
}

void Messenger::in_order(Rank source, const WireHeader& header, core::Buffer&& data) {
  if (std::popcount(static_cast<std::uint16_t>(header.flags & WireHeader::with_bulk)) > 1)
    return reject(source, "several kinds of message in one");
  if ((header.flags & WireHeader::beside) != 0)
    return announced_beside(source, header, std::move(data));
  if ((header.flags & WireHeader::attached) != 0)
    return announced_attached(source, std::move(data));
  if ((header.flags & WireHeader::announce) != 0) {
    BulkAnnouncement announcement;
    if (data.size() != payload_offset + sizeof announcement)
      return reject(source, "bad announcement");
    std::memcpy(&announcement, data.data() + payload_offset, sizeof announcement);
    if (announcement.size > options_.largest_message_bytes)
      return reject(source, "announced size too large");
    arrivals_.await(source, announcement.tag);
    if (flow_.credits() != nullptr)
      credits().count_arrival(source, Credits::charge(announcement.size));
    endpoint_.receive_bulk(source, announcement.tag, static_cast<std::size_t>(announcement.size));
    return;
  }
  if (arrivals_.is_awaiting() && arrivals_.take_behind(source, data)) return;
  dispatch(source, header, std::move(data));
}

void Messenger::bulk(Rank source, transport::BulkTag tag, core::Buffer&& data) {
  if (!arrivals_.has_come(source, tag, std::move(data)))
    return reject(source, "unexpected bulk transfer");
  while (std::optional<ArrivalOrder::Message> next = arrivals_.next(source)) {
    WireHeader header;
    if (!read_header(next->message.bytes(), header)) {
      reject(source, "bad header");
    } else if ((header.flags & WireHeader::attached) != 0) {
      dispatch_attached(source, header, std::move(next->message), std::move(next->beside));
    } else if ((header.flags & WireHeader::beside) != 0 || next->beside) {
      dispatch_beside(source, header, std::move(next->message), std::move(next->beside));
    } else {
      dispatch(source, header, std::move(next->message));
    }
  }
}

void Messenger::dispatch(Rank source, const WireHeader& header, core::Buffer&& data) {
  if ((header.flags & WireHeader::batch) != 0) return dispatch_batch(source, std::move(data));
  const HandlerTable::Entry* entry = table_.find(header.handler);
  if (entry == nullptr) return reject(source, "unknown handler");
  hand_over(*entry, source, std::move(data), (header.flags & WireHeader::counted) != 0);
}

void Messenger::reject(Rank, const char*) { traffic_.count_rejected(); }

void Messenger::peer_failed(Rank peer, const char* reason) {
  if (flow_.credits() != nullptr) {
    credits().grant_all_to(peer);
    send_waiting(peer);
  }
  if (on_failure_)
    on_failure_("rank " + std::to_string(peer.value()) + " can no longer be reached: " + reason);
}

void Messenger::answer_failure(const ReplyTo& to, ReplyStatus status, const std::string& text) {
  if (!to) return;
  Outgoing<ReplyHead> answer = begin(ReplyHead{to.token, status}, text.size());
  core::pack(answer.packer(), text);
  post(to.rank, std::move(answer));
}

}  // namespace roam::am
