// SPDX-License-Identifier: Apache-2.0
#pragma once

// Mobile objects in flow programs: tasks that call methods of an object, wherever it is.
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "roam/am/reply.hpp"
#include "roam/exec/detail/suspension.hpp"
#include "roam/flow/work_calls.hpp"
#include "roam/mobile/mobile_ptr.hpp"

namespace roam::flow {

/// A mobile object of class T that a flow program calls: see Flow::adopt() and Flow::call(). Copies
/// refer to the same one. The object lives on by itself, wherever it moves, and is not destroyed
/// with the last copy.
template <class T>
class [[nodiscard]] Object {
 public:
  Object() = default;
  /// @cond
  explicit Object(Handle<mobile_ptr<T>> handle) : handle_(std::move(handle)) {}
  /// The datum that stands for the object in the order of tasks.
  [[nodiscard]] const Handle<mobile_ptr<T>>& handle() const { return handle_; }
  /// @endcond
  /// Sets the name used in errors and reports; `name` must have static storage.
  const Object& named(const char* name) const {
    handle_.named(name);
    return *this;
  }

 private:
  Handle<mobile_ptr<T>> handle_;
};

/// @cond
namespace detail {

/// Throws Error if tasks of this scope cannot call objects.
void require_calls_of_objects(const Scope& scope, const SourceLine& where);

/// The argument of Flow::call() for the object, with the caller's line.
template <auto Method>
struct Callee {
  using Class = typename mobile::detail::TraitsOf<Method>::Object;
  Object<Class> object;
  SourceLine where;
  template <class T>
  // NOLINTNEXTLINE(google-explicit-constructor): so that the caller's line is known
  Callee(const Object<T>& called, SourceLine line = SourceLine::current()) : where(line) {
    if constexpr (mobile::detail::can_run_on<Method, T>) {
      object = called;
    } else {
      mobile::detail::explain_handler<Method, T>();
    }
  }
};

/// Gives data what a call has returned, or its failure: the result, if there is one, and the
/// object, if the method may change it.
class AnswerTask : public TaskRecord {
 public:
  /// `object`, `result`: nullptr: there is none.
  AnswerTask(Scope& scope, const SourceLine& where, Datum* object, Datum* result);
  /// Submits the task. It runs when the request is answered.
  static void await(AnswerTask* task, am::PendingReply& reply);

 protected:
  [[nodiscard]] Instance& result() const { return *accesses_[result_at_].instance; }

 private:
  struct Arrival final : exec::Suspension {
    AnswerTask& task;
    explicit Arrival(AnswerTask& of) : task(of) {}
    void run(exec::Context& context) override;
  };
  Access accesses_[2];
  std::size_t result_at_ = 0;
  Arrival arrival_{*this};
};

template <class R>
class AnswerOf final : public AnswerTask {
 public:
  AnswerOf(Scope& scope, const SourceLine& where, Datum* object, Datum* result,
           am::Reply<R>&& reply)
      : AnswerTask(scope, where, object, result), reply_(std::move(reply)) {}
  [[nodiscard]] am::PendingReply& pending() const { return reply_.pending(); }
  void call() override {
    if constexpr (std::is_void_v<R>) {
      am::Reply<R>::take(reply_.pending());
    } else {
      static_cast<InstanceOf<R>&>(result()).emplace(am::Reply<R>::take(reply_.pending()));
    }
  }
  // The failure is reported as that of the data.
  void cannot_run(const FailureRef& /*failure*/) override { reply_.ignore(); }

 private:
  am::Reply<R> reply_;
};

template <class Reply>
struct ResultOf;
template <class R>
struct ResultOf<am::Reply<R>> {
  using Type = R;
};

/// What an argument becomes as a parameter of the task.
template <class A>
struct CallParameter {
  using Type = const std::decay_t<A>&;
};
template <class A>
  requires is_datum<A>
struct CallParameter<A> {
  using Type = const typename ArgumentTraits<std::remove_cvref_t<A>>::Value&;
};

/// A task that calls a method and is over when the answer has come. Its slots: the object, the
/// arguments, and the result if there is one.
template <auto Method>
struct CallTask {
  using Class = typename mobile::detail::TraitsOf<Method>::Object;
  static constexpr bool is_exclusive = mobile::detail::TraitsOf<Method>::is_exclusive;
  using Pointer = std::conditional_t<is_exclusive, mobile_ptr<Class>, const mobile_ptr<Class>>;
  struct Body {
    void operator()(const auto&... /*given*/) const {}
  };

  template <class F, class... S>
  class Of final : public BodyTask<F, S...> {
   public:
    using BodyTask<F, S...>::BodyTask;
    void call() override {
      this->call_with([this](const auto&... given) { this->send(given...); });
    }

   private:
    // The last one is the handle of the result, if there is one.
    template <class... G>
    void send(const Handle<Pointer>& object, const G&... given) {
      send(object, std::forward_as_tuple(given...),
           std::make_index_sequence<sizeof...(G) - (0 + ... + (is_datum<G> ? 1 : 0))>());
    }
    template <class Given, std::size_t... I>
    void send(const Handle<Pointer>& object, const Given& given,
              std::index_sequence<I...> /*arguments*/) {
      const auto& pointer =
          *static_cast<const mobile_ptr<Class>*>(object.datum()->instance().value());
      auto reply = pointer.template call<Method>(std::get<I>(given)...);
      using R = typename ResultOf<decltype(reply)>::Type;
      Datum* result = nullptr;
      if constexpr (!std::is_void_v<R>) result = std::get<sizeof...(I)>(given).datum();
      auto* const task = new (this->core())
          AnswerOf<R>(this->inner(), this->where(), is_exclusive ? object.datum() : nullptr, result,
                      std::move(reply));
      AnswerTask::await(task, task->pending());
    }
  };
};

}  // namespace detail
/// @endcond

}  // namespace roam::flow
