// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reactive offloading (P. Samfass, T. Weinzierl, D. E. Charrier, M. Bader, Lightweight task
// offloading exploiting MPI wait times for parallel adaptive mesh refinement, 2020): ranks that
// would wait compute tasks of ranks that are late, and send the results back.
#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "roam/am/when.hpp"
#include "roam/core/detail/argument_check.hpp"
#include "roam/core/detail/named_arguments.hpp"
#include "roam/core/detail/parameters.hpp"
#include "roam/offload/cost.hpp"
#include "roam/offload/detail/guest_task.hpp"
#include "roam/offload/detail/home_task.hpp"
#include "roam/offload/detail/kept_arguments.hpp"
#include "roam/offload/offloader.hpp"
#include "roam/runtime/runtime.hpp"

namespace roam::offload {

namespace detail {

/// Mentioning this adds a function to the list of those that other ranks may compute.
template <auto Function>
inline const TaskFunctionRegistrar task_function{
    {core::program_name_of_value<Function>(), [](GuestTask& guest) { guest.compute<Function>(); }}};

/// A task with a result of type R.
template <class R>
class ResultTask : public HomeTask {
 public:
  using HomeTask::HomeTask;
  /// To be called when the task is done: returns its value, or throws RemoteError if the function
  /// threw, here or elsewhere.
  [[nodiscard]] R take() {
    if constexpr (std::is_void_v<R>) {
      if (!value_) am::Reply<void>::take(*this);
    } else {
      if (value_) return std::move(*value_);
      return am::Reply<R>::take(*this);
    }
  }

 protected:
  ~ResultTask() override = default;
  std::optional<am::detail::ValueOf<R>> value_;  // result of a computation here
};

/// For tasks whose arguments are not there yet.
struct Later {};

/// A task that stores the arguments of its function; R: the type of what is made of the function's
/// result.
template <auto Function, class R>
class FunctionTask : public ResultTask<R> {
 public:
  using Callable = core::CallableOf<Function>;
  using Arguments = typename Callable::Arguments;

  template <class... A>
  explicit FunctionTask(Offloader& offloader, A&&... arguments)
      : ResultTask<R>(offloader.tasks(), offloader.engine(),
                      am::EpochWork::begin(offloader.tasks().messenger()), task_function<Function>),
        arguments_(std::in_place, std::forward<A>(arguments)...) {}
  FunctionTask(Later, Offloader& offloader)
      : ResultTask<R>(offloader.tasks(), offloader.engine(),
                      am::EpochWork::begin(offloader.tasks().messenger()),
                      task_function<Function>) {}
  /// Where the arguments have to be before the task is submitted.
  [[nodiscard]] std::optional<core::StoredParameters<Arguments>>& arguments() {
    return arguments_.place();
  }

  void ship(Rank victim, Shipped head) override {
    head.function = task_function<Function>.id();
    arguments_.post(this->messenger(), victim, head, std::type_identity<std::tuple<>>{});
  }

 protected:
  ~FunctionTask() override = default;
  typename Callable::Result apply() { return arguments_.apply(Function); }

 private:
  KeptArguments<Arguments> arguments_;
};

template <auto Function>
class PlainTask final : public FunctionTask<Function, typename core::CallableOf<Function>::Result> {
 public:
  using Result = typename core::CallableOf<Function>::Result;
  using FunctionTask<Function, Result>::FunctionTask;

 protected:
  void call() override {
    if constexpr (std::is_void_v<Result>) {
      this->apply();
    } else {
      this->value_.emplace(this->apply());
    }
  }

 private:
  ~PlainTask() override = default;
};

/// The type of what a continuation makes of a function's result.
template <auto Function, class Continuation>
struct Continued {
  using Given = typename core::CallableOf<Function>::Result;
  using type = std::invoke_result_t<Continuation&, Given>;
};
template <auto Function, class Continuation>
  requires std::is_void_v<typename core::CallableOf<Function>::Result>
struct Continued<Function, Continuation> {
  using type = std::invoke_result_t<Continuation&>;
};
/// In spawn_then(), a Cost stands before the continuation.
template <auto Function>
struct Continued<Function, Cost> {
  using type = void;
};
template <auto Function, class Continuation>
using ContinuedResult = typename Continued<Function, Continuation>::type;

template <auto Function, class Continuation>
class ContinuedTask : public FunctionTask<Function, ContinuedResult<Function, Continuation>> {
 public:
  using Given = typename core::CallableOf<Function>::Result;
  using Result = ContinuedResult<Function, Continuation>;

  template <class... A>
  ContinuedTask(Offloader& offloader, Continuation&& continuation, A&&... arguments)
      : FunctionTask<Function, Result>(offloader, std::forward<A>(arguments)...),
        continuation_(std::move(continuation)) {}
  ContinuedTask(Later later, Offloader& offloader, Continuation&& continuation)
      : FunctionTask<Function, Result>(later, offloader), continuation_(std::move(continuation)) {}

 protected:
  ~ContinuedTask() override = default;
  void call() override {
    if constexpr (std::is_void_v<Given>) {
      apply_timed();
      keep([this] { return continuation_(); });
    } else {
      keep([this] { return continuation_(apply_timed()); });
    }
  }
  [[nodiscard]] bool continues() const override { return true; }
  void continue_with(am::Incoming&& result) override {
    if constexpr (std::is_void_v<Given>) {
      keep([this] { return continuation_(); });
    } else {
      core::Unpacker bytes(result.payload());
      if constexpr (core::has_array_parameter<std::tuple<Given>>)
        bytes.set_attachment(&result.attachment);
      auto given = core::unpack_parameters<std::tuple<Given>>(bytes);
      keep([&] { return continuation_(std::move(std::get<0>(given))); });
    }
  }

 private:
  Given apply_timed() {
    const typename HomeTask::Timing timing(*this);
    return this->apply();
  }
  template <class Call>
  void keep(Call&& call) {
    if constexpr (std::is_void_v<Result>) {
      call();
      this->value_.emplace();
    } else {
      this->value_.emplace(call());
    }
  }

  Continuation continuation_;
};

/// Fails to compile, with one line of explanation, unless a function can be an offloadable task.
template <auto Function, class... A>
constexpr void require_task() {
  using Callable = core::CallableOf<Function>;
  static_assert(!Callable::is_member,
                "an offloadable task is a function, not a method: it computes with what it is "
                "given, on whatever rank (for const methods of objects: offload::as_task)");
  static_assert(!exec::is_task<typename Callable::Result>,
                "an offloadable task is a plain function, not a coroutine: it computes, and does "
                "not wait");
  static_assert(core::are_arguments_for<typename Callable::Arguments, A...>,
                "these arguments do not match the parameters of the offloadable task");
  core::require_parameters<typename Callable::Arguments>();
  if constexpr (!std::is_void_v<typename Callable::Result>)
    core::require_parameters<std::tuple<typename Callable::Result>>();
}

}  // namespace detail

/// The future result of a task. Await it at most once, from a coroutine of the rank that spawned
/// the task. It may be dropped: the task is still computed, and a failure goes to the job's error
/// handler. Rethrows roam::RemoteError if the function threw, wherever that was. The time of the
/// task counts as that of the handler which takes its result, and so as load of that handler's
/// object, on whatever rank the task was computed.
template <class R>
class [[nodiscard]] Result {
 public:
  /// @cond
  explicit Result(detail::ResultTask<R>* task) : task_(task) {}
  /// Waits as co_await does, but leaves the result, or the failure, where it is.
  [[nodiscard]] auto arrival() { return Arrival(task_); }
  /// Requires is_ready(): what co_await gives, or throws.
  R take() { return taken_of(task_); }
  /// @endcond
  Result(Result&& other) noexcept : task_(std::exchange(other.task_, nullptr)) {}
  Result& operator=(Result&& other) noexcept {
    std::swap(task_, other.task_);
    return *this;
  }
  Result(const Result&) = delete;
  Result& operator=(const Result&) = delete;
  ~Result() {
    if (task_ != nullptr) task_->PendingReply::drop();
  }

  /// True if the result, or the failure, is here: co_await would not wait.
  [[nodiscard]] bool is_ready() const { return task_->is_done(); }

  auto operator co_await() { return Awaiter(task_); }

 private:
  struct Waiter final : exec::Suspension {};
  struct Arrival {
    detail::ResultTask<R>* task;
    Waiter waiter;
    explicit Arrival(detail::ResultTask<R>* t) : task(t) {}
    [[nodiscard]] bool await_ready() const { return task->is_done(); }
    bool await_suspend(std::coroutine_handle<> handle) {
      waiter.capture(handle);
      return task->wait(&waiter);
    }
    void await_resume() {}
  };
  struct Awaiter : Arrival {
    using Arrival::Arrival;
    R await_resume() { return taken_of(this->task); }
  };
  static R taken_of(detail::ResultTask<R>* task) {
    task->count_as_run_here();
    return task->take();
  }
  detail::ResultTask<R>* task_;
};

namespace detail {
/// Does what the two spawn() do. `cost` is nullptr where none is stated.
template <auto Function, class... A>
Result<typename core::CallableOf<Function>::Result> spawn_plain(Runtime& rank, const Cost* cost,
                                                                A&&... arguments) {
  require_task<Function, A...>();
  Offloader& offloader = Offloader::of(rank);
  auto* const task = new PlainTask<Function>(offloader, std::forward<A>(arguments)...);
  Result<typename core::CallableOf<Function>::Result> result(task);
  if (cost != nullptr) task->state_cost(*cost);
  offloader.tasks().submit(task);
  return result;
}
}  // namespace detail

/// Spawns a task that is ready to run: Function(arguments...) is called on a worker of this rank
/// or, while this rank is late and others wait, of another one. To the program it looks like a
/// single call, and the result is bitwise the same. `auto result = offload::spawn<&predict>(rt,
/// cell, dt);` Function is a plain function whose parameters and result can be sent between ranks
/// (as those of a handler). It must compute from its arguments and neither send nor call, since
/// messages of a task would have no order and belong to no epoch. The task's own rank runs it after
/// everything else that is ready, another rank before tasks of its own. Returns at once, except for
/// the flow control of Messenger::send(). To be called inside handlers and main programs of `rank`.
template <auto Function, class... A>
Result<typename core::CallableOf<Function>::Result> spawn(Runtime& rank, A&&... arguments) {
  core::require_named_arguments<A...>();
  return detail::spawn_plain<Function>(rank, nullptr, std::forward<A>(arguments)...);
}

/// Spawns a task as spawn() does, and states its cost: `offload::spawn<&predict>(rt,
/// offload::Cost(cells), cell, dt)`.
template <auto Function, class... A>
Result<typename core::CallableOf<Function>::Result> spawn(Runtime& rank, Cost cost,
                                                          A&&... arguments) {
  core::require_named_arguments<A...>();
  return detail::spawn_plain<Function>(rank, &cost, std::forward<A>(arguments)...);
}

/// Spawns a task as spawn() does, and calls continuation(result) on a worker of this rank as soon
/// as the result is there, whatever the order in which tasks end:
/// `done.push_back(offload::spawn_then<&predict>(rt, [&cell](Prediction p) { cell.correct(p); },
/// cell.values(), dt));` With several workers, continuations may run at the same time. The value or
/// exception of the continuation becomes that of the result; it may send and call, as a handler
/// may.
template <auto Function, class Continuation, class... A>
Result<detail::ContinuedResult<Function, std::decay_t<Continuation>>> spawn_then(
    Runtime& rank, Continuation&& continuation, A&&... arguments) {
  core::require_named_function<Continuation>();
  core::require_named_arguments<A...>();
  detail::require_task<Function, A...>();
  using Task = detail::ContinuedTask<Function, std::decay_t<Continuation>>;
  Offloader& offloader = Offloader::of(rank);
  auto* const task =
      new Task(offloader, std::decay_t<Continuation>(std::forward<Continuation>(continuation)),
               std::forward<A>(arguments)...);
  Result<detail::ContinuedResult<Function, std::decay_t<Continuation>>> result(task);
  offloader.tasks().submit(task);
  return result;
}

/// Spawns a task as spawn_then() does, and states its cost.
template <auto Function, class Continuation, class... A>
Result<detail::ContinuedResult<Function, std::decay_t<Continuation>>> spawn_then(
    Runtime& rank, Cost cost, Continuation&& continuation, A&&... arguments) {
  core::require_named_function<Continuation>();
  core::require_named_arguments<A...>();
  detail::require_task<Function, A...>();
  using Task = detail::ContinuedTask<Function, std::decay_t<Continuation>>;
  Offloader& offloader = Offloader::of(rank);
  auto* const task =
      new Task(offloader, std::decay_t<Continuation>(std::forward<Continuation>(continuation)),
               std::forward<A>(arguments)...);
  Result<detail::ContinuedResult<Function, std::decay_t<Continuation>>> result(task);
  task->state_cost(cost);
  offloader.tasks().submit(task);
  return result;
}

/// Waits for all results and returns their values in order (nothing, for results without values).
/// If some failed, throws the exception of the first of these in order, after all have come.
template <class R>
[[nodiscard]] Task<std::conditional_t<std::is_void_v<R>, void, std::vector<am::detail::ValueOf<R>>>>
when_all(std::vector<Result<R>> results) {
  // Tasks begin in the order in which they were spawned: whoever waits for the last one first is
  // woken once, and finds most of the others there.
  for (std::size_t i = results.size(); i-- > 0;)
    if (!results[i].is_ready()) co_await results[i].arrival();
  std::exception_ptr failure;
  std::vector<am::detail::ValueOf<R>> values;
  if constexpr (!std::is_void_v<R>) values.reserve(results.size());
  for (Result<R>& result : results) {
    try {
      if constexpr (std::is_void_v<R>) {
        result.take();
      } else {
        values.push_back(result.take());
      }
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
  if constexpr (!std::is_void_v<R>) co_return values;
}

/// Ends a step of the program on this rank and begins the next one: what was measured since the
/// last call goes to the strategy of --roam-offload, and its decision applies to tasks spawned, or
/// still waiting, from then on. Every rank's main program must call it once per step, right after
/// the operation that synchronises the ranks (such as the reduction of the time step); it waits for
/// nobody.
inline void next_step(Runtime& rank) { Offloader::of(rank).next_step(); }

/// Reports that the calling rank's workers have waited for rank `whom` this long, summed over
/// workers, since the last next_step(). For programs that know this better than what is measured
/// (how long a rank's workers have been idle, and which rank came last). In a step in which any
/// rank reports waits, strategies see only reported waits.
inline void waited_for(Runtime& rank, Rank whom, Duration worker_time) {
  Offloader::of(rank).waited_for(whom, worker_time);
}

}  // namespace roam::offload
