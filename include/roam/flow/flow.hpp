// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sequential code that runs as tasks (DARMA's programming model, SAND2017): the program issues
// tasks one after the other and says, by the types of their parameters, what they do with which
// data; tasks that do not need each other's results run at the same time, and the result is that of
// the program run line by line. docs/flow.md.
#include <coroutine>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

#include "roam/flow/detail/graph.hpp"
#include "roam/flow/detail/publish.hpp"
#include "roam/flow/each_calls.hpp"
#include "roam/flow/object.hpp"
#include "roam/runtime/runtime.hpp"

namespace roam::flow {

/// @cond
/// Waits for the end of all tasks of a Flow.
class EndOfTasks {
 public:
  explicit EndOfTasks(Core& core) : core_(core), done_(core) {}
  EndOfTasks(const EndOfTasks&) = delete;
  EndOfTasks& operator=(const EndOfTasks&) = delete;
  ~EndOfTasks();
  [[nodiscard]] bool await_ready() const { return core_.unfinished() == 0; }
  bool await_suspend(std::coroutine_handle<> handle);
  void await_resume();

 private:
  Core& core_;
  AllDone done_;
  bool is_listed_ = false;
};
/// @endcond

/// The type of at_once.
struct AtOnce {};
/// `flow::Flow fl(rt, flow::at_once);` runs each task to its end inside the call that issues it,
/// whatever --roam-flow-backend says: the program then runs line by line, for comparison.
inline constexpr AtOnce at_once{};

/// Issues tasks, in a main program or in a task. `flow::Flow fl(rt);` begins a flow program in the
/// main program of a rank; a task that issues others has a parameter `flow::Flow&`. Must be used
/// only by the coroutine that made it, or by the task's body. Tasks that have been issued run even
/// if the main program's Flow has been destroyed.
///
/// work(body, arguments...) issues a task: body is a lambda without captures, or flow::fn<&f>. A
/// parameter that is given a Handle<T> says what the task does with the datum: const T& or T reads,
/// T& modifies, Out<T> gives a new value, Commute<T>, Reduce<T, Op>, Accumulate<T, Op>
/// (effects.hpp), Handle<T> and Handle<const T> let the task's children do so. All other arguments
/// are values, which are stored with the task. It returns at once, unless the window
/// (--roam-flow-window) is full: then it runs other tasks first, inside the caller. Throws Error
/// that names task, datum and lines if a datum is read that nothing has written, is given twice to
/// a task that writes it, or belongs to another scope.
class Flow : public EachCalls {
 public:
  /// Begins a flow program in the main program of `rank`.
  explicit Flow(Runtime& rank);
  /// Begins a flow program in which each task runs to its end inside the call that issues it.
  Flow(Runtime& rank, AtOnce serially);
  /// @cond
  /// The Flow of a task's body.
  explicit Flow(Scope& scope) : EachCalls(scope) {}
  /// @endcond
  Flow(const Flow&) = delete;
  Flow& operator=(const Flow&) = delete;
  ~Flow();

  /// Makes a datum without a value: the first task that uses it must write it.
  template <class T>
  [[nodiscard]] Handle<T> data(SourceLine where = SourceLine::current()) {
    return Handle<T>(make_datum<T>(where));
  }
  /// Makes a datum with a value: `auto n = fl.data(0L);`
  template <class T>
  [[nodiscard]] Handle<T> data(T value, SourceLine where = SourceLine::current()) {
    Datum* const datum = make_datum<T>(where);
    static_cast<InstanceOf<T>&>(datum->instance()).emplace(std::move(value));
    datum->note_written();
    return Handle<T>(datum);
  }
  /// Makes an array of data over all ranks, without values; like everything with collections, to be
  /// called by the main programs of all ranks in the same order: `auto u =
  /// fl.collection<Block>(Index<2>{64, 64});`
  template <class T, int D>
  [[nodiscard]] Collection<T, D> collection(const Index<D>& extent,
                                            const Placement& placement = Placement::block(),
                                            SourceLine where = SourceLine::current()) {
    return collection<T>(Indices<D>(extent), placement, where);
  }
  /// Makes a sparse array of data over all ranks: `auto u =
  /// fl.collection<Block>(Indices<2>::where<&is_inside>({64, 64}));` The placement puts an element
  /// where it would be if there were all.
  template <class T, int D>
  [[nodiscard]] Collection<T, D> collection(const Indices<D>& indices,
                                            const Placement& placement = Placement::block(),
                                            SourceLine where = SourceLine::current()) {
    core::require_serialisable<T>();
    mobile::CollectionShape shape;
    shape.extent = mobile::coordinates_of(indices.extent(), 1);
    shape.placement = placement;
    shape.dimensions = D;
    return Collection<T, D>(make_collection(element_type<T>, shape, indices.set(), where));
  }
  /// Makes a datum with the present value of one element, on every rank; to be called by all main
  /// programs, like for_each.
  template <class T, int D>
  [[nodiscard]] Handle<T> copy_of(const Collection<T, D>& collection, const Index<D>& index,
                                  SourceLine where = SourceLine::current()) {
    Handle<T> copy(make_datum<T>(where));
    detail::copy_element(collection.record(), mobile::coordinates_of(index), *copy.datum(), where,
                         std::type_identity<T>());
    return copy;
  }
  /// Makes the value that the datum has at this point of the program available to all ranks under
  /// this key: `fl.publish(rim, {"rim", at, step}, 2);` The value is copied, so that later tasks
  /// need not wait for readers. It is freed after that many reads, or, for any_number, at the end
  /// of the next phase. Until then the key cannot be used again: that is an error that ends the job
  /// and names both lines. If the datum has a failure in place of its value, readers get the
  /// failure. Through a handle for reading, `fl.publish(mesh.freeze(), {"mesh"}, any_number);`,
  /// each rank gets the value once: all its fetches of it share one replica, which is freed when
  /// the last reader has come, or the phase has ended, and no task reads it any more.
  template <class T>
  void publish(const Handle<T>& handle, const Key& key, Readers readers = 1,
               SourceLine where = SourceLine::current()) {
    core::require_serialisable<std::remove_const_t<T>>();
    detail::publish(scope(), *handle.datum(), element_type<std::remove_const_t<T>>, key, readers,
                    std::is_const_v<T>, where);
  }
  /// Makes a datum of this rank with the value that has been, or will be, published under this key
  /// on any rank: `auto rim = fl.fetch<Rim>({"rim", at, step});` Counts as one reader. Does not
  /// wait; tasks that read the datum do. If the value has another type, they fail.
  template <class T>
  [[nodiscard]] Handle<const T> fetch(const Key& key, SourceLine where = SourceLine::current()) {
    core::require_serialisable<T>();
    return Handle<const T>(detail::fetch(scope(), element_type<T>, key, where));
  }
  /// Lets tasks of this Flow call a mobile object: `auto field = fl.adopt(pointer);` Tasks that are
  /// issued on this rank, and on this rank alone, call it in the order in which they are issued. No
  /// others may call it until their tasks are over; it may move. Throws Error with back ends that
  /// cannot call objects (docs/flow.md).
  template <class T>
  [[nodiscard]] Object<T> adopt(mobile_ptr<T> object, SourceLine where = SourceLine::current()) {
    detail::require_calls_of_objects(scope(), where);
    return Object<T>(data(object, where));
  }
  /// Issues a task that calls a method of an adopted object, wherever it is, and is over when that
  /// has returned: `auto energy = fl.call<&Field::advance>(field, force, 0.1);` Arguments are
  /// handles, whose values are sent when they are there, and values. Returns a Handle of a new
  /// datum for what the method returns, if anything. Methods that are not const have the object to
  /// themselves among the tasks of this Flow; if one throws, the object counts as a datum without a
  /// value: tasks that were to call it do not run. If a const one throws, only its result is
  /// missing.
  template <auto Method, class... A>
  auto call(detail::Callee<Method> object, A&&... arguments) {
    using Call = detail::CallTask<Method>;
    using Pointer = typename Call::Pointer;
    static_assert(!(detail::is_part_of_datum<A> || ...), "give the whole datum to a call");
    using Result = typename detail::ResultOf<
        decltype(std::declval<mobile_ptr<typename Call::Class>>().template call<Method>(
            std::declval<typename detail::CallParameter<A>::Type>()...))>::Type;
    const Handle<Pointer> called(object.object.handle());
    const auto issue = [&]<class... R>(const Handle<R>&... result) {
      using Made = detail::TaskMaker<
          typename Call::Body,
          detail::TypeList<Handle<Pointer>, typename detail::CallParameter<A>::Type...,
                           Handle<R>...>>;
      scope().core().submit(Made::template make<Call::template Of>(
          scope(), "call", object.where, called, std::forward<A>(arguments)..., result...));
    };
    if constexpr (std::is_void_v<Result>) {
      issue();
    } else {
      const Handle<Result> result(make_datum<Result>(object.where));
      issue(result);
      return result;
    }
  }
  /// Calls `body`, which issues tasks: `fl.graph("step", [&] { fl.work(...); fl.work(...); });`
  /// The tasks are recorded by `name` with what they wait for, and from the next call of that name
  /// on, as long as the body issues the same structure (the same functions, which use data in the
  /// same way and order; which data these are, and the values of other arguments, may differ), they
  /// run by what is recorded, which takes less time. From the first difference on the tasks are
  /// tracked as they would be without graph(); the result is the same in any case. Inside a task,
  /// or inside another graph(), it only calls `body`. Throws what `body` throws.
  template <class F>
  void graph(std::string_view name, F&& body) {
    const detail::GraphCall call(scope(), name);
    std::forward<F>(body)();
  }
  /// Cancels tasks that have been issued so far and have not begun, and the children of those that
  /// have. What they were to write has no value: get() throws TaskFailed, "cancelled at
  /// search.cpp:12", until a task that is issued later gives it one. Which tasks have already run
  /// depends on the schedule. Ranks that expect values from cancelled tasks are told. In the main
  /// program.
  void cancel(SourceLine where = SourceLine::current()) { scope().core().cancel(where); }
  /// `co_await fl.done();` waits until all tasks issued so far, and all that they issue, have
  /// ended. In the main program.
  [[nodiscard]] EndOfTasks done() { return EndOfTasks(scope().core()); }
  /// `const auto report = co_await fl.phase();` ends a phase of the program: awaits the end of all
  /// tasks and of all other work of the job, and where --roam-balancer names a strategy, lets it
  /// move the elements of collections according to the time of their tasks since the last phase
  /// ended. The elements of one index, in all collections of one extent and placement, stay
  /// together. Values do not depend on the moves. To be called by the main programs of all ranks;
  /// until it is over, none of them may use collections in any other way. See balance::Phases.
  [[nodiscard]] Task<balance::PhaseReport> phase();

 private:
  void end_groups();
  [[nodiscard]] std::shared_ptr<CollectionRecord> make_collection(
      const ElementType& type, mobile::CollectionShape shape,
      const std::shared_ptr<const IndexSet>& set, const SourceLine& where);
  template <class T>
  [[nodiscard]] Datum* make_datum(const SourceLine& where) {
    return new Datum(scope(), &make_instance<T>,
                     {.type = core::type_name<T>().data(), .where = where});
  }
};

namespace detail {

class FlowSlot::Given {
 public:
  Given(ParentTask& task, FlowSlot& /*slot*/, Access* /*none*/) : flow_(task.inner()) {}
  [[nodiscard]] Flow& get() { return flow_; }
  void finish() {}

 private:
  Flow flow_;
};

}  // namespace detail

}  // namespace roam::flow
