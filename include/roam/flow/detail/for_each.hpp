// SPDX-License-Identifier: Apache-2.0
#pragma once

// Makes one task for each local element of a collection from the arguments of for_each().
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "roam/core/error.hpp"
#include "roam/flow/collection.hpp"
#include "roam/flow/detail/element_queue.hpp"
#include "roam/flow/detail/element_slots.hpp"
#include "roam/flow/detail/remote_body.hpp"

namespace roam::flow::detail {

template <class T, int D>
struct ArgumentTraits<ElementArgument<T, D>> {
  static constexpr bool is_datum = true;
  static constexpr bool may_write = true;
  using Value = T;
};

template <class A>
inline constexpr bool is_single = false;
template <class T>
inline constexpr bool is_single<Handle<T>> = true;
template <class P, class A>
inline constexpr bool modifies_single_part = false;
template <class P, class T>
inline constexpr bool modifies_single_part<P, Part<T>> =
    std::is_same_v<std::remove_cvref_t<P>, ModifiedPart<std::remove_const_t<T>>>;

/// Checks one parameter of for_each and its argument.
template <class P, class A>
constexpr Fault fault_of_each_argument() {
  constexpr Fault fault = fault_of_argument<P, A>();
  if constexpr (fault == Fault::none && modifies_single_part<P, A>) {
    return Fault::shared_write;
  } else if constexpr (fault == Fault::none && is_single<A>) {
    constexpr Effect effect = DatumParameter<P>::effect;
    constexpr bool reduces =
        effect == Effect::overwrite && !std::is_same_v<P, Out<typename DatumParameter<P>::Value>>;
    if constexpr (writes(effect) && effect != Effect::accumulate && !reduces)
      return Fault::shared_write;
  }
  return fault;
}

template <class Parameters, class Arguments>
inline constexpr Fault fault_of_each_arguments = Fault::none;
template <class... P, class... A>
  requires(sizeof...(P) == sizeof...(A))
inline constexpr Fault fault_of_each_arguments<TypeList<P...>, TypeList<A...>> = [] {
  Fault fault = Fault::none;
  ((fault = fault == Fault::none ? fault_of_each_argument<P, A>() : fault), ...);
  return fault;
}();

template <class F, class... A>
constexpr Fault fault_of_each() {
  constexpr Fault fault = fault_of<F, A...>();
  if constexpr (fault != Fault::none) {
    return fault;
  } else {
    return fault_of_each_arguments<typename Issuing<typename Body<F>::Parameters>::Others,
                                   TypeList<A...>>;
  }
}

/// One operation on a collection, as this rank issues it.
class EachOperation {
 public:
  EachOperation(Scope& scope, const SourceLine& where, Priority priority = Priority::normal);

  // --- before tasks are made: what the operation does with which collections ---
  /// Reports an argument that is an element, or a part of it. Throws Error if it is not allowed.
  void uses(CollectionRecord& record, const Offset& offset, Effect effect,
            const PartUse& range = {});
  void check_has_element() const;
  /// Sends what tasks of other ranks read, and counts what tasks of this rank read.
  void offer();

  // --- of the tasks ---
  /// The collection for whose elements there are tasks.
  [[nodiscard]] CollectionRecord& first() const { return *first_; }
  [[nodiscard]] std::uint64_t count() const { return first().local_count(); }
  /// The datum that the task of the k-th local element uses.
  [[nodiscard]] DatumArgument argument(CollectionRecord& record, const Offset& offset,
                                       Datum* border, Effect effect, std::uint64_t k);
  /// The same, of an element that it reads at an offset.
  [[nodiscard]] Datum& read_at(CollectionRecord& record, const Offset& offset, Datum* border,
                               std::uint64_t k) const;
  void finish();
  /// Where the task of the k-th local element reports its time; none if it is not measured.
  [[nodiscard]] ElementLoadRef load(std::uint64_t k) const {
    if (!counted_.empty()) [[unlikely]]
      return counted_[k];
    return first().distribution().load(k);
  }

  /// Where the task of the k-th local element waits once it is ready; nullptr: on this rank.
  [[nodiscard]] ElementQueue* queue(std::uint64_t k) const {
    return first().distribution().queue_at(k);
  }

  [[nodiscard]] Scope& scope() const { return scope_; }
  [[nodiscard]] const SourceLine& where() const { return where_; }
  [[nodiscard]] Priority priority() const { return priority_; }
  [[nodiscard]] Exchange& exchange() const { return first().exchange(); }
  /// The name of the next reduction's parcels.
  [[nodiscard]] ParcelName next_name();
  /// The number of the first reduction.
  [[nodiscard]] std::uint64_t first_reduction() const { return first_reduction_; }

 private:
  struct Use {
    CollectionRecord* record;
    Offset offset;
    Effect effect;
    PartUse range;
  };
  struct Renewed {
    Datum* datum;
    Instance* instance;
  };
  [[nodiscard]] static bool are_apart(const Use& use, const Use& other);
  [[nodiscard]] bool is_also_read(const CollectionRecord& record) const;
  void count_reads();
  [[nodiscard]] std::optional<std::uint64_t> index_read(const Use& use, std::uint64_t k) const;
  /// The number of earlier arguments by which the task of the k-th index reads a datum with the
  /// label that the element of this index has.
  [[nodiscard]] std::size_t count_alike_before(const Use& use, std::uint64_t index,
                                               std::uint64_t k) const;
  [[noreturn]] void refuse(const CollectionRecord& record, const std::string& why) const;

  Scope& scope_;
  const SourceLine where_;
  const Priority priority_;
  CollectionRecord* first_ = nullptr;
  std::uint64_t first_reduction_ = 0;  // its number; 0: there has been none
  std::vector<Use> uses_;
  std::vector<ElementLoadRef> counted_;  // of the tasks, if it is counted what they read
  std::vector<Renewed> renewed_;  // become the newest versions once all tasks have been issued
};

// --- what each argument gives to each task ---

/// For an argument that is a value.
template <class P, class A>
class EachValue {
 public:
  using Slot = ValueSlot<P>;
  EachValue(EachOperation& /*operation*/, const A& argument) : argument_(argument) {
    core::require_serialisable<std::decay_t<P>>();
  }
  void describe() {}
  void begin() {}
  [[nodiscard]] const A& at(std::uint64_t /*k*/) const { return argument_; }
  void finish() {}

 private:
  const A& argument_;
};

/// For the index.
template <class P, int D>
class EachIndex {
 public:
  using Slot = ValueSlot<P>;
  EachIndex(EachOperation& operation, const IndexArgument<D>& /*argument*/)
      : operation_(operation) {}
  void describe() {}
  void begin() {}
  [[nodiscard]] Index<D> at(std::uint64_t k) const {
    const CollectionRecord& record = operation_.first();
    return mobile::index_of<D>(record.shape().coordinates(record.linear(k)));
  }
  void finish() {}

 private:
  EachOperation& operation_;
};

/// For an element.
template <class P, class T, int D>
class EachElement {
 public:
  using Slot = DatumSlot<P>;
  EachElement(EachOperation& operation, const ElementArgument<T, D>& argument)
      : operation_(operation), argument_(argument) {}
  void describe() { operation_.uses(argument_.record(), argument_.offset(), Slot::effect); }
  void begin() {}
  [[nodiscard]] DatumArgument at(std::uint64_t k) {
    return operation_.argument(argument_.record(), argument_.offset(), argument_.border(),
                               Slot::effect, k);
  }
  void finish() {}

 private:
  EachOperation& operation_;
  const ElementArgument<T, D> argument_;
};

/// For the elements around another.
template <class T, int D, std::size_t N>
class EachNeighbours {
 public:
  using Slot = NeighboursSlot<T, D, N>;
  EachNeighbours(EachOperation& operation, const NeighboursArgument<T, D, N>& argument)
      : operation_(operation) {
    elements_.reserve(N);
    for (std::size_t i = 0; i < N; ++i) elements_.push_back(argument.element(i));
  }
  void describe() {
    for (const ElementArgument<T, D>& one : elements_)
      operation_.uses(one.record(), one.offset(), Effect::read);
  }
  void begin() {}
  [[nodiscard]] std::array<Datum*, N> at(std::uint64_t k) {
    std::array<Datum*, N> data;
    for (std::size_t i = 0; i < N; ++i) {
      const ElementArgument<T, D>& one = elements_[i];
      data[i] = &operation_.read_at(one.record(), one.offset(), one.border(), k);
    }
    return data;
  }
  void finish() {}

 private:
  EachOperation& operation_;
  std::vector<ElementArgument<T, D>> elements_;
};

/// A part of a datum, for one task.
struct PartOfElement {
  Datum* of;
  std::size_t from;
  std::size_t to;
  [[nodiscard]] Datum* datum() const { return of; }
  [[nodiscard]] std::size_t begin() const { return from; }
  [[nodiscard]] std::size_t end() const { return to; }
};

/// For a part of an element.
template <class P, class T, int D>
class EachElementPart {
 public:
  using Slot = PartSlot<P, T>;
  EachElementPart(EachOperation& operation, const ElementPart<T, D>& argument)
      : operation_(operation), argument_(argument) {}
  void describe() {
    const ElementArgument<T, D>& element = argument_.element();
    operation_.uses(element.record(), element.offset(), Slot::effect,
                    range_of_part(argument_.begin(), argument_.end()));
  }
  void begin() {}
  [[nodiscard]] PartOfElement at(std::uint64_t k) {
    const ElementArgument<T, D>& element = argument_.element();
    return {
        operation_.argument(element.record(), element.offset(), element.border(), Slot::effect, k)
            .datum,
        argument_.begin(), argument_.end()};
  }
  void finish() {}

 private:
  EachOperation& operation_;
  const ElementPart<T, D> argument_;
};

/// For a part of a datum, which all tasks read.
template <class P, class T>
class EachDatumPart {
 public:
  using Slot = PartSlot<P, std::remove_const_t<T>>;
  EachDatumPart(EachOperation& /*operation*/, const Part<T>& part) : part_(part) {}
  void describe() {}
  void begin() {}
  [[nodiscard]] const Part<T>& at(std::uint64_t /*k*/) { return part_; }
  void finish() {}

 private:
  const Part<T> part_;
};

/// For a datum that all tasks read.
template <class P, class T>
class EachDatum {
 public:
  using Slot = DatumSlot<P>;
  EachDatum(EachOperation& /*operation*/, const Handle<T>& handle) : datum_(handle.datum()) {}
  void describe() {}
  void begin() {}
  [[nodiscard]] DatumArgument at(std::uint64_t /*k*/) { return {datum_, nullptr}; }
  void finish() {}

 private:
  Datum* datum_;
};

/// For a datum to which all tasks contribute.
template <class P, class T, class Op, class H>
class EachReduction {
 public:
  using Slot = ReductionSlot<P>;
  using Task = typename Slot::Task;
  EachReduction(EachOperation& operation, const Handle<H>& handle)
      : operation_(operation), datum_(*handle.datum()) {
    core::require_serialisable<T>();
  }
  void describe() {}
  void begin() {
    constexpr Effect effect = DatumParameter<P>::effect;
    task_ = new (operation_.scope().core())
        Task(operation_.scope(), operation_.where(), operation_.exchange(), operation_.next_name(),
             operation_.first(), datum_, effect);
    task_->set_first(operation_.first_reduction());
  }
  [[nodiscard]] typename Slot::Argument at(std::uint64_t k) { return {task_, k}; }
  void finish() { task_->submit(); }

 private:
  EachOperation& operation_;
  Datum& datum_;
  Task* task_ = nullptr;
};

template <class P, class A>
struct EachArgument {
  using type = EachValue<P, A>;
};
template <class P, int D>
struct EachArgument<P, IndexArgument<D>> {
  using type = EachIndex<P, D>;
};
template <class P, class T, int D>
struct EachArgument<P, ElementArgument<T, D>> {
  using type = EachElement<P, T, D>;
};
template <class P, class T, int D>
struct EachArgument<P, ElementPart<T, D>> {
  using type = EachElementPart<P, T, D>;
};
template <class P, class T, int D, std::size_t N>
struct EachArgument<P, NeighboursArgument<T, D, N>> {
  using type = EachNeighbours<T, D, N>;
};
template <class P, class T>
struct EachArgument<P, Part<T>> {
  using type = EachDatumPart<P, T>;
};
template <class P, class T>
struct EachArgument<P, Handle<T>> {
  using type = EachDatum<P, T>;
};
template <class T, class Op, class H>
struct EachArgument<Reduce<T, Op>, Handle<H>> {
  using type = EachReduction<Reduce<T, Op>, T, Op, H>;
};
template <class T, class Op, class H>
struct EachArgument<Accumulate<T, Op>, Handle<H>> {
  using type = EachReduction<Accumulate<T, Op>, T, Op, H>;
};

template <class S>
concept Contributes = requires(const S& slot) {
  slot.tag();
};

/// A task that contributes to reductions, of which the trace knows.
template <class F, class... S>
class ContributingTask : public BodyTask<F, S...> {
 public:
  using BodyTask<F, S...>::BodyTask;
  [[nodiscard]] ParcelTag parcel() const override {
    ParcelTag found;
    this->visit_slots([&](const auto& slot, const Access* /*access*/) {
      if constexpr (Contributes<std::remove_cvref_t<decltype(slot)>>)
        found = {slot.tag(), ParcelTag::Use::contribute};
    });
    return found;
  }
};

template <class F, class... S>
using ElementTaskBase =
    std::conditional_t<(Contributes<S> || ...), ContributingTask<F, S...>, BodyTask<F, S...>>;

/// The task of one index; reports its time if that is measured. If the index has an ElementQueue,
/// it waits there once it is ready, and may run on another rank.
template <class F, class... S>
class ElementTask final : public ElementTaskBase<F, S...> {
  using Base = ElementTaskBase<F, S...>;
  using Remote = RemoteRun<F, S...>;

 public:
  template <class... A>
  ElementTask(EachOperation& operation, const char* name, std::uint64_t k, A&&... arguments)
      : Base(operation.scope(), name, operation.where(), std::forward<A>(arguments)...),
        load_(operation.load(k)) {
    this->set_measured(static_cast<bool>(load_));
    this->set_priority(operation.priority());
    if constexpr (Remote::can_travel) {
      queue_ = operation.queue(k);
      this->set_queued(queue_ != nullptr);
    }
  }
  // What is run from the queue is a call of the index's object, whose time counts already.
  void took(Duration time) override {
    load_->took(queue_ == nullptr ? time : Duration(0), this->accesses());
  }
  [[nodiscard]] ElementQueue* queue() const override { return queue_; }
  [[nodiscard]] const RemoteBody* remote_body() const override {
    if constexpr (Remote::can_travel) {
      return &Remote::body;
    } else {
      return nullptr;
    }
  }
  void write_inputs(core::Packer& packer, TravelNotes& notes) override {
    if constexpr (Remote::can_travel) {
      this->visit_slots([&](const auto& slot, const Access* access) {
        RemoteSlot<std::remove_cvref_t<decltype(slot)>>::write(packer, slot, access, notes);
      });
    }
  }
  void read_outputs(core::Unpacker& bytes, TravelNotes& notes) override {
    if constexpr (Remote::can_travel) {
      this->visit_slots([&](auto& slot, const Access* access) {
        RemoteSlot<std::remove_cvref_t<decltype(slot)>>::read(bytes, slot, access, notes);
      });
    }
  }

 private:
  ElementLoadRef load_;
  ElementQueue* queue_ = nullptr;
};

template <class F, class... Each>
void issue_each(EachOperation& operation, const char* name, Each... each) {
  using Task = ElementTask<F, typename Each::Slot...>;
  (each.describe(), ...);
  operation.check_has_element();
  operation.offer();
  (each.begin(), ...);
  Core& core = operation.scope().core();
  const std::uint64_t count = operation.count();
  for (std::uint64_t k = 0; k < count; ++k)
    core.submit(new (core) Task(operation, name, k, each.at(k)...));
  operation.finish();
  (each.finish(), ...);
}

struct First {
  template <class T>
  T operator()(const T& a, const T& /*b*/) const {
    return a;
  }
};

/// Gives the value of one element to a datum on every rank.
template <class T>
void copy_element(CollectionRecord& record, const mobile::Coordinates& at, Datum& datum,
                  const SourceLine& where, std::type_identity<T> /*type*/) {
  EachOperation operation(record.scope(), where);
  operation.uses(record, Offset{}, Effect::read);
  const std::uint64_t element = record.number_of(at);
  Core& core = record.scope().core();
  using Reduction = ReductionOf<T, First>;
  auto* const reduction = new (core) Reduction(record.scope(), where, operation.exchange(),
                                               operation.next_name(), record, element, datum);
  struct Copy {
    void operator()(const T& value, Reduce<T, First> copy) const { copy(value); }
  };
  using Slot = ReductionSlot<Reduce<T, First>>;
  if (record.is_here(element)) {
    core.submit(new (core) ContributingTask<Copy, DatumSlot<const T&>, Slot>(
        record.scope(), "copy", where, DatumArgument{&record.local_of(element), nullptr},
        typename Slot::Argument{reduction, 0}));
  }
  reduction->submit();
}

/// For the parameter Flow&, if the body has one.
struct EachFlow {
  using Slot = FlowSlot;
  void describe() {}
  void begin() {}
  [[nodiscard]] std::nullptr_t at(std::uint64_t /*k*/) { return nullptr; }
  void finish() {}
};

template <class F, class Parameters>
struct EachMaker;
template <class F, class... P>
struct EachMaker<F, TypeList<P...>> {
  template <class... A>
  static void issue(EachOperation& operation, const char* name, const A&... arguments) {
    issue_each<F>(operation, name, typename EachArgument<P, A>::type(operation, arguments)...);
  }
};
template <class F, class... P>
struct EachMaker<F, TypeList<Flow&, P...>> {
  template <class... A>
  static void issue(EachOperation& operation, const char* name, const A&... arguments) {
    issue_each<F>(operation, name, EachFlow(),
                  typename EachArgument<P, A>::type(operation, arguments)...);
  }
};

}  // namespace roam::flow::detail
