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

/// Something that this rank does with a key of a sparse collection and that has to keep its place
/// among what it does with that key. Work of the epoch in which it is made (M10), until it goes.
class KeyOperation {
 public:
  enum class Kind : std::uint8_t {
    use,     ///< needs the object
    insert,  ///< sends the key's home what it wants; the key may be there afterwards
    erase    ///< ends the object after what was done before
  };
  /// `reply_to`: who awaits it; none: nobody.
  explicit KeyOperation(Kind kind, const am::ReplyTo& reply_to = {});
  KeyOperation(const KeyOperation&) = delete;
  KeyOperation& operator=(const KeyOperation&) = delete;
  virtual ~KeyOperation() = default;
  /// On a worker, in its epoch. `object`: of the key, if it is to be used or known.
  virtual void run(SparseKeys& keys, ObjectId object) = 0;
  /// It is to be used, and is not there. In its epoch; holding no lock.
  virtual void fail(SparseKeys& /*keys*/) {}
  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] const am::ReplyTo& reply_to() const { return reply_to_; }
  [[nodiscard]] std::uint64_t epoch() const { return work_.epoch(); }

 private:
  const Kind kind_;
  const am::ReplyTo reply_to_;
  const am::EpochWork work_;
};

/// Makes the element of a key, of a class and constructor arguments that the program uses.
using MakeElement = ObjectId (*)(ObjectSpace& space, std::span<const std::byte> key,
                                 std::span<const std::byte> arguments);

/// What is wanted of a key's home.
struct KeyRequestHeader {
  enum class Kind : std::uint32_t { resolve, insert, erase, forgotten };
  std::uint64_t collection = 0;
  std::uint64_t reply_token = 0;
  std::uint64_t object = 0;  // erase: ended by the sender already; 0: not known to it
  Kind kind = Kind::resolve;
  std::uint32_t make = 0;   // insert: the function
  std::uint64_t epoch = 0;  // whose work wants it; 0: none
  [[nodiscard]] bool is_change() const { return kind == Kind::insert || kind == Kind::erase; }
  static constexpr auto fields(auto& m) {
    return std::tie(m.collection, m.reply_token, m.object, m.kind, m.make, m.epoch);
  }
};
static_assert(sizeof(KeyRequestHeader) == 40);

/// A rank's part of the keys of a sparse collection.
///
/// As a key's home it keeps key -> object. As a rank that uses a key it asks the home once, keeps
/// the answer, and keeps its operations on the key in line until they can go to the object, so that
/// M3 holds from the first call on. What an erased key meant must not be remembered anywhere when
/// the key is used anew: the home tells those who have asked, and does nothing with the key until
/// they have all answered.
class SparseKeys {
 public:
  explicit SparseKeys(CollectionState& state);
  SparseKeys(const SparseKeys&) = delete;
  SparseKeys& operator=(const SparseKeys&) = delete;
  ~SparseKeys();

  [[nodiscard]] CollectionState& state() const { return state_; }
  [[nodiscard]] ObjectSpace& space() const { return state_.collections().space(); }

  // --- as a user of keys; any thread ---
  /// The key's object, if it can be used at once: known, and nothing stands in line before.
  [[nodiscard]] ObjectId known(std::string_view key);
  void submit(std::string key, core::Owned<KeyOperation> operation);
  /// Throws roam::Error if the program's map gives no rank of the job.
  [[nodiscard]] Rank home_of(std::string_view key) const;
  /// A message to the key's home, of the epoch of what runs on this thread.
  void request(Rank home, std::string_view key, const KeyRequestHeader& header,
               std::span<const std::byte> arguments = {});
  /// For whoever calls an element that is not there.
  [[nodiscard]] std::string describe_missing(std::string_view handler) const;

  // --- messages, inside progress ---
  void resolved(const std::string& key, ObjectId object);
  void forget(const std::string& key, ObjectId object, Rank home);

  // --- steps of the state's work ---
  void drain(const std::string& key);
  void serve(Rank source, const KeyRequestHeader& header, const std::string& key,
             std::span<const std::byte> arguments, am::EpochWork&& work);
  [[nodiscard]] std::vector<ObjectId> select(const SectionBytes& section) const;
  /// The collection is over: whatever is in line, or comes, fails.
  void end();

 private:
  /// The collection has ended: whoever changes a key hears of it, whoever asks for one knows.
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
  bool has_ended_ = false;            // changed by a step of the state's work, under lock_
  const core::Owned<Tables> tables_;  // not in sight of every program that is compiled
};

}  // namespace roam::mobile
