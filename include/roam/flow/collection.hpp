// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "roam/core/serialise.hpp"
#include "roam/flow/detail/datum.hpp"
#include "roam/flow/detail/distribution.hpp"
#include "roam/flow/detail/exchange.hpp"
#include "roam/flow/detail/offset.hpp"
#include "roam/flow/indices.hpp"
#include "roam/flow/neighbours.hpp"
#include "roam/flow/part.hpp"
#include "roam/flow/task_record.hpp"
#include "roam/mobile/placement.hpp"

namespace roam::flow {

/// @cond
/// The operations on a collection's elements that are compiled for their class.
struct ElementType {
  const char* name;
  Datum::Make make;
  void (*pack)(core::Packer& packer, const void* value);
  /// Reads a value into an instance of this type, in place of its old value.
  void (*unpack)(Instance& instance, core::Unpacker& bytes);
  /// Reads a value that several instances will share.
  std::shared_ptr<const void> (*share)(core::Unpacker& bytes);
};

template <class T>
inline constexpr ElementType element_type{
    core::type_name<T>().data(), &make_instance<T>,
    [](core::Packer& packer, const void* value) {
      core::pack(packer, *static_cast<const T*>(value));
    },
    [](Instance& instance, core::Unpacker& bytes) {
      static_cast<InstanceOf<T>&>(instance).emplace(core::unpack_all<T>(bytes));
    },
    [](core::Unpacker& bytes) -> std::shared_ptr<const void> {
      return std::make_shared<const T>(core::unpack_all<T>(bytes));
    }};

/// Records which elements have been sent to which ranks in one version of a collection. Any thread.
class SentElements {
 public:
  /// Returns false if the element has been sent there before.
  [[nodiscard]] bool note(std::uint64_t index, Rank to, std::uint64_t ranks) ROAM_EXCLUDES(lock_) {
    const core::LockGuard guard(lock_);
    return sent_.insert(index * ranks + static_cast<std::uint64_t>(to.value())).second;
  }

 private:
  core::SpinLock lock_;
  std::unordered_set<std::uint64_t> sent_ ROAM_GUARDED_BY(lock_);
};

/// One rank's part of a collection: its elements, and other ranks' values that its tasks read. All
/// ranks issue the same operations in the same order; therefore each knows which of its elements
/// are read by the tasks of others, and sends them there without being asked, once per version.
/// Used by the scope's thread.
class CollectionRecord {
 public:
  /// `where`: which indices are on this rank; in a flow of one rank, all.
  CollectionRecord(Scope& scope, Exchange& exchange, std::shared_ptr<Distribution> where,
                   std::uint32_t number, const ElementType& type, const DatumLabel& label);
  CollectionRecord(const CollectionRecord&) = delete;
  CollectionRecord& operator=(const CollectionRecord&) = delete;
  ~CollectionRecord();

  [[nodiscard]] const mobile::CollectionShape& shape() const { return distribution_->shape(); }
  [[nodiscard]] Distribution& distribution() const { return *distribution_; }
  [[nodiscard]] std::uint32_t number() const { return number_; }
  [[nodiscard]] const DatumLabel& label() const { return label_; }
  [[nodiscard]] Scope& scope() const { return scope_; }
  [[nodiscard]] Exchange& exchange() const { return exchange_; }
  /// This rank; 0 if all elements are here.
  [[nodiscard]] Rank rank() const { return distribution_->rank(); }
  [[nodiscard]] std::uint64_t local_count() const { return elements_.size(); }
  /// The number of the k-th element that is here.
  [[nodiscard]] std::uint64_t linear(std::uint64_t k) const { return distribution_->index(k); }
  [[nodiscard]] Datum& local(std::uint64_t k) const { return *elements_[k]; }
  [[nodiscard]] bool is_here(std::uint64_t linear) const { return distribution_->contains(linear); }
  [[nodiscard]] Datum& local_of(std::uint64_t linear) const {
    return *elements_[distribution_->position(linear)];
  }
  /// The number of the element at `at`; throws Error if there is no such element.
  [[nodiscard]] std::uint64_t number_of(const mobile::Coordinates& at) const;

  /// The mobile object of the index of an element; empty: it is not here, or has none yet.
  [[nodiscard]] ObjectId object_of(const mobile::Coordinates& at) const;

  [[nodiscard]] const ElementType& type() const { return type_; }
  /// Counts what is sent of each element: as many as have been written, and more after phases at
  /// whose ends elements have moved.
  [[nodiscard]] std::uint64_t deliveries() const { return deliveries_; }
  [[nodiscard]] bool is_written() const { return version_ > 0; }
  /// Reports that an operation that writes all elements has been issued: values received earlier
  /// are outdated.
  void note_written();
  /// Sends what tasks of other ranks read at this offset and have not got yet. `tasks`: the
  /// collection for whose elements there are tasks.
  void offer(const Offset& offset, const CollectionRecord& tasks, const SourceLine& where);
  /// The datum that the task of element `linear` of `tasks` reads at this offset: an element here,
  /// a value that another rank will send, or where there is no element, `border`, or T() if that is
  /// nullptr.
  [[nodiscard]] Datum& to_read(std::uint64_t linear, const Offset& offset,
                               const CollectionRecord& tasks, Datum* border,
                               const SourceLine& where);
  /// Finds the number of the element that the task of element `linear` of `tasks` reads at this
  /// offset. Returns false if there is none.
  [[nodiscard]] bool find_read(std::uint64_t linear, const Offset& offset,
                               const CollectionRecord& tasks, std::uint64_t& found) const {
    return offset.map != nullptr ? find_mapped(linear, offset, tasks, found)
                                 : find(linear, offset, 1, found);
  }
  [[nodiscard]] DatumLabel label_of(std::uint64_t linear) const;
  void set_name(const char* name);
  /// Reports that tasks use parts of its elements. Until then, no parts have failed.
  void note_parts() { has_parts_ = true; }

  // --- the end of a phase; no task uses its elements ---
  /// Writes the value, or the failure, of the k-th element that is here. Any thread.
  void write_element(core::Packer& packer, std::uint64_t k) const;
  /// Gives the k-th element what write_element() has written.
  void read_element(core::Unpacker& bytes, std::uint64_t k);
  /// Sets the elements that are here from now on, by their old positions; a position past the end
  /// stands for an element that will be read.
  void rearrange(std::span<const std::uint64_t> positions_before);
  /// Forgets what was sent and received: elements have moved, and may have been sent by ranks that
  /// no longer have them.
  void begin_phase();

 private:
  class SendTask;
  class LateSendTask;
  class ReceiveTask;
  [[nodiscard]] bool find(std::uint64_t linear, const Offset& offset, std::int64_t sign,
                          std::uint64_t& found) const;
  [[nodiscard]] bool find_mapped(std::uint64_t linear, const Offset& offset,
                                 const CollectionRecord& tasks, std::uint64_t& found) const;
  void offer_mapped(const Offset& offset, const CollectionRecord& tasks, const SourceLine& where);
  void offer_to(std::uint64_t k, std::uint64_t reader, const CollectionRecord& tasks,
                const SourceLine& where);
  [[nodiscard]] Datum& beyond();
  [[nodiscard]] Datum& arriving(std::uint64_t linear, const SourceLine& where);
  [[nodiscard]] Datum* make_element(std::uint64_t linear) const;
  void forget_sent();

  Scope& scope_;
  Exchange& exchange_;
  const std::shared_ptr<Distribution> distribution_;
  const std::uint32_t number_;
  const ElementType& type_;
  DatumLabel label_;
  std::vector<Datum*> elements_;
  bool has_parts_ = false;
  std::uint64_t version_ = 0;     // number of operations that have written it
  std::uint64_t deliveries_ = 0;  // the same, plus the phases at whose ends elements have moved
  // Expected values of the present one of these:
  std::unordered_map<std::uint64_t, Datum*> arriving_;
  std::shared_ptr<SentElements> sent_;
  Datum* beyond_ = nullptr;
};
/// @endcond

template <class T, int D>
class Collection;
template <class T, int D>
class ElementPart;

/// An argument of for_each: for each task, the element at an offset from the task's own.
template <class T, int D>
class ElementArgument {
 public:
  /// @cond
  ElementArgument(const Collection<T, D>& collection, const Offset& offset)
      : record_(&collection.record()), offset_(offset) {}
  /// @endcond

  /// The same element, with periodic boundaries: beyond an edge of the collection follows the
  /// opposite edge.
  [[nodiscard]] ElementArgument periodic() const {
    ElementArgument other = *this;
    other.offset_.is_periodic = true;
    return other;
  }
  /// The same element, with this value where the collection has no element, in place of T().
  [[nodiscard]] ElementArgument border(T value) const {
    auto* const datum = new Datum(record_->scope(), &make_instance<T>, record_->label());
    static_cast<InstanceOf<T>&>(datum->instance()).emplace(std::move(value));
    datum->note_written();
    return border(Handle<T>(datum));
  }
  /// The same element, with the value of this datum where the collection has no element.
  [[nodiscard]] ElementArgument border(const Handle<const T>& value) const {
    ElementArgument other = *this;
    other.border_ = value;
    return other;
  }
  /// The same element, with the value of this datum where the collection has no element.
  [[nodiscard]] ElementArgument border(const Handle<T>& value) const {
    return border(value.freeze());
  }
  /// The elements [begin, end) of the value, as with Handle::part(): `fl.for_each([](std::span<
  /// double> inner, std::span<const double> edge) { ... }, u.own().part(1, 9), u.at(-1).part(9,
  /// 10));` An operation may modify a part of each element and read other parts of their
  /// neighbours. Throws Error if begin > end.
  [[nodiscard]] ElementPart<T, D> part(std::size_t begin, std::size_t end) const {
    static_assert(detail::HasParts<T> && detail::HasParts<const T>,
                  "parts of elements: their class has members data() and size(), like std::vector, "
                  "or part(begin, end)");
    return ElementPart<T, D>(*this, begin, end);
  }
  /// @cond
  [[nodiscard]] CollectionRecord& record() const { return *record_; }
  [[nodiscard]] const Offset& offset() const { return offset_; }
  [[nodiscard]] Datum* border() const { return border_.datum(); }
  [[nodiscard]] ElementArgument moved_by(const Index<D>& by) const {
    ElementArgument other = *this;
    other.offset_.by = mobile::coordinates_of(by);
    return other;
  }
  /// @endcond

 private:
  CollectionRecord* record_;
  Offset offset_;
  Handle<const T> border_;
};

/// An argument of for_each: for each task, N elements around its own, for a parameter Neighbours<T,
/// D>.
template <class T, int D, std::size_t N>
class NeighboursArgument {
 public:
  /// @cond
  explicit NeighboursArgument(ElementArgument<T, D> own) : own_(std::move(own)) {}
  [[nodiscard]] ElementArgument<T, D> element(std::size_t i) const {
    return own_.moved_by(detail::neighbour_offsets<D, N>[i]);
  }
  /// @endcond
  /// The same, with periodic boundaries.
  [[nodiscard]] NeighboursArgument periodic() const { return NeighboursArgument(own_.periodic()); }
  /// The same, with this value, or that of this datum, where the collection has no element.
  template <class V>
  [[nodiscard]] NeighboursArgument border(V&& value) const {
    return NeighboursArgument(own_.border(std::forward<V>(value)));
  }

 private:
  ElementArgument<T, D> own_;
};

/// An argument of for_each: for each task, a part of the element at an offset from the task's own;
/// the parameter is as for Part.
template <class T, int D>
class ElementPart {
 public:
  /// @cond
  ElementPart(ElementArgument<T, D> element, std::size_t begin, std::size_t end)
      : element_(std::move(element)), begin_(begin), end_(end) {
    if (begin > end)
      detail::refuse_part(element_.record().label(), begin, end, "which ends before it begins");
  }
  [[nodiscard]] const ElementArgument<T, D>& element() const { return element_; }
  /// @endcond
  /// The first index.
  [[nodiscard]] std::size_t begin() const { return begin_; }
  /// One more than the last index.
  [[nodiscard]] std::size_t end() const { return end_; }

 private:
  ElementArgument<T, D> element_;
  std::size_t begin_;
  std::size_t end_;
};

/// An argument of for_each: the index of each task's element, as Index<D>.
template <int D>
struct IndexArgument {
  /// @cond
  /// Lets type checks treat the argument as an index; never called.
  operator Index<D>() const;  // NOLINT: for the checks of types alone
  /// @endcond
};

/// An array of data in one to three dimensions, spread over all ranks by a Placement, for example
/// in equal blocks; or some elements of such an array (Indices). An element has no value before a
/// task has written it. A handle-like value: copies refer to the same collection.
template <class T, int D>
class Collection {
 public:
  Collection() = default;
  /// @cond
  explicit Collection(std::shared_ptr<CollectionRecord> record) : record_(std::move(record)) {}
  /// @endcond

  /// The number of elements along each dimension.
  [[nodiscard]] Index<D> extent() const { return mobile::index_of<D>(record_->shape().extent); }
  /// Its indices: `fl.collection<Rim>(u.indices())` has the same ones.
  [[nodiscard]] Indices<D> indices() const { return {extent(), record_->distribution().set()}; }
  /// An argument of for_each: the task's own element.
  [[nodiscard]] ElementArgument<T, D> own() const { return {*this, Offset{}}; }
  /// An argument of for_each: the element at this offset from the task's own, to be read. Where
  /// there is none, it is T(), unless `.border(value)` or `.periodic()` says otherwise.
  template <std::integral... I>
    requires(sizeof...(I) == D)
  [[nodiscard]] ElementArgument<T, D> at(I... offset) const {
    return {*this, Offset{mobile::coordinates_of(Index<D>(offset...)), false, nullptr}};
  }
  /// An argument of for_each: the element that a function of the program gives for each task, to be
  /// read, as in `u.at<&mirror, &mirrored>()`. `Index<D> Map(Index<E> task, Index<D> extent)` says
  /// which element the task of an index reads; `extent` is that of this collection, whose extent
  /// and placement may differ from the tasks'. It may be an index that this has not, like an
  /// offset. `std::vector<Index<E>> Readers(Index<D> element, Index<D> extent)` says the reverse,
  /// all tasks that read an element, by which its rank knows where to send it; it may say indices
  /// that have no task. Both must give the same for the same arguments on all ranks. If they
  /// contradict each other, for_each throws Error.
  template <auto Map, auto Readers>
  [[nodiscard]] ElementArgument<T, D> at() const {
    using Traits = detail::MapTraits<std::remove_cv_t<decltype(Map)>>;
    static_assert(Traits::of_element == D, "the map gives indices of the collection");
    Offset offset;
    offset.map = &detail::index_map<Map, Readers, Traits::of_task, D>;
    return {*this, offset};
  }
  /// An argument of for_each: the 2 D elements that share a face with the task's own, for a
  /// parameter Neighbours<T, D>.
  [[nodiscard]] NeighboursArgument<T, D, detail::faces_around<D>> faces() const {
    return NeighboursArgument<T, D, detail::faces_around<D>>(own());
  }
  /// An argument of for_each: all elements around the task's own, with diagonals (8 in two
  /// dimensions, 26 in three), for a parameter Neighbours<T, D>.
  [[nodiscard]] NeighboursArgument<T, D, detail::all_around<D>> neighbours() const {
    return NeighboursArgument<T, D, detail::all_around<D>>(own());
  }
  /// An argument of for_each: the index of the task's element, for a parameter Index<D>.
  [[nodiscard]] IndexArgument<D> index() const { return {}; }
  /// The mobile object by which balancers, reports and recorded loads (`--roam-lb-data`) know the
  /// elements of this index, on the rank that has them, once it has been made: by the end of the
  /// first phase, or by the first operation if a policy may move elements. Otherwise an empty id.
  /// Its place is that of the elements' tasks. To be called by the main program. Throws Error if
  /// there is no such element.
  [[nodiscard]] ObjectId object(const Index<D>& at) const {
    return record_->object_of(mobile::coordinates_of(at));
  }
  /// Sets the name used in errors and reports; `name` must have static storage.
  const Collection& named(const char* name) const {
    record_->set_name(name);
    return *this;
  }
  /// @cond
  [[nodiscard]] CollectionRecord& record() const { return *record_; }
  /// @endcond

 private:
  std::shared_ptr<CollectionRecord> record_;
};

}  // namespace roam::flow
