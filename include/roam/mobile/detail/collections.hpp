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

/// The collections of objects of one rank (M11): creation, operations on all elements, sparse keys.
/// Their elements live in the rank's ObjectSpace.
///
/// Operations (creation, broadcasts, phases, reductions, the end) are sent to rank 0, the root of a
/// binomial tree, and from there down the tree along links that preserve order. Every rank
/// therefore sees all operations of all ranks in the same order, and starts each of them on the
/// elements whose home it is, by calls of its own. The ObjectSpace finds the elements wherever they
/// are, and M2 and M3 hold for these calls as for any others. Results are combined at the home rank
/// in the order of the elements and up the tree in the order of ranks.
///
/// Thread-safe; nothing blocks, except that sending may be held back as for all messages (A3). Code
/// of the program (constructors, operators, maps, serialisation) runs on workers, never inside
/// progress.
class Collections final : private ObjectSpace::ElementListener {
 public:
  /// Must be made before the first message arrives; `space` must outlive it. Throws roam::Error if
  /// two operations or functions of the program have names with the same hash.
  explicit Collections(ObjectSpace& space);
  Collections(const Collections&) = delete;
  Collections& operator=(const Collections&) = delete;
  ~Collections();

  [[nodiscard]] ObjectSpace& space() const { return space_; }
  [[nodiscard]] am::Messenger& messenger() const { return space_.messenger(); }
  [[nodiscard]] exec::Engine& engine() const { return space_.engine(); }
  [[nodiscard]] Rank rank() const { return space_.rank(); }

  /// Begins the message that starts an operation, to which its body has to be appended. The
  /// operation belongs to the epoch of the code that runs on this thread. `reply_token` is 0 if
  /// nobody waits.
  [[nodiscard]] core::Packer begin(const OperationType& type, std::uint64_t collection,
                                   std::uint64_t reply_token) const;
  /// Sends it to the root; called by the code that has begun it, in the same epoch.
  void start(core::Packer&& message);

  /// This rank's part of a collection; nullptr if there is none with this base.
  [[nodiscard]] std::shared_ptr<CollectionState> find(std::uint64_t base) const;
  /// This rank's part of the collection of an element; nullptr if there is none.
  [[nodiscard]] std::shared_ptr<CollectionState> find(ObjectId element) const;
  /// "Block (2, 3) (object 0:17)", or "object 0:17" if it is no element of a dense collection.
  [[nodiscard]] std::string describe(ObjectId element) const;

  /// Reports an operation on a collection that does not exist, or no longer (M8).
  void report_gone(const am::ReplyTo& to, std::uint64_t base);

  // --- for operations ---
  [[nodiscard]] std::shared_ptr<Operation> operation(std::uint32_t number) const;
  /// Called when the operation has its result, which has been sent on.
  void forget(const Operation& operation);
  void send_up(Rank parent, am::Outgoing<OperationResult>&& message);
  /// Tells the home of an element that its part has ended, on the rank where the element was. A
  /// `token` of 0 means that nobody counts it. Any thread.
  void part_ended(Rank home, std::uint64_t token);
  void part_failed(Rank home, std::uint64_t token, const std::string& text);
  /// True if a part may be given to an operation of this rank at once.
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
  /// Reads the shape of a collection to be made. Throws MalformedMessage if it cannot be made.
  [[nodiscard]] CollectionShape read_shape(const OperationType& creation,
                                           std::span<const std::byte> body) const;
  /// At the root: gives a new collection its base. False, after an answer, if there are no numbers
  /// left.
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

  /// Defined in the source file, so that programs need not compile what it uses.
  struct Known;
  ObjectSpace& space_;
  mutable core::SpinLock lock_;
  const core::Owned<Known> known_;
  // Used at the root, inside progress only:
  std::uint32_t last_number_ = 0;
  std::uint64_t next_base_ = 1;
};

/// The Collections of the rank whose code runs on this thread. Throws roam::Error outside of Roam's
/// handlers and main programs.
[[nodiscard]] Collections& current_collections();

}  // namespace roam::mobile
