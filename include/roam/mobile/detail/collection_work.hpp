// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a rank does for its collections: the classes with which Collections and its operations are
// built.
#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "roam/am/detail/epoch_work.hpp"
#include "roam/am/detail/handler_table.hpp"
#include "roam/am/detail/system_message.hpp"
#include "roam/core/detail/owned.hpp"
#include "roam/core/detail/spin_lock.hpp"
#include "roam/core/serialise.hpp"
#include "roam/exec/ready_item.hpp"
#include "roam/mobile/detail/contribution_phases.hpp"
#include "roam/mobile/object_type.hpp"
#include "roam/mobile/placement.hpp"

namespace roam::mobile {

class Collections;
class CollectionState;
class Operation;
class SparseKeys;

/// Bytes that many calls of one rank share, and that are sent with each of them.
class SharedBytes {
 public:
  SharedBytes() = default;
  explicit SharedBytes(std::span<const std::byte> bytes);
  [[nodiscard]] std::span<const std::byte> view() const;
  /// Copies the bytes and returns the copy's.
  [[nodiscard]] std::span<const std::byte> copy_to(std::vector<std::byte>& own) const;
  template <class Archive>
  void save(Archive& archive) const {
    static const std::vector<std::byte> none;
    archive(bytes_ == nullptr ? none : *bytes_);
  }
  template <class Archive>
  void load(Archive& archive) {
    std::vector<std::byte> bytes;
    archive(bytes);
    bytes_ = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  }

 private:
  std::shared_ptr<const std::vector<std::byte>> bytes_;
};

/// The head of an operation's body, on its way to the root and down the tree.
struct OperationHeader {
  std::uint64_t collection = 0;   // its base; for a creation the root gives it
  std::uint64_t reply_token = 0;  // at the origin; 0: nobody waits
  std::int32_t origin = -1;
  std::uint32_t type = 0;
  // Given by the root; never 0, and different for operations under way at the same time.
  std::uint32_t number = 0;
  std::uint32_t reserved = 0;
  std::uint64_t epoch = 0;  // the epoch to which the operation belongs (M10); 0: none
  static constexpr auto fields(auto& m) {
    return std::tie(m.collection, m.reply_token, m.origin, m.type, m.number, m.reserved, m.epoch);
  }
};
static_assert(sizeof(OperationHeader) == 40);

/// The result of an operation of one rank, for the rank above it in the tree. Its value follows or,
/// if it failed, a text.
struct OperationResult {
  static constexpr am::MessageKind kind{"roam.collection.result", am::Counted::yes,
                                        am::Behind::bytes};
  std::uint32_t number = 0;  // the operation's number
  bool has_failed = false;
  static constexpr auto fields(auto& m) { return std::tie(m.number, m.has_failed); }
};

/// A kind of operation that the program uses. Static; constant after static initialisation.
class OperationType {
 public:
  enum class Effect : std::uint8_t { creates, uses, ends };
  using Make = std::shared_ptr<Operation> (*)(Collections& collections,
                                              const OperationHeader& header, SharedBytes body);
  /// `dimensions` says which collections it creates: 0 for sparse ones, -1 if it creates none.
  OperationType(const core::ProgramName& name, Effect effect, int dimensions, Make make);
  OperationType(const OperationType&) = delete;
  OperationType& operator=(const OperationType&) = delete;
  [[nodiscard]] const core::ProgramName& program_name() const { return name_; }
  [[nodiscard]] std::uint32_t id() const { return id_; }
  [[nodiscard]] Effect effect() const { return effect_; }
  [[nodiscard]] int dimensions() const { return dimensions_; }
  [[nodiscard]] Make make() const { return make_; }
  [[nodiscard]] const OperationType* next() const { return next_; }
  [[nodiscard]] static const OperationType* first();

 private:
  core::ProgramName name_;
  std::uint32_t id_;
  Effect effect_;
  int dimensions_;
  Make make_;
  const OperationType* next_;
};

namespace detail {
template <class O>
std::shared_ptr<Operation> make_operation(Collections& collections, const OperationHeader& header,
                                          SharedBytes body) {
  return std::make_shared<O>(collections, header, std::move(body));
}
template <class O>
constexpr int dimensions_created() {
  if constexpr (O::effect == OperationType::Effect::creates) return O::dimensions;
  return -1;
}
template <class O>
inline const OperationType operation_type{core::program_name_of_type<O>(), O::effect,
                                          dimensions_created<O>(), &make_operation<O>};
}  // namespace detail

/// A piece of work that a rank has to do for a collection.
class CollectionWork {
 public:
  CollectionWork() = default;
  CollectionWork(const CollectionWork&) = delete;
  CollectionWork& operator=(const CollectionWork&) = delete;
  virtual ~CollectionWork() = default;
  /// Does a part of the work, on a worker; returns true after the last part. A collection does one
  /// piece of work at a time, in the order in which they came. Must not throw.
  [[nodiscard]] virtual bool step(CollectionState& state) = 0;
};

/// A rank's part of an operation in which all ranks take part: first the parts of its own elements,
/// then the results of the ranks below in the tree, then the answer to the rank above, or to the
/// coroutine that awaits it. While it exists it is work of its epoch on this rank, and what it does
/// belongs to that epoch.
class Operation : public CollectionWork, public std::enable_shared_from_this<Operation> {
 public:
  Operation(Collections& collections, const OperationType& type, const OperationHeader& header);

  [[nodiscard]] const OperationType& type() const { return type_; }
  [[nodiscard]] const OperationHeader& header() const { return header_; }
  /// Sets the epoch's work that its message has brought. Before the first step.
  void belongs_to(am::EpochWork&& work) { work_ = std::move(work); }
  [[nodiscard]] bool is_awaited() const { return header_.reply_token != 0; }
  [[nodiscard]] std::uint32_t total() const { return total_; }

  bool step(CollectionState& state) final;
  /// Called when one of this rank's elements has done its part, or is gone. On a worker.
  void part_over();
  /// Called when the element at this position has no part to give because it is gone. On a worker.
  virtual void part_missing(std::uint32_t /*position*/) { part_over(); }
  void part_failed(std::uint32_t position, const std::string& text);
  /// Notes a failure; that of the first failed element becomes the operation's.
  void note_failure(std::uint32_t position, const std::string& text);
  /// Called when the result of a rank below has come: its value, or why it failed. Inside progress.
  void child_answered(Rank child, bool has_failed, am::Incoming&& result);

 protected:
  /// Returns the number of parts of this rank. On a worker; may throw what the program throws.
  [[nodiscard]] virtual std::uint32_t prepare(CollectionState& state) = 0;
  /// Starts a part, which ends by part_over() or part_failed(). May throw.
  virtual void start_part(CollectionState& state, std::uint32_t position) = 0;
  /// Called when all parts have been started.
  virtual void started(CollectionState& /*state*/) {}
  /// Write the value of this rank's parts and of the ranks below so far, and add that of the next
  /// rank below. May throw.
  virtual void pack_value(core::Packer& /*packer*/) {}
  virtual void take_value(core::Unpacker& /*bytes*/) {}
  /// At the root: answers the coroutine that awaits it.
  virtual void answer(const am::ReplyTo& to) = 0;
  /// At the root: called after the operation has failed and the failure has been reported.
  virtual void failed() {}
  /// Called when this rank's own value is complete, before those from below are added. May throw.
  virtual void complete_value() {}

  [[nodiscard]] Collections& collections() const { return collections_; }
  [[nodiscard]] std::uint64_t token(std::uint32_t position) const;
  /// The text of an exception caught on this rank, after the rank's number.
  [[nodiscard]] std::string own_words(const std::exception_ptr& error) const;

 private:
  class Completion;
  struct Answer {
    Rank child;
    bool has_failed = false;
    am::Incoming result;
  };
  void one_less();
  void complete();
  void take_answers();
  void give_value();
  void give_failure();

  Collections& collections_;
  const OperationType& type_;
  const OperationHeader header_;
  am::EpochWork work_;        // constant after belongs_to()
  bool is_prepared_ = false;  // used in step() only, as is the next
  std::uint32_t next_ = 0;    // the next part to be started
  std::uint32_t total_ = 0;   // written by step() before the first part starts
  // The start, parts and ranks below; acquire-release: the thread that counts to zero sees what all
  // others have done.
  std::atomic<std::uint64_t> outstanding_;
  core::SpinLock lock_;
  std::vector<Answer> answers_;                        // under lock_
  std::uint64_t failed_position_ = ~std::uint64_t{0};  // under lock_
  std::string failure_;                                // under lock_
};

/// The ranks below one in the binomial tree over all ranks, in increasing order: each stands for
/// the consecutive ranks from it up to the next. The rank above one has its number with the last
/// set bit cleared.
[[nodiscard]] std::vector<Rank> children_in_tree(Rank rank, std::int32_t size);
[[nodiscard]] inline Rank parent_in_tree(Rank rank) { return {rank.value() & (rank.value() - 1)}; }

/// Names the elements that an operation is for. Sent to other ranks.
struct SectionBytes {
  enum class Kind : std::uint8_t { all, box, list, keys, predicate };
  Kind kind = Kind::all;
  Coordinates lower{0, 0, 0};
  Coordinates upper{1, 1, 1};
  Coordinates stride{1, 1, 1};
  std::vector<std::uint64_t> list;  ///< linear indices
  std::vector<std::string> keys;    ///< packed
  std::uint32_t predicate = 0;
  // Not inline, because every program would pay for compiling it.
  void pack(core::Packer& packer) const;
  [[nodiscard]] static SectionBytes unpack(core::Unpacker& bytes);
};

/// A predicate of the program over indices or packed keys; one of the two is set.
struct SectionPredicate {
  bool (*of_index)(const Coordinates& at) = nullptr;
  bool (*of_key)(std::span<const std::byte> key) = nullptr;
};

/// A reduction of what the elements contribute to a phase.
class PhaseOperation : public Operation {
 public:
  using Operation::Operation;
  /// Called when the phase is complete: takes its result as this rank's value.
  virtual void take_phase(Phase& phase) = 0;
};

/// A rank's part of one collection. It does its work in order, one piece at a time.
class CollectionState final : public exec::ReadyItem,
                              public std::enable_shared_from_this<CollectionState> {
 public:
  CollectionState(Collections& collections, const CollectionShape& shape);
  ~CollectionState();

  [[nodiscard]] Collections& collections() const { return collections_; }
  [[nodiscard]] const CollectionShape& shape() const { return shape_; }
  /// Adds a piece of work. Any thread, as for the next two functions.
  void add(std::shared_ptr<CollectionWork> work);
  /// The class of its elements; "element" as long as this rank has not made its own.
  [[nodiscard]] std::string_view class_name() const {
    const ObjectType* const type = class_.load(std::memory_order_acquire);
    return type == nullptr ? "element" : type->name();
  }
  /// The name of an element of a dense collection: "Block (2, 3)".
  [[nodiscard]] std::string name_of(std::uint64_t linear) const;
  void run(exec::Context& context) override;
  void drop() override;

  // --- inside the steps of work only ---
  /// Dense: the elements whose home is this rank. They are made by the creation; throws roam::Error
  /// if that has failed, or the collection is sparse.
  [[nodiscard]] const HomeElements& home() const;
  [[nodiscard]] bool has_home() const { return home_ != nullptr; }
  void make_home(const ObjectType& of_class);
  /// The name of the element at a position of home().
  [[nodiscard]] std::string describe(std::uint32_t position) const {
    return name_of(home().linear(position));
  }
  /// The ids of this rank's elements in a section, in order; for elements of a dense collection
  /// that are gone, no object.
  [[nodiscard]] std::vector<ObjectId> select(const SectionBytes& section);
  [[nodiscard]] bool is_gone(std::uint32_t position) const {
    return position < gone_.size() && gone_[position] != 0;
  }
  void note_end(std::uint64_t linear);
  [[nodiscard]] ContributionPhases& phases() { return phases_; }

  /// Sparse: this rank's part of the keys.
  [[nodiscard]] SparseKeys& keys() const { return *keys_; }

 private:
  [[nodiscard]] bool is_selected(const SectionBytes& section, std::uint64_t linear) const;

  Collections& collections_;
  const CollectionShape shape_;
  std::atomic<const ObjectType*> class_{nullptr};  // written by the creation, with release
  core::Owned<HomeElements> home_;
  std::vector<std::uint8_t> gone_;  // by position, 1: gone; elements beyond its end are not gone
  ContributionPhases phases_{*this};
  core::Owned<SparseKeys> keys_;
  core::SpinLock lock_;
  std::deque<std::shared_ptr<CollectionWork>> work_;  // under lock_; the first piece is being done
  std::shared_ptr<CollectionState> queued_self_;      // set while a scheduler has it
};

}  // namespace roam::mobile
