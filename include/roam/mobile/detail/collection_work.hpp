// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a rank does for its collections: the parts of Collections that operations are built on.
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

/// Bytes that many calls of one rank share, and that travel with each of them.
class SharedBytes {
 public:
  SharedBytes() = default;
  explicit SharedBytes(std::span<const std::byte> bytes)
      : bytes_(std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end())) {}
  [[nodiscard]] std::span<const std::byte> view() const {
    return bytes_ == nullptr ? std::span<const std::byte>() : *bytes_;
  }
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

/// In front of an operation's body, on its way to the root and down the tree.
struct OperationHeader {
  std::uint64_t collection = 0;   // its base; of a creation given by the root
  std::uint64_t reply_token = 0;  // at the origin; 0: nobody waits
  std::int32_t origin = -1;
  std::uint32_t type = 0;
  std::uint32_t number = 0;  // given by the root; alive ones differ, never 0
  std::uint32_t reserved = 0;
  std::uint64_t epoch = 0;  // to which the operation belongs (M10); 0: none
  static constexpr auto fields(auto& m) {
    return std::tie(m.collection, m.reply_token, m.origin, m.type, m.number, m.reserved, m.epoch);
  }
};
static_assert(sizeof(OperationHeader) == 40);

/// A rank's result of an operation, for the rank above it in the tree. Its value follows, or why it
/// failed, a text.
struct OperationResult {
  static constexpr am::MessageKind kind{"roam.collection.result", am::Counted::yes,
                                        am::Behind::bytes};
  std::uint32_t number = 0;  // of the operation
  bool has_failed = false;
  static constexpr auto fields(auto& m) { return std::tie(m.number, m.has_failed); }
};

/// A kind of operation that the program uses. Static; constant after static initialisation.
class OperationType {
 public:
  enum class Effect : std::uint8_t { creates, uses, ends };
  using Make = std::shared_ptr<Operation> (*)(Collections& collections,
                                              const OperationHeader& header, SharedBytes body);
  /// Which collections it creates: of so many dimensions, 0: sparse; -1: it creates none.
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

/// Something that a rank has to do for a collection.
class CollectionWork {
 public:
  CollectionWork() = default;
  CollectionWork(const CollectionWork&) = delete;
  CollectionWork& operator=(const CollectionWork&) = delete;
  virtual ~CollectionWork() = default;
  /// On a worker, one piece of work of a collection at a time, in the order in which they came.
  /// Does a part of it; true: that was the last. Must not throw.
  [[nodiscard]] virtual bool step(CollectionState& state) = 0;
};

/// A rank's part of an operation that all ranks play a part in: its own elements' parts, then those
/// of the ranks below in the tree, then the answer to the rank above, or to who awaits it. While it
/// lives it is work of its epoch on this rank; what it does is done in that.
class Operation : public CollectionWork, public std::enable_shared_from_this<Operation> {
 public:
  Operation(Collections& collections, const OperationType& type, const OperationHeader& header);

  [[nodiscard]] const OperationType& type() const { return type_; }
  [[nodiscard]] const OperationHeader& header() const { return header_; }
  /// The message that brought it has been counted for its epoch. Before the first step.
  void belongs_to(am::EpochWork&& work) { work_ = std::move(work); }
  [[nodiscard]] bool is_awaited() const { return header_.reply_token != 0; }
  [[nodiscard]] std::uint32_t total() const { return total_; }

  bool step(CollectionState& state) final;
  /// One of this rank's elements has done its part, or is gone. On a worker.
  void part_over();
  /// An element at this position has no part to give: it is gone. On a worker.
  virtual void part_missing(std::uint32_t /*position*/) { part_over(); }
  void part_failed(std::uint32_t position, const std::string& text);
  /// The failure of the first element that failed is the operation's.
  void note_failure(std::uint32_t position, const std::string& text);
  /// The result of a rank below has come: its value, or why it failed. Inside progress.
  void child_answered(Rank child, bool has_failed, am::Incoming&& result);

 protected:
  /// How many parts this rank has. On a worker; may throw what the program throws.
  [[nodiscard]] virtual std::uint32_t prepare(CollectionState& state) = 0;
  /// Starts a part, which will end by part_over() or part_failed(). May throw.
  virtual void start_part(CollectionState& state, std::uint32_t position) = 0;
  /// All parts have been started.
  virtual void started(CollectionState& /*state*/) {}
  /// The value of this rank's parts and the ranks below so far, and taking in that of the next rank
  /// below. May throw.
  virtual void pack_value(core::Packer& /*packer*/) {}
  virtual void take_value(core::Unpacker& /*bytes*/) {}
  /// At the root: answers who awaits it.
  virtual void answer(const am::ReplyTo& to) = 0;
  /// At the root: it has failed, which has been said.
  virtual void failed() {}
  /// This rank's value is complete: called before those from below are taken in. May throw.
  virtual void complete_value() {}

  [[nodiscard]] Collections& collections() const { return collections_; }
  [[nodiscard]] std::uint64_t token(std::uint32_t position) const;
  /// What an exception caught on this rank says, behind the rank's number.
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
  am::EpochWork work_;                      // constant after belongs_to()
  bool is_prepared_ = false;                // step() only, as the next
  std::uint32_t next_ = 0;                  // part to be started
  std::uint32_t total_ = 0;                 // written by step() before the first part starts
  std::atomic<std::uint64_t> outstanding_;  // the start, parts and ranks below; acquire-release:
                                            // whoever counts to zero sees what all have done
  core::SpinLock lock_;
  std::vector<Answer> answers_;                        // under lock_
  std::uint64_t failed_position_ = ~std::uint64_t{0};  // under lock_
  std::string failure_;                                // under lock_
};

/// The ranks below one in the binomial tree over all ranks, in increasing order: each stands for
/// the consecutive ranks from it up to the next. The rank above one: its own with the last bit
/// cleared.
[[nodiscard]] std::vector<Rank> children_in_tree(Rank rank, std::int32_t size);
[[nodiscard]] inline Rank parent_in_tree(Rank rank) { return {rank.value() & (rank.value() - 1)}; }

/// Which elements an operation is for. Travels.
struct SectionBytes {
  enum class Kind : std::uint8_t { all, box, list, keys, predicate };
  Kind kind = Kind::all;
  Coordinates lower{0, 0, 0};
  Coordinates upper{1, 1, 1};
  Coordinates stride{1, 1, 1};
  std::vector<std::uint64_t> list;  ///< linear indices
  std::vector<std::string> keys;    ///< packed
  std::uint32_t predicate = 0;
  // Not inline, since every program pays for what it compiles.
  void pack(core::Packer& packer) const;
  [[nodiscard]] static SectionBytes unpack(core::Unpacker& bytes);
};

/// A program's predicate over indices or packed keys; one of the two is set.
struct SectionPredicate {
  bool (*of_index)(const Coordinates& at) = nullptr;
  bool (*of_key)(std::span<const std::byte> key) = nullptr;
};

/// A reduction of what elements contribute to a phase.
class PhaseOperation : public Operation {
 public:
  using Operation::Operation;
  /// The phase is complete: its result is this rank's value.
  virtual void take_phase(Phase& phase) = 0;
};

/// A rank's part of one collection. What it has to do is done in order, one thing at a time.
class CollectionState final : public exec::ReadyItem,
                              public std::enable_shared_from_this<CollectionState> {
 public:
  CollectionState(Collections& collections, const CollectionShape& shape);
  ~CollectionState();

  [[nodiscard]] Collections& collections() const { return collections_; }
  [[nodiscard]] const CollectionShape& shape() const { return shape_; }
  /// Any thread, as the next three.
  void add(std::shared_ptr<CollectionWork> work);
  /// Of its elements; "element" as long as this rank has not made its own.
  [[nodiscard]] std::string_view class_name() const {
    const ObjectType* const type = class_.load(std::memory_order_acquire);
    return type == nullptr ? "element" : type->name();
  }
  /// Dense: "Block (2, 3)".
  [[nodiscard]] std::string name_of(std::uint64_t linear) const {
    return std::string(class_name()) + " " + shape_.describe(shape_.coordinates(linear));
  }
  void run(exec::Context& context) override;
  void drop() override { queued_self_.reset(); }

  // --- inside the steps of work only ---
  /// Dense: the elements whose home this rank is. Made by the creation; throws roam::Error if that
  /// has failed, or it is sparse.
  [[nodiscard]] const HomeElements& home() const {
    if (!has_home()) throw Error("a collection that could not be made");
    return *home_;
  }
  [[nodiscard]] bool has_home() const { return home_ != nullptr; }
  void make_home(const ObjectType& of_class);
  /// Of the element at a position of home().
  [[nodiscard]] std::string describe(std::uint32_t position) const {
    return name_of(home().linear(position));
  }
  /// The names of this rank's elements in a section, in their order; no object for those of a
  /// dense collection that are gone.
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
  std::atomic<const ObjectType*> class_{nullptr};  // release: by the creation
  core::Owned<HomeElements> home_;
  std::vector<std::uint8_t> gone_;  // by position, 1: it is; shorter: none beyond
  ContributionPhases phases_{*this};
  core::Owned<SparseKeys> keys_;
  core::SpinLock lock_;
  std::deque<std::shared_ptr<CollectionWork>> work_;  // under lock_; the first is in hand
  std::shared_ptr<CollectionState> queued_self_;      // while a scheduler has it
};

}  // namespace roam::mobile
