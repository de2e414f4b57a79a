// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "roam/am/detail/epoch_work.hpp"
#include "roam/core/detail/owned.hpp"
#include "roam/core/detail/spin_lock.hpp"
#include "roam/mobile/detail/collections.hpp"

namespace roam::mobile {

/// Something that this rank does with a key of a sparse collection, in order with all else that it
/// does with that key. Until it is deleted it counts as work of the epoch in which it was made
/// (M10).
class KeyOperation {
 public:
  enum class Kind : std::uint8_t {
    use,     ///< needs the object
    insert,  ///< sends the key's home what it wants; the key may be there afterwards
    erase    ///< ends the object after what was done before
  };
  /// `reply_to` says who awaits it; by default nobody does.
  explicit KeyOperation(Kind kind, const am::ReplyTo& reply_to = {});
  KeyOperation(const KeyOperation&) = delete;
  KeyOperation& operator=(const KeyOperation&) = delete;
  virtual ~KeyOperation() = default;
  /// Carries it out, on a worker, in its epoch. `object` is the key's object, if it has to be used
  /// or known.
  virtual void run(SparseKeys& keys, ObjectId object) = 0;
  /// Called if the object has to be used but does not exist. In its epoch, without a lock.
  virtual void fail(SparseKeys& /*keys*/) {}
  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] const am::ReplyTo& reply_to() const { return reply_to_; }
  [[nodiscard]] std::uint64_t epoch() const { return work_.epoch(); }

 private:
  const Kind kind_;
  const am::ReplyTo reply_to_;
  const am::EpochWork work_;
};

/// Makes the element of a key, for a class and constructor arguments that the program uses.
using MakeElement = ObjectId (*)(ObjectSpace& space, std::span<const std::byte> key,
                                 std::span<const std::byte> arguments);

/// A request to the home of a key.
struct KeyRequestHeader {
  enum class Kind : std::uint32_t { resolve, insert, erase, forgotten };
  std::uint64_t collection = 0;
  std::uint64_t reply_token = 0;
  // In an erasure, the object that the sender has ended already; 0: it does not know it.
  std::uint64_t object = 0;
  Kind kind = Kind::resolve;
  std::uint32_t make = 0;   // insert: the id of the function that makes the element
  std::uint64_t epoch = 0;  // the epoch whose work requests it; 0: none
  [[nodiscard]] bool is_change() const { return kind == Kind::insert || kind == Kind::erase; }
  static constexpr auto fields(auto& m) {
    return std::tie(m.collection, m.reply_token, m.object, m.kind, m.make, m.epoch);
  }
};
static_assert(sizeof(KeyRequestHeader) == 40);

/// A rank's part of the keys of a sparse collection.
///
/// As a key's home it stores key -> object. As a rank that uses a key it asks the home once, stores
/// the answer, and queues its operations on the key until they can go to the object, so that M3
/// holds from the first call on. If a key is erased and used again, no rank may still remember the
/// old object: the home tells those that have asked for it, and does nothing with the key until all
/// of them have answered.
class SparseKeys {
 public:
  explicit SparseKeys(CollectionState& state);
  SparseKeys(const SparseKeys&) = delete;
  SparseKeys& operator=(const SparseKeys&) = delete;
  ~SparseKeys();

  [[nodiscard]] CollectionState& state() const { return state_; }
  [[nodiscard]] ObjectSpace& space() const { return state_.collections().space(); }

  // --- for ranks that use keys; any thread ---
  /// The key's object, if it can be used at once: it is known, and no operation on the key is
  /// queued.
  [[nodiscard]] ObjectId known(std::string_view key);
  void submit(std::string key, core::Owned<KeyOperation> operation);
  /// The home of a key. Throws roam::Error if the program's map does not give a rank of the job.
  [[nodiscard]] Rank home_of(std::string_view key) const;
  /// Sends a message to the key's home, in the epoch of the code that runs on this thread.
  void request(Rank home, std::string_view key, const KeyRequestHeader& header,
               std::span<const std::byte> arguments = {});
  /// The text for a call to an element that does not exist.
  [[nodiscard]] std::string describe_missing(std::string_view handler) const;

  // --- messages, inside progress ---
  void resolved(const std::string& key, ObjectId object);
  void forget(const std::string& key, ObjectId object, Rank home);

  // --- steps of the state's work ---
  void drain(const std::string& key);
  void serve(Rank source, const KeyRequestHeader& header, const std::string& key,
             std::span<const std::byte> arguments, am::EpochWork&& work);
  [[nodiscard]] std::vector<ObjectId> select(const SectionBytes& section) const;
  /// Called when the collection has ended: operations that are queued, or still come, fail.
  void end();

 private:
  /// Reports that the collection has ended: to requests that change a key; those that ask for one
  /// need no report.
  void report_gone(Rank source, const KeyRequestHeader& header) const;
  struct Known;
  struct Entry;
  struct Tables;
  enum class Turn : std::uint8_t { over, next, later };

  [[nodiscard]] Turn next_turn(const std::string& key, core::Owned<KeyOperation>& operation,
                               ObjectId& object, bool& is_missing);
  void schedule(const std::string& key);
  void tell(Rank rank, const std::string& key, ObjectId object, bool is_forgotten);
  void insert(const am::ReplyTo& to, const KeyRequestHeader& header, const std::string& key,
              std::span<const std::byte> arguments);
  void erase(const am::ReplyTo& to, ObjectId ended, const std::string& key, am::EpochWork&& work);
  void finish_erasure(const std::string& key);

  CollectionState& state_;
  core::SpinLock lock_;
  bool has_ended_ = false;  // changed by a step of the state's work, under lock_
  // Defined in the source file, so that programs need not compile it.
  const core::Owned<Tables> tables_;
};

}  // namespace roam::mobile
