// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "roam/am/detail/messenger.hpp"
#include "roam/core/detail/owned.hpp"
#include "roam/core/detail/spin_lock.hpp"
#include "roam/mobile/detail/collection_work.hpp"
#include "roam/mobile/detail/object_space.hpp"
#include "roam/mobile/placement.hpp"

namespace roam::mobile {

struct KeyAnswer;
struct KeyRequest;

/// The collections of objects of one rank (M11), beside its ObjectSpace, in which their elements
/// live: creation, operations on all elements, sparse keys.
///
/// Operations - creation, broadcasts, phases, reductions, the end - go to rank 0, the root of a
/// binomial tree, and from there down the tree along links that keep order. Every rank therefore
/// sees all operations of all ranks in one and the same order, and starts each on the elements
/// whose home it is, by calls of its own: where the elements are, and go, is the ObjectSpace's
/// business, and M2 and M3 hold for these calls as for any. Results are combined at the home rank
/// in the order of the elements and up the tree in the order of ranks.
///
/// Thread-safe; nothing blocks, except that posting may wait for room as all messages do (A3). Code
/// of the program - constructors, operators, maps, serialisation - runs on workers, never inside
/// progress.
class Collections final : private ObjectSpace::ElementListener {
 public:
  /// Before the first message arrives; `space` must outlive it. Throws roam::Error if two
  /// operations or functions of the program have names of the same hash.
  explicit Collections(ObjectSpace& space);
  Collections(const Collections&) = delete;
  Collections& operator=(const Collections&) = delete;
  ~Collections();

  [[nodiscard]] ObjectSpace& space() const { return space_; }
  [[nodiscard]] am::Messenger& messenger() const { return space_.messenger(); }
  [[nodiscard]] exec::Engine& engine() const { return space_.engine(); }
  [[nodiscard]] Rank rank() const { return space_.rank(); }

  /// A message that starts an operation; its body, whatever the type expects, is to follow. The
  /// operation belongs to the epoch of what runs on this thread. `reply_token`: 0 if nobody waits.
  [[nodiscard]] core::Packer begin(const OperationType& type, std::uint64_t collection,
                                   std::uint64_t reply_token) const;
  /// Sends it to the root; by what has begun it, in the same epoch.
  void start(core::Packer&& message);

  /// This rank's part of a collection; nullptr if there is none of that name.
  [[nodiscard]] std::shared_ptr<CollectionState> find(std::uint64_t base) const;
  /// The same of the collection of an element.
  [[nodiscard]] std::shared_ptr<CollectionState> find(ObjectId element) const;
  /// "Block (2, 3) (object 0:17)", or "object 0:17" of what is no element of a dense collection.
  [[nodiscard]] std::string describe(ObjectId element) const;

  /// Somebody wanted something of a collection that is no more, or never was (M8).
  void report_gone(const am::ReplyTo& to, std::uint64_t base);

  // --- for operations ---
  [[nodiscard]] std::shared_ptr<Operation> operation(std::uint32_t number) const;
  /// The operation has its result, which has been sent on.
  void forget(const Operation& operation);
  void send_up(Rank parent, am::Outgoing<OperationResult>&& message);
  /// A part has ended at the rank where its element was; tells the element's home. `token` 0:
  /// nobody counts it. Any thread.
  void part_ended(Rank home, std::uint64_t token);
  void part_failed(Rank home, std::uint64_t token, const std::string& text);
  /// May a part be handed to an operation of this rank at once?
  [[nodiscard]] bool is_now(Rank home) const {
    return home == rank() && !engine().is_ahead_of_time();
  }

  static constexpr std::uint64_t part_token(std::uint32_t number, std::uint32_t position) {
    return (std::uint64_t{number} << 32) | position;
  }
  static constexpr std::uint32_t operation_of(std::uint64_t token) {
    return static_cast<std::uint32_t>(token >> 32);
  }
  static constexpr std::uint32_t position_of(std::uint64_t token) {
    return static_cast<std::uint32_t>(token);
  }

 private:
  void part_is_dead(ObjectId id, std::uint64_t token) override;
  void element_ended(ObjectId id) override;
  void add_stuck(StuckFacts& facts) override;
  [[nodiscard]] std::string name_in_reports(ObjectId element) const;

  void spread(const OperationHeader& header, std::span<const std::byte> body, am::EpochWork&& work);
  /// Throws MalformedMessage unless such a collection can be made.
  [[nodiscard]] CollectionShape read_shape(const OperationType& creation,
                                           std::span<const std::byte> body) const;
  /// At the root: gives a new collection its name; false (and an answer) if there is no room.
  [[nodiscard]] bool name_collection(OperationHeader& header, std::span<std::byte> body);
  void accept(const OperationHeader& header, std::span<const std::byte> body, am::EpochWork&& work);
  void check(const OperationHeader& header) const;
  struct Start;
  struct Spread;
  void on_start(Start&& start, am::Incoming&& body);
  void on_spread(const Spread& operation, am::Incoming&& body);
  void on_result(const OperationResult& result, am::Incoming&& value);
  void bind_sparse();
  void on_key_request(KeyRequest&& request, am::Incoming&& arguments);
  void on_key_answer(const KeyAnswer& answer, Rank source);

  /// What is in no program's sight, which would have to be compiled with it.
  struct Known;
  ObjectSpace& space_;
  mutable core::SpinLock lock_;
  const core::Owned<Known> known_;
  // At the root, inside progress only:
  std::uint32_t last_number_ = 0;
  std::uint64_t next_base_ = 1;
};

/// Those of the rank whose code runs on this thread. Throws roam::Error outside of Roam's handlers
/// and main programs.
[[nodiscard]] Collections& current_collections();

}  // namespace roam::mobile
