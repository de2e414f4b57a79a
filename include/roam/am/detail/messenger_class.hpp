// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "roam/am/detail/arrival_order.hpp"
#include "roam/am/detail/bulk_receiver.hpp"
#include "roam/am/detail/coalescer.hpp"
#include "roam/am/detail/epochs.hpp"
#include "roam/am/detail/flow_control.hpp"
#include "roam/am/detail/handler_table.hpp"
#include "roam/am/detail/live_handlers.hpp"
#include "roam/am/detail/message_memory.hpp"
#include "roam/am/detail/messenger_options.hpp"
#include "roam/am/detail/program_comparison.hpp"
#include "roam/am/detail/requests.hpp"
#include "roam/am/detail/source_lines.hpp"
#include "roam/am/detail/system_message.hpp"
#include "roam/am/detail/traffic_counters.hpp"
#include "roam/am/detail/wire.hpp"
#include "roam/core/detail/buffer_pool.hpp"
#include "roam/core/detail/buffer_pools.hpp"
#include "roam/core/detail/mpsc_queue.hpp"
#include "roam/core/detail/owned.hpp"
#include "roam/core/detail/parameters.hpp"
#include "roam/core/detail/spin_lock.hpp"
#include "roam/core/serialise.hpp"
#include "roam/exec/engine.hpp"
#include "roam/transport/endpoint.hpp"

namespace roam::am {

struct Credit;

/// Active messages of one rank over one Endpoint (DMCS): typed handlers, replies, order,
/// split-phase messages, flow control. Thread-safe unless said otherwise. Knows nothing of objects.
class Messenger final : public exec::Poller, private transport::Sink {
 public:
  Messenger(transport::Endpoint& endpoint, exec::Engine& engine, const MessengerOptions& options);
  ~Messenger() override;

  [[nodiscard]] Rank rank() const { return rank_; }
  [[nodiscard]] std::int32_t size() const { return size_; }
  [[nodiscard]] exec::Engine& engine() const { return engine_; }
  [[nodiscard]] MessengerStats stats() const;
  /// From now on it is counted who sends how much, at a lock for each arrival. Before the first
  /// step.
  void count_by_source() { traffic_.count_by_source(); }
  /// What has been counted so; nothing without count_by_source(). A rank's messages to itself do
  /// not travel.
  [[nodiscard]] std::vector<SourceTraffic> traffic_by_source() const {
    return traffic_.by_source();
  }
  /// Which messages and handlers belong to which epoch (M10).
  [[nodiscard]] Epochs& epochs() { return *epochs_; }

  // --- programs: handlers named by template argument ---

  /// Runs Handler(arguments...) on a worker of `destination`. Returns at once; the arguments may be
  /// reused. A large array given up by std::move (a std::vector, a roam::Array) is sent from where
  /// it lies; any other is copied once. Past the high-water mark (A3) it returns once there is
  /// room: inside a handler or main program, other handlers may run on the calling thread
  /// meanwhile, so no lock of the program's own may be held across it.
  template <auto Handler, class... A>
  void send(Rank destination, A&&... arguments);
  /// The same, and the handler's result (or exception) comes back.
  template <auto Handler, class... A>
  [[nodiscard]] auto request(Rank destination, A&&... arguments);

  // --- rooms above: system messages, whose handlers are bound before the first one arrives ---

  /// Whatever message the handler takes is its owner's from now on: `void Owner::handler(const
  /// M&)`, or with the rank that sent it, `(const M&, Rank)`, or, where something follows the
  /// fields,
  /// `(const M&, Incoming&&)` whose payload is what follows. It is called at once, inside progress,
  /// and must not block; throws MalformedMessage if the message cannot be (A7).
  template <auto Handler, class Owner>
  void bind(Owner& owner);
  /// The same; all that the handler calls is inlined into it, where it can be: for the message on
  /// which the time of a call depends.
  template <auto Handler, class Owner>
  void bind_flattened(Owner& owner);
  /// Sends a message of a kind that nothing follows.
  template <SystemMessage M>
  void post(Rank destination, const M& message);
  /// The same with these bytes behind the fields.
  template <SystemMessage M>
    requires has_fixed_layout<M>
  void post(Rank destination, const M& message, std::span<const std::byte> behind);
  /// Begins a message with more behind its fields, of `bytes_behind` bytes at a guess, for post().
  template <SystemMessage M>
  [[nodiscard]] Outgoing<M> begin(const M& message, std::size_t bytes_behind = 0);
  template <SystemMessage M>
  void post(Rank destination, Outgoing<M>&& message);
  /// The same, with what has been taken out of the message, if anything.
  template <SystemMessage M>
  void post_with(core::Attachment&& attachment, Rank destination, Outgoing<M>&& message);
  /// Sends arguments behind the fields, as parameters of the types of a tuple; of large ones an
  /// array travels beside the message, without a copy where it is given up.
  template <SystemMessage M, class... P, class... A>
  void post_behind(Rank destination, const M& message,
                   std::type_identity<std::tuple<P...>> parameters, A&&... arguments);
  /// Sends a message with bulk data beside it, for the BulkReceiver of the destination. Later
  /// messages to it wait until both are there (A2). A borrowed buffer is sent from where it lies.
  template <SystemMessage M>
  void post_beside(Rank destination, Outgoing<M>&& message, core::Buffer&& data);
  /// Begins such a message.
  template <SystemMessage M>
  [[nodiscard]] Outgoing<M> begin_beside(const M& message);
  /// A kind of message that the BulkReceiver takes and no handler: it must be the same everywhere,
  /// too (A6).
  template <SystemMessage M>
  void require_message() {
    table_.require_everywhere(message_declaration<M>.signature);
  }

  /// A setting of the program that must have one value on all ranks, "--roam-balancer" for example:
  /// compared at start, before the handlers are. Before announce_handlers().
  void require_equal(std::string setting, std::string value) {
    comparison_.require_equal(std::move(setting), std::move(value));
  }
  /// A name that all ranks must know (A6); see HandlerTable.
  void require_everywhere(std::string_view symbol) { table_.require_everywhere(symbol); }
  /// A message that is no longer needed: its memory is what this worker sends next, perhaps. Not
  /// inside a coroutine.
  void recycle(core::Buffer&& message) { memory_.pool(slot_here()).recycle(std::move(message)); }
  /// A packer whose buffer has room for the header; fill it and hand it to post().
  [[nodiscard]] core::Packer begin(std::size_t size_hint = 0) {
    return core::Packer(begin_buffer(size_hint));
  }
  /// Sends it. `counted`: it carries work of the program, quiescence waits for it.
  void post(Rank destination, std::uint32_t handler, core::Packer&& message, bool counted);
  /// Sends a counted message with this payload.
  void post_bytes(Rank destination, std::uint32_t handler, std::span<const std::byte> payload);
  /// Sends a counted message for a handler of the program: token and parameters, which are plain.
  template <auto Handler, class... P>
  void post_plain(Rank destination, std::uint64_t token, P... parameters);
  template <auto Handler, class... P>
  void post_plain_in_turn(Rank destination, std::uint64_t token, P... parameters);
  /// Sends a counted message of Head::bytes that head.write_to(place) writes, and plain parameters
  /// behind it, for a system handler.
  template <std::uint32_t Handler, class Head, class... P>
  void post_plain_behind(Rank destination, Head head, P... parameters);
  /// The same as post_plain() of any parameters, in the epoch of what runs on this thread.
  template <auto Handler, class... P, class... A>
  void post_in_epoch(Rank destination, std::uint64_t token,
                     std::type_identity<std::tuple<P...>> parameters, A&&... arguments);
  /// Sends on a message that was received, as it is, under another handler.
  void forward(Rank destination, std::uint32_t handler, core::Buffer&& message, bool counted);

  /// Posts what write_head(packer) writes and arguments as parameters of the types of a tuple; of
  /// large arguments an array travels beside the message, without a copy where it is given up.
  template <class... P, class WriteHead, class... A>
  void post_parameters(Rank destination, std::uint32_t handler,
                       std::type_identity<std::tuple<P...>> parameters, WriteHead&& write_head,
                       bool counted, A&&... arguments);
  /// The same as post(), with what has been taken out of the message, if anything.
  void post_with(core::Attachment&& attachment, Rank destination, std::uint32_t handler,
                 core::Packer&& message, bool counted);
  /// The same as forward() with an attachment, in a message that begins as begin_beside() has it.
  void forward_attached(Rank destination, std::uint32_t handler, core::Buffer&& message,
                        core::Attachment&& attachment, bool counted);
  /// Memory for large messages.
  [[nodiscard]] core::BufferPools& large_memory() { return memory_.large(); }

  void post_beside(Rank destination, std::uint32_t handler, core::Packer&& message,
                   core::Buffer&& data, bool counted);
  /// Room for a BulkAnnouncement that comes first in a message with something beside it.
  [[nodiscard]] core::Packer begin_beside();
  void set_bulk_receiver(BulkReceiver* receiver) { bulk_receiver_ = receiver; }
  /// Longest message, header included, that travels in one piece.
  [[nodiscard]] std::size_t longest_message_bytes() const { return largest_single_; }
  [[nodiscard]] std::size_t largest_transfer_bytes() const {
    return options_.largest_message_bytes;
  }
  /// True if what is sent by reference is only read, and given back: see begin_lending().
  [[nodiscard]] bool gives_back_what_is_sent() const { return !capabilities_.hands_over; }
  /// True if all ranks are of this process: a pointer to memory means the same on each.
  [[nodiscard]] bool shares_memory() const { return capabilities_.hands_over; }
  /// A buffer over the program's own memory is given out to be sent: quiescence waits until it is
  /// gone, flow control does not count its bytes. Any thread.
  void begin_lending(std::size_t bytes);
  void end_lending(std::size_t bytes);
  /// Puts on the wire what waits to be sent together. Before the endpoint closes, when no thread
  /// uses the messenger any more.
  void flush();
  /// Runs a handler of the program as if its arguments, in `message` from its offset on, had just
  /// been sent by message.source. Inside progress. Throws MalformedMessage if there is no such
  /// handler.
  void deliver(std::uint32_t handler, Incoming&& message);
  /// Queues the run of an arrived handler behind those of its source (A2).
  void run_in_source_order(Rank source, exec::ReadyItem* run) {
    if (engine_.runs_in_push_order()) return engine_.push(run);
    source_lines_.add(source, run);
  }

  /// Registers a request: the pending state has to be released by a Reply, the ReplyTo travels with
  /// the request.
  [[nodiscard]] std::pair<PendingReply*, ReplyTo> expect_reply(const char* label,
                                                               ObjectId subject) {
    return requests_.expect(label, subject);
  }
  /// Answers a request with values; no-op for a default ReplyTo.
  template <class... T>
  void answer(const ReplyTo& to, T&&... values);
  void answer_failure(const ReplyTo& to, ReplyStatus status, const std::string& text);
  /// Answers a request of this rank's own at once, without a message. Not inside a coroutine.
  template <class... T>
  void answer_here(std::uint64_t token, T&&... values);
  /// How many messages this thread has sent, for may_have_sent_since(). Not inside a coroutine.
  [[nodiscard]] std::uint64_t sent_by_this_thread() const {
    return traffic_.sent_from(slot_here());
  }
  /// False if this thread has sent nothing since then, so that what happens now on this rank comes
  /// before no message that it should come after (A2). Not inside a coroutine.
  [[nodiscard]] bool may_have_sent_since(std::uint64_t sent_by_then) const {
    return (coalescer_ != nullptr && coalescer_->may_be_collecting()) ||
           sent_by_this_thread() != sent_by_then;
  }
  /// What has been asked: to cancel it, to hear of that.
  [[nodiscard]] Requests& requests() { return requests_; }
  void abort_replies(const std::string& reason) { requests_.abort_all(reason); }
  /// Coroutine handlers under way.
  [[nodiscard]] LiveHandlers& live_handlers() { return live_handlers_; }
  /// The job ends: frees those that are still suspended.
  void abandon_all() {
    epochs_->stop();
    live_handlers_.abandon_all();
  }
  /// Counts a message that cannot be (A7).
  void reject(Rank source, const char* why);

  /// Counted messages sent and fully taken in, for quiescence.
  [[nodiscard]] std::uint64_t counted_sent() const;
  [[nodiscard]] std::uint64_t counted_received() const;
  [[nodiscard]] const HandlerTable& handlers() const { return table_; }
  /// Sends this rank's handler hash towards rank 0, where differences stop the job (A6). Once, at
  /// start.
  void announce_handlers() { comparison_.announce(); }
  /// Where a peer's failure and a handler mismatch are reported.
  void set_failure_handler(std::function<void(const std::string&)> handler) {
    on_failure_ = std::move(handler);
  }

  // --- engine ---
  std::size_t poll(Instant now) override;
  void add_to(exec::WorkingSet& set) const override;

  static constexpr std::size_t payload_offset = sizeof(WireHeader);

 private:
  /// A counted message with its header, for post_small() once the payload is written.
  struct SmallMessage {
    core::MpscNode* block = nullptr;
    std::byte* payload = nullptr;
    std::uint32_t slot = 0;
    std::size_t bytes = 0;
  };
  /// Without a block if something has to be done besides.
  template <std::size_t PayloadBytes>
  [[nodiscard]] SmallMessage begin_small(const exec::Context* context, Rank destination,
                                         std::uint32_t handler);
  template <auto Handler>
  static void dispatch_program(Messenger& self, const ProgramHandler& handler, Incoming&& message);
  template <auto Handler>
  static void dispatch_in_epoch(Messenger& self, const ProgramHandler& handler, std::uint64_t epoch,
                                Incoming&& message);
  /// Sends a counted message as part of the batch that is being put together for its destination;
  /// false if there is none, or none for such a message.
  template <std::size_t N>
  [[nodiscard]] bool put_into_batch(Rank destination, std::uint32_t handler,
                                    const std::array<std::byte, N>& payload);
  /// The same of a payload that write(place) writes, which neither throws nor sends.
  template <class Write>
  [[nodiscard]] bool write_into_batch(Rank destination, std::uint32_t handler,
                                      std::size_t payload_bytes, Write&& write);
  /// Calls put(), which returns whether it did, if there is such a batch.
  template <class Put>
  [[nodiscard]] bool use_batch(Rank destination, Put&& put);
  /// Room for one more message in the batch; nullptr if it is too long for any.
  [[nodiscard]] std::byte* extend_batch(std::uint32_t handler, std::size_t payload_bytes);
  void drain_and_hold_back(bool may_exceed);
  template <auto Handler>
  static void run_in_place(Messenger& self, const ProgramHandler& handler, Rank source,
                           std::span<const std::byte> payload, exec::Context& context);
  template <auto Handler>
  static std::uint32_t run_several(Messenger& self, const ProgramHandler& handler, Rank source,
                                   BatchReader& messages, std::uint32_t most,
                                   exec::Context& context);

  /// What an idle worker has received and is about to run.
  class NextMessage final : public exec::ReadyItem {
   public:
    explicit NextMessage(Messenger& messenger) : messenger_(messenger) {}
    void set_pool(core::BufferPool& pool) { pool_ = &pool; }
    void put(const ProgramHandler& handler, Rank source, core::MpscNode* block) {
      handler_ = &handler;
      source_ = source;
      block_ = block;
    }
    void run(exec::Context& context) override;

   private:
    Messenger& messenger_;
    const ProgramHandler* handler_ = nullptr;
    Rank source_;
    core::BufferPool* pool_ = nullptr;  // of whoever runs it
    core::MpscNode* block_ = nullptr;   // the message
  };
  class Polling;

  // transport::Sink, inside poll():
  void message(Rank source, core::Buffer&& data) override;
  void bulk(Rank source, transport::BulkTag tag, core::Buffer&& data) override;
  void peer_failed(Rank peer, const char* reason) override;

  std::size_t poll_locked(Instant now);
  void receive(Rank source, core::Buffer&& data);
  void call_at_once(const HandlerTable::Entry& handler, Rank source, core::Buffer&& data);
  /// A message that may have to wait, or does not come alone.
  void message_in_turn(Rank source, core::Buffer&& data);
  void in_sequence(Rank source, const WireHeader& header, core::Buffer&& data);
  void in_order(Rank source, const WireHeader& header, core::Buffer&& data);
  void dispatch(Rank source, const WireHeader& header, core::Buffer&& data);
  void dispatch_beside(Rank source, const WireHeader& header, core::Buffer&& data,
                       core::Buffer&& beside);
  void announced_beside(Rank source, const WireHeader& header, core::Buffer&& data);
  void dispatch_attached(Rank source, const WireHeader& header, core::Buffer&& data,
                         core::Buffer&& array);
  void announced_attached(Rank source, core::Buffer&& data);
  [[nodiscard]] bool is_rank(Rank destination) const {
    return static_cast<std::uint32_t>(destination.value()) < static_cast<std::uint32_t>(size_);
  }
  [[noreturn]] void throw_no_rank(Rank destination) const;
  /// The index of the array among the arguments that is to travel beside them, if any.
  [[nodiscard]] std::optional<std::size_t> choose_attachment(const core::ArraySizes& sizes) const;
  void dispatch_batch(Rank source, core::Buffer&& data);
  void dispatch_mixed_batch(Rank source, core::Buffer&& data);
  /// True if messages run out of the batch that they came in, where their handlers may.
  [[nodiscard]] bool may_run_batches() const;
  /// Calls the handler, or queues its run. Inside poll().
  [[nodiscard]] bool run_next(const HandlerTable::Entry& handler, Rank source, core::Buffer& data);
  void call(const HandlerTable::Entry& handler, Incoming&& message);
  void hand_over(const HandlerTable::Entry& handler, Rank source, core::Buffer&& data,
                 bool counted);
  /// A message of its own, header still to be written.
  [[nodiscard]] core::Buffer unpack_entry(std::span<const std::byte> payload);
  /// Sends it, or keeps it until there is credit.
  void send_one(Rank destination, core::Buffer&& message, core::Buffer&& bulk = {},
                std::uint32_t tag = 0);
  void send_now(Rank destination, core::Buffer&& message, core::Buffer&& bulk, std::uint32_t tag);
  /// Gives the message its place among those to its destination, where the network needs that.
  void number(Rank destination, core::Buffer& message);
  /// Announces a long message and sends it as bulk data.
  void send_split(Rank destination, core::Buffer&& message);
  /// Room for the header, and behind it for `bytes` more.
  [[nodiscard]] core::Buffer begin_buffer(std::size_t bytes);
  void send_from(std::uint32_t slot, Rank destination, std::uint32_t handler,
                 core::Buffer&& message, bool counted);
  /// Sends a counted message of so many bytes that fits one piece, header and all.
  void post_small(std::uint32_t slot, Rank destination, core::MpscNode* block, std::size_t bytes);
  void post_small_in_turn(Rank destination, core::MpscNode* block, bool may_exceed);
  void transmit(Rank destination, core::Buffer&& message);
  void transmit(Rank destination, core::Buffer&& message, core::Buffer&& bulk, std::uint32_t tag);
  void transmit_in_time(Rank destination, core::Buffer&& message, core::Buffer&& bulk,
                        std::uint32_t tag);
  void put_into_outbox(Rank destination, core::Buffer&& message, core::Buffer&& bulk,
                       std::uint32_t tag);
  /// By whoever has the endpoint. At once, or in a batch, or once there is credit.
  void put_on_wire(Rank destination, core::Buffer&& message);
  void put_on_wire(Rank destination, core::Buffer&& message, core::Buffer&& bulk,
                   std::uint32_t tag);
  void drain_outbox();
  void drain_what_came_meanwhile();
  std::size_t take_arrivals(Instant now);
  [[nodiscard]] bool lock_endpoint() {
    if (capabilities_.main_thread_only && core::this_thread_tag() != owner_thread_) return false;
    return endpoint_lock_.try_lock();
  }
  [[nodiscard]] bool is_polling_here() const;
  /// Not inside a coroutine: see exec::current().
  [[nodiscard]] std::uint32_t slot_here() const {
    return engine_.slot_of(exec::detail::current_context);
  }
  void wait_for_credit(Rank destination, core::Buffer&& message, core::Buffer&& bulk,
                       std::uint32_t tag);
  void hold_for_credit(Rank destination, core::Buffer&& message, core::Buffer&& bulk,
                       std::uint32_t tag);
  void send_waiting(Rank destination);
  void send_all_waiting();
  void give_credit(Instant now);
  void on_credit(const Credit& credit, Rank source);
  /// Where there are credits.
  [[nodiscard]] Credits& credits() const { return *flow_.credits(); }

  transport::Endpoint& endpoint_;
  exec::Engine& engine_;
  const MessengerOptions options_;
  const transport::Capabilities capabilities_;
  const Rank rank_;
  const std::int32_t size_;
  const core::ThreadTag owner_thread_;
  const std::size_t largest_single_;        // longer messages go split-phase
  const core::Owned<Coalescer> coalescer_;  // nullptr: none. Under endpoint_lock_
  TrafficCounters traffic_;
  MessageMemory memory_;
  FlowControl flow_;              // its credits: under endpoint_lock_
  const bool sends_directly_;     // any thread may, and order is the endpoint's
  const bool may_run_next_;       // one worker, real time: see run_next()
  const bool runs_next_at_once_;  // and nothing to be done before: see message()
  HandlerTable table_;
  std::function<void(const std::string&)> on_failure_;
  ProgramComparison comparison_;
  Requests requests_;
  LiveHandlers live_handlers_;
  SourceLines source_lines_;
  core::Owned<Epochs> epochs_;             // constant after construction
  BulkReceiver* bulk_receiver_ = nullptr;  // set before the first message

  // Sending through endpoints that admit one thread: whoever holds the lock sends for all.
  core::SpinLock endpoint_lock_;
  std::atomic<const exec::Context*> poller_{nullptr};  // whose poll() has the lock
  core::MpscQueue outbox_;
  std::atomic<std::uint32_t> outbox_size_{0};
  std::atomic<std::uint32_t> next_tag_{1};
  std::unordered_map<std::int32_t, std::uint32_t>
      next_sequence_;  // unordered transports; under endpoint_lock_

  // Written inside poll() only (one thread at a time):
  ArrivalOrder arrivals_;
  std::size_t arrivals_limit_ = 1;
  NextMessage next_message_{*this};
};

}  // namespace roam::am
