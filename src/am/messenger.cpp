// SPDX-License-Identifier: Apache-2.0
#include "roam/am/messenger.hpp"

#include <algorithm>
#include <bit>
#include <mutex>
#include <thread>

#include "roam/core/error.hpp"
#include "source_line.hpp"

namespace roam::am {

namespace {
// Taken from the network in one turn at most, so that a flood does not keep a worker from its
// handlers.
constexpr std::size_t most_arrivals_per_poll = 64;
// Longer messages are not sent from a pool.
constexpr std::size_t pooled_message_bytes = 1024;
constexpr std::size_t kept_messages = 4096;  // per slot
// Between the messages of a conversation a rank is at rest again and again. To tell the others each
// time would cost them, and it, more than a message does.
constexpr Duration silence_before_rest = std::chrono::microseconds(10);

std::unique_ptr<Coalescer> make_coalescer(std::size_t batch_bytes) {
  return batch_bytes == 0 ? nullptr : std::make_unique<Coalescer>(batch_bytes);
}

std::uintptr_t this_thread_tag() {
  return std::hash<std::thread::id>{}(std::this_thread::get_id());
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
      owner_thread_(this_thread_tag()),
      largest_single_(std::min(options.message_threshold_bytes, capabilities_.max_message_bytes)),
      coalescer_(make_coalescer(options.batch_bytes.value_or(capabilities_.batch_bytes))),
      credits_(make_credits()),
      sends_directly_(capabilities_.concurrent_send && capabilities_.ordered &&
                      !capabilities_.main_thread_only && coalescer_ == nullptr &&
                      credits_ == nullptr),
      charging_sink_(*this),
      sink_(credits_ != nullptr ? static_cast<transport::Sink&>(charging_sink_) : *this),
      may_keep_(engine.workers() == 1 && !engine.clock().is_virtual()),
      check_every_bytes_(options.high_water_bytes / 64 / engine.slot_count()),
      entries_{core::BufferPool::create(256, kept_messages, core::BufferPool::Use::many_threads),
               core::BufferPool::create(1024, kept_messages, core::BufferPool::Use::many_threads)},
      traffic_(std::make_unique<Traffic[]>(engine.slot_count())) {
  for (std::uint32_t slot = 0; slot < engine.slot_count(); ++slot) {
    using Use = core::BufferPool::Use;
    pools_.push_back(core::BufferPool::create(
        std::min(options.message_threshold_bytes, pooled_message_bytes), kept_messages,
        slot == engine.outside_slot() ? Use::many_threads : Use::mostly_one_thread));
  }
  bind("roam.reply", this, &Messenger::on_reply, true);
  bind("roam.hello", this, &Messenger::on_hello);
  bind("roam.credit", this, &Messenger::on_credit);
  engine_.services().set<Messenger>(this);
}

Messenger::~Messenger() {
  while (core::MpscNode* node = outbox_.pop()) delete static_cast<OutboxNode*>(node);
}

core::Buffer Messenger::begin_buffer(std::size_t bytes) {
  const std::size_t all = bytes + payload_offset;
  core::BufferPool& pool = *pools_[engine_.this_slot()];
  core::Buffer buffer = all <= pool.block_bytes() ? pool.take() : large_memory().take(all);
  buffer.set_size(payload_offset);
  return buffer;
}

void Messenger::post(Rank destination, std::uint32_t handler, core::Packer&& message,
                     bool counted) {
  forward(destination, handler, message.take(), counted);
}

// What a slot's own thread writes needs no read-modify-write; the outside slot has many threads.
void Messenger::bump(std::atomic<std::uint64_t> Traffic::*counter, std::uint64_t n) {
  const std::uint32_t slot = engine_.this_slot();
  std::atomic<std::uint64_t>& value = traffic_[slot].*counter;
  if (slot == engine_.outside_slot()) {
    value.fetch_add(n, std::memory_order_release);
  } else {
    add_alone(value, n);
  }
}

inline bool Messenger::count_traffic(std::size_t bytes, bool counted) {
  const std::uint32_t slot = engine_.this_slot();
  Traffic& traffic = traffic_[slot];
  if (slot == engine_.outside_slot()) {
    if (counted) traffic.counted_sent.fetch_add(1, std::memory_order_release);
    traffic.messages_sent.fetch_add(1, std::memory_order_release);
    traffic.bytes_sent.fetch_add(bytes, std::memory_order_release);
    return true;
  }
  if (counted) add_alone(traffic.counted_sent, 1);
  add_alone(traffic.messages_sent, 1);
  add_alone(traffic.bytes_sent, bytes);
  traffic.unchecked_bytes += bytes;
  if (traffic.unchecked_bytes < check_every_bytes_) return false;
  traffic.unchecked_bytes = 0;
  return true;
}

void Messenger::forward(Rank destination, std::uint32_t handler, core::Buffer&& message,
                        bool counted) {
  if (static_cast<std::uint32_t>(destination.value()) >= static_cast<std::uint32_t>(size_))
    require_rank(destination);
  WireHeader header;
  header.handler = handler;
  header.checked_size = static_cast<std::uint32_t>(message.size());
  header.flags = counted ? WireHeader::counted : 0;
  std::memcpy(message.data(), &header, sizeof header);

  const bool may_exceed = count_traffic(message.size(), counted);
  if (message.size() > largest_single_) {
    send_split(destination, std::move(message));
  } else if (sends_directly_) {
    endpoint_.send(destination, std::move(message));
  } else {
    transmit(destination, std::move(message), {}, 0);
  }
  if (may_exceed && counted) hold_back_sender();
}

bool Messenger::put_into_batch(Rank destination, std::uint32_t handler,
                               std::span<const std::byte> payload) {
  // Whoever cannot have the endpoint at once goes by the outbox.
  if (capabilities_.main_thread_only || !endpoint_lock_.try_lock()) return false;
  const bool takes = outbox_size_.load(std::memory_order_relaxed) == 0 &&
                     coalescer_->is_collecting(destination, payload.size());
  bool may_exceed = false;
  if (takes) {
    may_exceed = count_traffic(sizeof(WireHeader) + payload.size(), true);
    coalescer_->append(handler, WireHeader::counted, payload,
                       [this](Rank to, core::Buffer&& batch) { send_one(to, std::move(batch)); });
  }
  endpoint_lock_.unlock();
  drain_what_came_meanwhile();
  if (may_exceed) hold_back_sender();
  return takes;
}

bool Messenger::count_beside(std::size_t bytes, bool counted) {
  return count_traffic(bytes, counted);
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

bool Messenger::lock_endpoint() {
  if (capabilities_.main_thread_only && this_thread_tag() != owner_thread_) return false;
  if (!endpoint_lock_.try_lock()) return false;
  endpoint_holder_.store(exec::current(), std::memory_order_relaxed);
  return true;
}

void Messenger::unlock_endpoint() {
  endpoint_holder_.store(nullptr, std::memory_order_relaxed);
  endpoint_lock_.unlock();
}

void Messenger::transmit(Rank destination, core::Buffer&& message, core::Buffer&& bulk,
                         std::uint32_t tag) {
  if (sends_directly_) {
    put_on_wire(destination, std::move(message), std::move(bulk), tag);
    return;
  }
  // Inside our own poll(): the endpoint is ours already, and nothing of this thread waits in the
  // outbox.
  const exec::Context* self = exec::current();
  if (self != nullptr && endpoint_holder_.load(std::memory_order_relaxed) == self) {
    put_on_wire(destination, std::move(message), std::move(bulk), tag);
    return;
  }
  if (lock_endpoint()) {
    if (outbox_size_.load(std::memory_order_relaxed) > 0) drain_outbox();
    put_on_wire(destination, std::move(message), std::move(bulk), tag);
    unlock_endpoint();
  } else {
    auto* node = new OutboxNode;
    node->destination = destination;
    node->message = std::move(message);
    node->bulk = std::move(bulk);
    outbox_bytes_.fetch_add(node->memory_bytes(), std::memory_order_relaxed);
    node->tag = tag;
    outbox_.push(node);
    outbox_size_.fetch_add(1, std::memory_order_seq_cst);
  }
  drain_what_came_meanwhile();
}

// Whoever held the lock may have drained before another thread's push: who let go of it looks
// again.
inline void Messenger::drain_what_came_meanwhile() {
  while (outbox_size_.load(std::memory_order_seq_cst) > 0 && lock_endpoint()) {
    if (outbox_size_.load(std::memory_order_relaxed) > 0) drain_outbox();
    unlock_endpoint();
  }
}

void Messenger::drain_outbox() {
  while (core::MpscNode* popped = outbox_.pop()) {
    const std::unique_ptr<OutboxNode> node(static_cast<OutboxNode*>(popped));
    outbox_size_.fetch_sub(1, std::memory_order_relaxed);
    outbox_bytes_.fetch_sub(node->memory_bytes(), std::memory_order_relaxed);
    put_on_wire(node->destination, std::move(node->message), std::move(node->bulk), node->tag);
  }
}

void Messenger::put_on_wire(Rank destination, core::Buffer&& message, core::Buffer&& bulk,
                            std::uint32_t tag) {
  if (credits_ != nullptr && credits_->is_blocked(destination))
    return wait_for_credit(destination, std::move(message), std::move(bulk), tag);
  if (coalescer_ != nullptr) {
    const auto send = [this](Rank to, core::Buffer&& batch) { send_one(to, std::move(batch)); };
    if (bulk) {
      coalescer_->flush(destination, send);
    } else if (coalescer_->add(destination, message, send)) {
      return;
    }
  }
  send_one(destination, std::move(message), std::move(bulk), tag);
}

void Messenger::send_one(Rank destination, core::Buffer&& message, core::Buffer&& bulk,
                         std::uint32_t tag) {
  if (credits_ != nullptr) {
    if (credits_->is_blocked(destination))
      return keep_for_credit(destination, std::move(message), std::move(bulk), tag);
    credits_->count_sent(destination, Credits::charge(message, bulk));
  }
  send_now(destination, std::move(message), std::move(bulk), tag);
}

void Messenger::send_now(Rank destination, core::Buffer&& message, core::Buffer&& bulk,
                         std::uint32_t tag) {
  if (!capabilities_.ordered) {
    const std::uint32_t sequence = next_sequence_[destination.value()]++;
    std::memcpy(message.data() + offsetof(WireHeader, sequence), &sequence, sizeof sequence);
  }
  endpoint_.send(destination, std::move(message));
  if (bulk) endpoint_.send_bulk(destination, tag, std::move(bulk));
}

inline void Messenger::note_silence(Instant now) {
  if (silent_since_ == never) silent_since_ = now;
  if (credits_ == nullptr && now - silent_since_ >= silence_before_rest) publish_rest(is_at_rest());
}

inline void Messenger::note_arrivals() {
  silent_since_ = never;
  if (is_published_at_rest_) publish_rest(false);
}

// After a silence the first message is handled before anybody looks for a second; while they keep
// coming, more are taken at a time.
inline std::size_t Messenger::take_arrivals(Instant now) {
  const std::size_t done = endpoint_.progress(sink_, arrivals_limit_);
  if (done == 0) {
    arrivals_limit_ = 1;
  } else if (done >= arrivals_limit_) {
    arrivals_limit_ = std::min(2 * arrivals_limit_, most_arrivals_per_poll);
  }
  if (done == 0) {
    note_silence(now);
  } else {
    note_arrivals();
  }
  return done;
}

std::size_t Messenger::poll(Instant now) {
  return sends_directly_ ? take_arrivals(now) : poll_locked(now);
}

std::size_t Messenger::poll_locked(Instant now) {
  if (!lock_endpoint()) return 0;
  if (outbox_size_.load(std::memory_order_relaxed) > 0) drain_outbox();
  if (coalescer_ != nullptr && coalescer_->is_touched()) flush_batches();
  const std::size_t done = take_arrivals(now);
  // What system handlers have sent meanwhile.
  if (coalescer_ != nullptr && coalescer_->is_touched()) flush_batches();
  if (credits_ != nullptr) give_credit(now);
  unlock_endpoint();
  return done;
}

// An idle worker runs what it has just received: nothing has to be made for any queue.
inline bool Messenger::keep(const HandlerTable::Entry& handler, Rank source, core::Buffer& data) {
  if (!may_keep_ || handler.program == nullptr || !handler.program->is_plain) return false;
  if (!engine_.keep(&kept_)) return false;
  kept_.put(*handler.program, source, std::move(data));
  return true;
}

void Messenger::KeptMessage::run(exec::Context& context) {
  core::Buffer memory = std::move(buffer_);
  handler_->run_in_place(messenger_, *handler_, source_,
                         std::as_const(memory).bytes().subspan(payload_offset), context);
  messenger_.pools_[context.slot]->keep(std::move(memory));  // for what this slot sends next
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
  add_alone(messages_received_, 1);
  add_alone(bytes_received_, data.size());
  if (!keep(handler, source, data))
    call(handler, {source, std::move(data), payload_offset, counted});
  // Last: what the message caused is visible (queued, or sent on and counted) before it counts as
  // taken in.
  if (counted) count_taken_in(1);
}

// The way of most messages, in one function.
void Messenger::message(Rank source, core::Buffer data) {
  WireHeader header;
  if (!read_header(data.bytes(), header)) return reject(source, "bad header");
  const bool is_single = (header.flags & ~WireHeader::counted) == 0;
  if (!is_single || !capabilities_.ordered || lines_held_ > 0)
    return message_in_turn(source, header, std::move(data));
  const HandlerTable::Entry* entry = table_.find(header.handler);
  if (entry == nullptr) return reject(source, "unknown handler");
  hand_over(*entry, source, std::move(data), (header.flags & WireHeader::counted) != 0);
}

void Messenger::message_in_turn(Rank source, const WireHeader& header, core::Buffer&& data) {
  if (!capabilities_.ordered) return in_sequence(source, header, std::move(data));
  in_order(source, header, std::move(data));
}

void Messenger::in_sequence(Rank source, const WireHeader& header, core::Buffer&& data) {
  Arrivals& arrivals = arrivals_[source.value()];
  const auto ahead = static_cast<std::int32_t>(header.sequence - arrivals.next_sequence);
  if (ahead < 0 || (ahead > 0 && arrivals.early.contains(header.sequence)))
    return reject(source, "repeated sequence number");
  if (ahead > 0) {
    arrivals.early.emplace(header.sequence, std::move(data));
    return;
  }
  ++arrivals.next_sequence;
  in_order(source, header, std::move(data));
  for (auto next = arrivals.early.find(arrivals.next_sequence); next != arrivals.early.end();
       next = arrivals.early.find(arrivals.next_sequence)) {
    core::Buffer buffer = std::move(next->second);
    arrivals.early.erase(next);
    ++arrivals.next_sequence;
    WireHeader next_header;
    static_cast<void>(read_header(buffer.bytes(), next_header));  // it was valid when it came
    in_order(source, next_header, std::move(buffer));
  }
}

void Messenger::in_order(Rank source, const WireHeader& header, core::Buffer&& data) {
  if (std::popcount(static_cast<std::uint16_t>(header.flags & WireHeader::with_bulk)) > 1)
    return reject(source, "several kinds of message in one");
  if ((header.flags & WireHeader::beside) != 0) return announced_beside(source, std::move(data));
  if ((header.flags & WireHeader::attached) != 0)
    return announced_attached(source, std::move(data));
  if ((header.flags & WireHeader::announce) != 0) {
    BulkAnnouncement announcement;
    if (data.size() != payload_offset + sizeof announcement)
      return reject(source, "bad announcement");
    std::memcpy(&announcement, data.data() + payload_offset, sizeof announcement);
    if (announcement.size > options_.largest_message_bytes)
      return reject(source, "announced size too large");
    arrivals_[source.value()].line.push_back({{}, announcement.tag, true});
    ++lines_held_;
    if (credits_ != nullptr) credits_->count_arrival(source, Credits::charge(announcement.size));
    endpoint_.receive_bulk(source, announcement.tag, static_cast<std::size_t>(announcement.size));
    return;
  }
  if (lines_held_ > 0) {
    if (const auto found = arrivals_.find(source.value());
        found != arrivals_.end() && !found->second.line.empty()) {
      found->second.line.push_back({std::move(data), 0, false});
      return;
    }
  }
  dispatch(source, header, std::move(data));
}

void Messenger::bulk(Rank source, transport::BulkTag tag, core::Buffer data) {
  Arrivals& arrivals = arrivals_[source.value()];
  const auto place = std::find_if(arrivals.line.begin(), arrivals.line.end(), [tag](const auto& p) {
    return p.is_bulk && p.awaited_tag == tag;
  });
  if (place == arrivals.line.end()) return reject(source, "unexpected bulk transfer");
  (place->is_beside ? place->data : place->message) = std::move(data);
  place->is_bulk = false;
  --lines_held_;
  while (!arrivals.line.empty() && !arrivals.line.front().is_bulk) {
    Arrivals::Place next = std::move(arrivals.line.front());
    arrivals.line.pop_front();
    WireHeader header;
    if (!read_header(next.message.bytes(), header)) {
      reject(source, "bad header");
    } else if ((header.flags & WireHeader::attached) != 0) {
      dispatch_attached(source, header, std::move(next.message), std::move(next.data));
    } else if ((header.flags & WireHeader::beside) != 0 || next.data) {
      dispatch_beside(source, header, std::move(next.message), std::move(next.data));
    } else {
      dispatch(source, header, std::move(next.message));
    }
  }
}

void Messenger::count_arrival(std::size_t bytes) {
  add_alone(messages_received_, 1);
  add_alone(bytes_received_, bytes);
}

void Messenger::dispatch(Rank source, const WireHeader& header, core::Buffer&& data) {
  if ((header.flags & WireHeader::batch) != 0) return dispatch_batch(source, std::move(data));
  const HandlerTable::Entry* entry = table_.find(header.handler);
  if (entry == nullptr) return reject(source, "unknown handler");
  hand_over(*entry, source, std::move(data), (header.flags & WireHeader::counted) != 0);
}

void Messenger::reject(Rank, const char*) {
  messages_rejected_.fetch_add(1, std::memory_order_relaxed);
}

void Messenger::peer_failed(Rank peer, const char* reason) {
  if (credits_ != nullptr) {
    credits_->grant_all_to(peer);
    send_waiting(peer);
  }
  if (on_failure_)
    on_failure_("rank " + std::to_string(peer.value()) + " can no longer be reached: " + reason);
}

std::pair<PendingReply*, ReplyTo> Messenger::expect_reply(const char* label, ObjectId subject) {
  auto* pending = new PendingReply(engine_, label, subject);
  return {pending, {rank_, replies_.add(pending)}};
}

void Messenger::answer_failure(const ReplyTo& to, ReplyStatus status, const std::string& text) {
  if (!to) return;
  core::Packer packer = begin(text.size());
  core::pack(packer, to.token, static_cast<std::uint8_t>(status), text);
  post(to.rank, constant_handler_id("roam.reply"), std::move(packer), true);
}

void Messenger::on_reply(void* self, Incoming&& message) {
  auto& messenger = *static_cast<Messenger*>(self);
  core::Unpacker bytes(message.payload());
  const auto token = core::unpack<std::uint64_t>(bytes);
  const auto status = core::unpack<std::uint8_t>(bytes);
  if (status > static_cast<std::uint8_t>(ReplyStatus::aborted))
    throw MalformedMessage("unknown reply status");
  std::string text;
  if (status != 0) text = core::unpack<std::string>(bytes);
  PendingReply* pending = messenger.replies_.take(token);
  if (pending == nullptr) throw MalformedMessage("reply to an unknown request");
  const std::size_t offset = message.buffer.size() - bytes.remaining();
  pending->complete(static_cast<ReplyStatus>(status), std::move(message.buffer), offset,
                    std::move(text), std::move(message.attachment));
}

namespace {
std::uint64_t sum(std::uint32_t count, const auto& field) {
  std::uint64_t total = 0;
  for (std::uint32_t i = 0; i < count; ++i) total += field(i).load(std::memory_order_acquire);
  return total;
}
}  // namespace

std::uint64_t Messenger::counted_sent() const {
  return sum(
      engine_.slot_count(), [&](auto i) -> auto& { return traffic_[i].counted_sent; });
}

std::uint64_t Messenger::counted_received() const {
  const std::uint64_t outside_poll = sum(
      engine_.slot_count(), [&](auto i) -> auto& { return traffic_[i].counted_received; });
  return outside_poll + counted_in_poll_.load(std::memory_order_acquire);
}

MessengerStats Messenger::stats() const {
  MessengerStats stats;
  stats.messages_sent = sum(
      engine_.slot_count(), [&](auto i) -> auto& { return traffic_[i].messages_sent; });
  stats.bytes_sent = sum(
      engine_.slot_count(), [&](auto i) -> auto& { return traffic_[i].bytes_sent; });
  stats.messages_received = messages_received_.load(std::memory_order_relaxed);
  stats.bytes_received = bytes_received_.load(std::memory_order_relaxed);
  stats.messages_rejected = messages_rejected_.load(std::memory_order_relaxed);
  stats.held_bytes = held_bytes();
  stats.most_held_bytes = most_held_bytes_.load(std::memory_order_relaxed);
  stats.times_held_back = times_held_back_.load(std::memory_order_relaxed);
  if (credits_ != nullptr) {
    stats.waiting_bytes = credits_->waiting_bytes();
    stats.most_waiting_bytes = credits_->most_waiting_bytes();
  }
  return stats;
}

}  // namespace roam::am
