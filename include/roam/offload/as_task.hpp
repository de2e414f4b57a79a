// SPDX-License-Identifier: Apache-2.0
#pragma once

// Const methods as offloadable tasks: what they read is where they are called, and only a copy of
// it goes to another rank.
#include <cstddef>
#include <functional>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "roam/offload/offload.hpp"

namespace roam::offload {

namespace detail {

/// What a const method, or a function whose first parameter is a const reference, reads, and the
/// function of a copy of that which other ranks compute.
template <auto F, class Type>
struct ReaderOf {
  static constexpr bool is_reader = false;
};
template <auto F, class R, class C, class... A>
struct ReaderOf<F, R (C::*)(A...) const> {
  static constexpr bool is_reader = true;
  using Object = C;
  using Result = R;
  using Arguments = typename core::ParametersOf<A...>::Arguments;
  static R compute(const C& object, A... arguments) {
    return std::invoke(F, object, std::forward<A>(arguments)...);
  }
  [[nodiscard]] static const TaskFunctionRegistrar& function() { return registrar; }

 private:
  // With the name of the method, by which it is known in reports.
  inline static const TaskFunctionRegistrar registrar{
      {core::program_name_of_value<F>(),
       [](GuestTask& guest) { guest.compute<&ReaderOf::compute>(); }}};
};
template <auto F, class R, class C, class... A>
struct ReaderOf<F, R (C::*)(A...) const noexcept> : ReaderOf<F, R (C::*)(A...) const> {};
template <auto F, class R, class C, class... A>
struct ReaderOf<F, R (*)(const C&, A...)> {
  static constexpr bool is_reader = true;
  using Object = C;
  using Result = R;
  using Arguments = typename core::ParametersOf<A...>::Arguments;
  [[nodiscard]] static const TaskFunctionRegistrar& function() { return task_function<F>; }
};
template <auto F, class R, class C, class... A>
struct ReaderOf<F, R (*)(const C&, A...) noexcept> : ReaderOf<F, R (*)(const C&, A...)> {};
template <auto F>
using Reader = ReaderOf<F, std::remove_cv_t<decltype(F)>>;

/// Where a task finds what it reads: a member of the object, or what a const method of it refers
/// to.
template <class Type>
struct PartOf;
template <class M, class C>
struct PartOf<M C::*> {
  using Object = C;
  using Part = M;
};
template <class M, class C>
struct PartOf<const M& (C::*)() const> {
  using Object = C;
  using Part = M;
};
template <class M, class C>
struct PartOf<const M& (C::*)() const noexcept> : PartOf<const M& (C::*)() const> {};

/// A task that reads something of its spawner's, which must not change until the task is complete.
template <auto F>
class ReadingTask final : public ResultTask<typename Reader<F>::Result> {
 public:
  using Object = typename Reader<F>::Object;
  using Result = typename Reader<F>::Result;

  template <class... A>
  ReadingTask(Offloader& offloader, const Object& object, A&&... arguments)
      : ResultTask<Result>(offloader.tasks(), offloader.engine(),
                           am::EpochWork::begin(offloader.tasks().messenger()),
                           Reader<F>::function()),
        object_(object),
        arguments_(std::in_place, std::forward<A>(arguments)...) {}

  void ship(Rank victim, Shipped head) override {
    head.function = Reader<F>::function().id();
    arguments_.post(this->messenger(), victim, head, std::type_identity<std::tuple<Object>>{},
                    object_);
  }

 protected:
  void call() override {
    if constexpr (std::is_void_v<Result>) {
      arguments_.apply(on_object());
    } else {
      this->value_.emplace(arguments_.apply(on_object()));
    }
  }

 private:
  ~ReadingTask() override = default;
  [[nodiscard]] auto on_object() const {
    return [this](auto&&... values) -> Result {
      return std::invoke(F, object_, std::forward<decltype(values)>(values)...);
    };
  }
  const Object& object_;
  KeptArguments<typename Reader<F>::Arguments> arguments_;
};

/// A handler of an object that has F computed by a task, and keeps its access meanwhile. `Part`:
/// which part of the object F reads; nullptr: all of it.
template <auto F, auto Part, class Object, class Arguments>
struct TaskHandler;
template <auto F, auto Part, class Object, class... A>
struct TaskHandler<F, Part, Object, std::tuple<A...>> {
  using Value = typename Reader<F>::Result;
  static Task<Value> run(const Object& object, A... arguments) {
    Offloader& offloader = Offloader::of(here());
    auto* const task =
        new ReadingTask<F>(offloader, part_of(object), std::forward<A>(arguments)...);
    Result<Value> result(task);
    offloader.tasks().submit(task);
    co_return co_await result;
  }

 private:
  [[nodiscard]] static decltype(auto) part_of(const Object& object) {
    if constexpr (std::is_null_pointer_v<decltype(Part)>) {
      return (object);
    } else {
      return std::invoke(Part, object);
    }
  }
};

/// Fails to compile, with one line of explanation, unless F can be a task that reads an object.
template <auto F>
constexpr void require_reader() {
  static_assert(Reader<F>::is_reader,
                "what is computed by a task is a const method, or a function whose first parameter "
                "is a const reference: it reads, and may get a copy instead");
  if constexpr (Reader<F>::is_reader) {
    using Object = typename Reader<F>::Object;
    using Result = typename Reader<F>::Result;
    static_assert(!exec::is_task<Result>,
                  "an offloadable task is no coroutine: it computes, and does not wait");
    core::require_parameters<std::tuple<Object>>();
    core::require_parameters<typename Reader<F>::Arguments>();
    if constexpr (!std::is_void_v<Result>) core::require_parameters<std::tuple<Result>>();
  }
}

template <auto F, auto Part>
[[nodiscard]] constexpr auto task_handler() {
  require_reader<F>();
  if constexpr (!Reader<F>::is_reader) {
    return nullptr;
  } else if constexpr (std::is_null_pointer_v<decltype(Part)>) {
    using Object = typename Reader<F>::Object;
    return &TaskHandler<F, Part, Object, typename Reader<F>::Arguments>::run;
  } else {
    using Whole = PartOf<std::remove_cv_t<decltype(Part)>>;
    static_assert(std::is_same_v<typename Whole::Part, typename Reader<F>::Object>,
                  "the part of the object is not what the task reads");
    return &TaskHandler<F, Part, typename Whole::Object, typename Reader<F>::Arguments>::run;
  }
}

}  // namespace detail

/// A const method of a mobile object as an offloadable task, in place of the method itself: `double
/// flux = co_await cell.call<roam::offload::as_task<&Cell::flux>>(dt);`. The call is one like any
/// other, with its place in the order of the object's calls (M3) and with shared access (M4), which
/// lasts until the result is there: other const calls run beside it, while a call that changes the
/// object, a move of the object and its end wait. Where the task stays, it reads the object itself;
/// where it is sent to another rank, it reads a copy, which is made by the object's serialisation
/// while it is sent. So the result has the same bits. `Method` may also be a function whose first
/// parameter is a const reference. It computes: it neither sends nor calls, and self() is not known
/// in it. An exception fails the call with roam::RemoteError. The time that it takes, on whatever
/// rank, counts as that of the object's call.
///
/// `Part`: the part of the object that is read, and of which alone a copy travels: a data member,
/// or a const method that returns a const reference into the object:
/// `cell.call<roam::offload::as_task<&Values::sum, &Cell::values>>()`. The method is then one of
/// the part. A part, or an object without one, must be serialisable and default-constructible.
template <auto Method, auto Part = nullptr>
inline constexpr auto as_task = detail::task_handler<Method, Part>();

}  // namespace roam::offload
