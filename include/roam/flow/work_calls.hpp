// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "roam/flow/body_task.hpp"

namespace roam::flow {

/// Options of a task: `fl.work({.name = "solve"}, ...)`.
struct TaskOptions {
  const char* name = nullptr;  ///< for errors and reports; static storage
  /// Urgency of the task: among the ready tasks of a rank, more urgent ones run first. A hint that
  /// does not affect values.
  Priority priority = Priority::normal;
  SourceLine where = SourceLine::current();  ///< for errors and reports
};

/// The calls of Flow::work(), one overload for each number of arguments: the caller's line is a
/// default argument, which cannot follow a parameter pack.
class WorkCalls {
 public:
#ifdef ROAM_API_REFERENCE  // summaries of the overloads below
  /// Issues a task: `fl.work([](const Rim& rim, Block& block) { block.relax(rim); }, rim, block);`
  /// `body` is a lambda without captures or flow::fn<&f>, and is given the arguments, at most 12,
  /// in order; see Flow for the meaning of its parameters. Returns at once, unless the window
  /// (--roam-flow-window) is full: then other tasks run inside the call first. Throws Error, naming
  /// task, datum and lines, if a datum is read that nothing has written, is given twice to a task
  /// that writes it, or belongs to another scope.
  template <class F, class... A>
  void work(F body, A&&... arguments, SourceLine where = SourceLine::current());
  /// Issues a task like work() whose body is a function of the program: `fl.work<&relax>(rim,
  /// block);`
  template <auto F, class... A>
  void work(A&&... arguments, SourceLine where = SourceLine::current());
#endif
  /// @cond
  template <class F>
    requires(!std::is_same_v<F, TaskOptions>)
  void work(F /*body*/, SourceLine where = SourceLine::current()) { issue<F>({.where = where}); }
  template <class F, class A0>
    requires(!std::is_same_v<F, TaskOptions>)
  void work(F /*body*/, A0&& a0, SourceLine where = SourceLine::current()) {
    issue<F>({.where = where}, std::forward<A0>(a0));
  }
  template <class F, class A0, class A1>
    requires(!std::is_same_v<F, TaskOptions>)
  void work(F /*body*/, A0&& a0, A1&& a1, SourceLine where = SourceLine::current()) {
    issue<F>({.where = where}, std::forward<A0>(a0), std::forward<A1>(a1));
  }
  template <class F, class A0, class A1, class A2>
    requires(!std::is_same_v<F, TaskOptions>)
  void work(F /*body*/, A0&& a0, A1&& a1, A2&& a2, SourceLine where = SourceLine::current()) {
    issue<F>({.where = where}, std::forward<A0>(a0), std::forward<A1>(a1), std::forward<A2>(a2));
  }
  template <class F, class A0, class A1, class A2, class A3>
    requires(!std::is_same_v<F, TaskOptions>)
  void work(F /*body*/, A0&& a0, A1&& a1, A2&& a2, A3&& a3,
            SourceLine where = SourceLine::current()) {
    issue<F>({.where = where}, std::forward<A0>(a0), std::forward<A1>(a1), std::forward<A2>(a2),
             std::forward<A3>(a3));
  }
  template <class F, class A0, class A1, class A2, class A3, class A4>
    requires(!std::is_same_v<F, TaskOptions>)
  void work(F /*body*/, A0&& a0, A1&& a1, A2&& a2, A3&& a3, A4&& a4,
            SourceLine where = SourceLine::current()) {
    issue<F>({.where = where}, std::forward<A0>(a0), std::forward<A1>(a1), std::forward<A2>(a2),
             std::forward<A3>(a3), std::forward<A4>(a4));
  }
  template <class F, class A0, class A1, class A2, class A3, class A4, class A5>
    requires(!std::is_same_v<F, TaskOptions>)
  void work(F /*body*/, A0&& a0, A1&& a1, A2&& a2, A3&& a3, A4&& a4, A5&& a5,
            SourceLine where = SourceLine::current()) {
    issue<F>({.where = where}, std::forward<A0>(a0), std::forward<A1>(a1), std::forward<A2>(a2),
             std::forward<A3>(a3), std::forward<A4>(a4), std::forward<A5>(a5));
  }
  template <class F, class A0, class A1, class A2, class A3, class A4, class A5, class A6>
    requires(!std::is_same_v<F, TaskOptions>)
  void work(F /*body*/, A0&& a0, A1&& a1, A2&& a2, A3&& a3, A4&& a4, A5&& a5, A6&& a6,
            SourceLine where = SourceLine::current()) {
    issue<F>({.where = where}, std::forward<A0>(a0), std::forward<A1>(a1), std::forward<A2>(a2),
             std::forward<A3>(a3), std::forward<A4>(a4), std::forward<A5>(a5),
             std::forward<A6>(a6));
  }
  template <class F, class A0, class A1, class A2, class A3, class A4, class A5, class A6, class A7>
    requires(!std::is_same_v<F, TaskOptions>)
  void work(F /*body*/, A0&& a0, A1&& a1, A2&& a2, A3&& a3, A4&& a4, A5&& a5, A6&& a6, A7&& a7,
            SourceLine where = SourceLine::current()) {
    issue<F>({.where = where}, std::forward<A0>(a0), std::forward<A1>(a1), std::forward<A2>(a2),
             std::forward<A3>(a3), std::forward<A4>(a4), std::forward<A5>(a5), std::forward<A6>(a6),
             std::forward<A7>(a7));
  }
  template <class F, class A0, class A1, class A2, class A3, class A4, class A5, class A6, class A7,
            class A8>
    requires(!std::is_same_v<F, TaskOptions>)
  void work(F /*body*/, A0&& a0, A1&& a1, A2&& a2, A3&& a3, A4&& a4, A5&& a5, A6&& a6, A7&& a7,
            A8&& a8, SourceLine where = SourceLine::current()) {
    issue<F>({.where = where}, std::forward<A0>(a0), std::forward<A1>(a1), std::forward<A2>(a2),
             std::forward<A3>(a3), std::forward<A4>(a4), std::forward<A5>(a5), std::forward<A6>(a6),
             std::forward<A7>(a7), std::forward<A8>(a8));
  }
  template <class F, class A0, class A1, class A2, class A3, class A4, class A5, class A6, class A7,
            class A8, class A9>
    requires(!std::is_same_v<F, TaskOptions>)
  void work(F /*body*/, A0&& a0, A1&& a1, A2&& a2, A3&& a3, A4&& a4, A5&& a5, A6&& a6, A7&& a7,
            A8&& a8, A9&& a9, SourceLine where = SourceLine::current()) {
    issue<F>({.where = where}, std::forward<A0>(a0), std::forward<A1>(a1), std::forward<A2>(a2),
             std::forward<A3>(a3), std::forward<A4>(a4), std::forward<A5>(a5), std::forward<A6>(a6),
             std::forward<A7>(a7), std::forward<A8>(a8), std::forward<A9>(a9));
  }
  template <class F, class A0, class A1, class A2, class A3, class A4, class A5, class A6, class A7,
            class A8, class A9, class A10>
    requires(!std::is_same_v<F, TaskOptions>)
  void work(F /*body*/, A0&& a0, A1&& a1, A2&& a2, A3&& a3, A4&& a4, A5&& a5, A6&& a6, A7&& a7,
            A8&& a8, A9&& a9, A10&& a10, SourceLine where = SourceLine::current()) {
    issue<F>({.where = where}, std::forward<A0>(a0), std::forward<A1>(a1), std::forward<A2>(a2),
             std::forward<A3>(a3), std::forward<A4>(a4), std::forward<A5>(a5), std::forward<A6>(a6),
             std::forward<A7>(a7), std::forward<A8>(a8), std::forward<A9>(a9),
             std::forward<A10>(a10));
  }
  template <class F, class A0, class A1, class A2, class A3, class A4, class A5, class A6, class A7,
            class A8, class A9, class A10, class A11>
    requires(!std::is_same_v<F, TaskOptions>)
  void work(F /*body*/, A0&& a0, A1&& a1, A2&& a2, A3&& a3, A4&& a4, A5&& a5, A6&& a6, A7&& a7,
            A8&& a8, A9&& a9, A10&& a10, A11&& a11, SourceLine where = SourceLine::current()) {
    issue<F>({.where = where}, std::forward<A0>(a0), std::forward<A1>(a1), std::forward<A2>(a2),
             std::forward<A3>(a3), std::forward<A4>(a4), std::forward<A5>(a5), std::forward<A6>(a6),
             std::forward<A7>(a7), std::forward<A8>(a8), std::forward<A9>(a9),
             std::forward<A10>(a10), std::forward<A11>(a11));
  }
  template <auto F>
  void work(SourceLine where = SourceLine::current()) {
    issue<Function<F>>({.where = where});
  }
  template <auto F, class A0>
  void work(A0&& a0, SourceLine where = SourceLine::current()) {
    issue<Function<F>>({.where = where}, std::forward<A0>(a0));
  }
  template <auto F, class A0, class A1>
  void work(A0&& a0, A1&& a1, SourceLine where = SourceLine::current()) {
    issue<Function<F>>({.where = where}, std::forward<A0>(a0), std::forward<A1>(a1));
  }
  template <auto F, class A0, class A1, class A2>
  void work(A0&& a0, A1&& a1, A2&& a2, SourceLine where = SourceLine::current()) {
    issue<Function<F>>({.where = where}, std::forward<A0>(a0), std::forward<A1>(a1),
                       std::forward<A2>(a2));
  }
  template <auto F, class A0, class A1, class A2, class A3>
  void work(A0&& a0, A1&& a1, A2&& a2, A3&& a3, SourceLine where = SourceLine::current()) {
    issue<Function<F>>({.where = where}, std::forward<A0>(a0), std::forward<A1>(a1),
                       std::forward<A2>(a2), std::forward<A3>(a3));
  }
  template <auto F, class A0, class A1, class A2, class A3, class A4>
  void work(A0&& a0, A1&& a1, A2&& a2, A3&& a3, A4&& a4, SourceLine where = SourceLine::current()) {
    issue<Function<F>>({.where = where}, std::forward<A0>(a0), std::forward<A1>(a1),
                       std::forward<A2>(a2), std::forward<A3>(a3), std::forward<A4>(a4));
  }
  template <auto F, class A0, class A1, class A2, class A3, class A4, class A5>
  void work(A0&& a0, A1&& a1, A2&& a2, A3&& a3, A4&& a4, A5&& a5,
            SourceLine where = SourceLine::current()) {
    issue<Function<F>>({.where = where}, std::forward<A0>(a0), std::forward<A1>(a1),
                       std::forward<A2>(a2), std::forward<A3>(a3), std::forward<A4>(a4),
                       std::forward<A5>(a5));
  }
  template <auto F, class A0, class A1, class A2, class A3, class A4, class A5, class A6>
  void work(A0&& a0, A1&& a1, A2&& a2, A3&& a3, A4&& a4, A5&& a5, A6&& a6,
            SourceLine where = SourceLine::current()) {
    issue<Function<F>>({.where = where}, std::forward<A0>(a0), std::forward<A1>(a1),
                       std::forward<A2>(a2), std::forward<A3>(a3), std::forward<A4>(a4),
                       std::forward<A5>(a5), std::forward<A6>(a6));
  }
  template <auto F, class A0, class A1, class A2, class A3, class A4, class A5, class A6, class A7>
  void work(A0&& a0, A1&& a1, A2&& a2, A3&& a3, A4&& a4, A5&& a5, A6&& a6, A7&& a7,
            SourceLine where = SourceLine::current()) {
    issue<Function<F>>({.where = where}, std::forward<A0>(a0), std::forward<A1>(a1),
                       std::forward<A2>(a2), std::forward<A3>(a3), std::forward<A4>(a4),
                       std::forward<A5>(a5), std::forward<A6>(a6), std::forward<A7>(a7));
  }
  template <auto F, class A0, class A1, class A2, class A3, class A4, class A5, class A6, class A7,
            class A8>
  void work(A0&& a0, A1&& a1, A2&& a2, A3&& a3, A4&& a4, A5&& a5, A6&& a6, A7&& a7, A8&& a8,
            SourceLine where = SourceLine::current()) {
    issue<Function<F>>({.where = where}, std::forward<A0>(a0), std::forward<A1>(a1),
                       std::forward<A2>(a2), std::forward<A3>(a3), std::forward<A4>(a4),
                       std::forward<A5>(a5), std::forward<A6>(a6), std::forward<A7>(a7),
                       std::forward<A8>(a8));
  }
  template <auto F, class A0, class A1, class A2, class A3, class A4, class A5, class A6, class A7,
            class A8, class A9>
  void work(A0&& a0, A1&& a1, A2&& a2, A3&& a3, A4&& a4, A5&& a5, A6&& a6, A7&& a7, A8&& a8,
            A9&& a9, SourceLine where = SourceLine::current()) {
    issue<Function<F>>({.where = where}, std::forward<A0>(a0), std::forward<A1>(a1),
                       std::forward<A2>(a2), std::forward<A3>(a3), std::forward<A4>(a4),
                       std::forward<A5>(a5), std::forward<A6>(a6), std::forward<A7>(a7),
                       std::forward<A8>(a8), std::forward<A9>(a9));
  }
  template <auto F, class A0, class A1, class A2, class A3, class A4, class A5, class A6, class A7,
            class A8, class A9, class A10>
  void work(A0&& a0, A1&& a1, A2&& a2, A3&& a3, A4&& a4, A5&& a5, A6&& a6, A7&& a7, A8&& a8,
            A9&& a9, A10&& a10, SourceLine where = SourceLine::current()) {
    issue<Function<F>>({.where = where}, std::forward<A0>(a0), std::forward<A1>(a1),
                       std::forward<A2>(a2), std::forward<A3>(a3), std::forward<A4>(a4),
                       std::forward<A5>(a5), std::forward<A6>(a6), std::forward<A7>(a7),
                       std::forward<A8>(a8), std::forward<A9>(a9), std::forward<A10>(a10));
  }
  template <auto F, class A0, class A1, class A2, class A3, class A4, class A5, class A6, class A7,
            class A8, class A9, class A10, class A11>
  void work(A0&& a0, A1&& a1, A2&& a2, A3&& a3, A4&& a4, A5&& a5, A6&& a6, A7&& a7, A8&& a8,
            A9&& a9, A10&& a10, A11&& a11, SourceLine where = SourceLine::current()) {
    issue<Function<F>>({.where = where}, std::forward<A0>(a0), std::forward<A1>(a1),
                       std::forward<A2>(a2), std::forward<A3>(a3), std::forward<A4>(a4),
                       std::forward<A5>(a5), std::forward<A6>(a6), std::forward<A7>(a7),
                       std::forward<A8>(a8), std::forward<A9>(a9), std::forward<A10>(a10),
                       std::forward<A11>(a11));
  }
  /// @endcond
  /// Issues a task like work() with a name and a priority: `fl.work({.name = "relax"}, body, u);`
  /// Errors name the line of the options.
  template <class F, class... A>
  void work(TaskOptions options, F /*body*/, A&&... arguments) {
    issue<F>(options, std::forward<A>(arguments)...);
  }

  // NOLINTBEGIN(readability-identifier-naming): `while` and `if` are keywords
#ifdef ROAM_API_REFERENCE
  /// Issues a task that repeats its body as long as a condition holds: `fl.while_(condition, body,
  /// n, x)`. `condition` is a lambda without captures that returns bool; its parameters are const
  /// T& and are given the first of the arguments, which are data. `body` is that of a task with
  /// children (Flow& first) and is given all arguments; the next round begins when its children
  /// have ended. Returns at once; tasks issued afterwards on these data come after the last round.
  template <class C, class F, class... A>
  void while_(C condition, F body, A&&... arguments, SourceLine where = SourceLine::current());
  /// Issues a task that runs its body only if a condition holds: while_() with at most one round.
  template <class C, class F, class... A>
  void if_(C condition, F body, A&&... arguments, SourceLine where = SourceLine::current());
#endif
  /// @cond
  template <class C, class F, class A0>
  void while_(C /*condition*/, F /*body*/, A0&& a0, SourceLine where = SourceLine::current()) {
    decide<C, F, true>(where, std::forward<A0>(a0));
  }
  template <class C, class F, class A0, class A1>
  void while_(C /*condition*/, F /*body*/, A0&& a0, A1&& a1,
              SourceLine where = SourceLine::current()) {
    decide<C, F, true>(where, std::forward<A0>(a0), std::forward<A1>(a1));
  }
  template <class C, class F, class A0, class A1, class A2>
  void while_(C /*condition*/, F /*body*/, A0&& a0, A1&& a1, A2&& a2,
              SourceLine where = SourceLine::current()) {
    decide<C, F, true>(where, std::forward<A0>(a0), std::forward<A1>(a1), std::forward<A2>(a2));
  }
  template <class C, class F, class A0, class A1, class A2, class A3>
  void while_(C /*condition*/, F /*body*/, A0&& a0, A1&& a1, A2&& a2, A3&& a3,
              SourceLine where = SourceLine::current()) {
    decide<C, F, true>(where, std::forward<A0>(a0), std::forward<A1>(a1), std::forward<A2>(a2),
                       std::forward<A3>(a3));
  }
  template <class C, class F, class A0, class A1, class A2, class A3, class A4>
  void while_(C /*condition*/, F /*body*/, A0&& a0, A1&& a1, A2&& a2, A3&& a3, A4&& a4,
              SourceLine where = SourceLine::current()) {
    decide<C, F, true>(where, std::forward<A0>(a0), std::forward<A1>(a1), std::forward<A2>(a2),
                       std::forward<A3>(a3), std::forward<A4>(a4));
  }
  template <class C, class F, class A0, class A1, class A2, class A3, class A4, class A5>
  void while_(C /*condition*/, F /*body*/, A0&& a0, A1&& a1, A2&& a2, A3&& a3, A4&& a4, A5&& a5,
              SourceLine where = SourceLine::current()) {
    decide<C, F, true>(where, std::forward<A0>(a0), std::forward<A1>(a1), std::forward<A2>(a2),
                       std::forward<A3>(a3), std::forward<A4>(a4), std::forward<A5>(a5));
  }
  template <class C, class F, class A0, class A1, class A2, class A3, class A4, class A5, class A6>
  void while_(C /*condition*/, F /*body*/, A0&& a0, A1&& a1, A2&& a2, A3&& a3, A4&& a4, A5&& a5,
              A6&& a6, SourceLine where = SourceLine::current()) {
    decide<C, F, true>(where, std::forward<A0>(a0), std::forward<A1>(a1), std::forward<A2>(a2),
                       std::forward<A3>(a3), std::forward<A4>(a4), std::forward<A5>(a5),
                       std::forward<A6>(a6));
  }
  template <class C, class F, class A0, class A1, class A2, class A3, class A4, class A5, class A6,
            class A7>
  void while_(C /*condition*/, F /*body*/, A0&& a0, A1&& a1, A2&& a2, A3&& a3, A4&& a4, A5&& a5,
              A6&& a6, A7&& a7, SourceLine where = SourceLine::current()) {
    decide<C, F, true>(where, std::forward<A0>(a0), std::forward<A1>(a1), std::forward<A2>(a2),
                       std::forward<A3>(a3), std::forward<A4>(a4), std::forward<A5>(a5),
                       std::forward<A6>(a6), std::forward<A7>(a7));
  }
  template <class C, class F, class A0>
  void if_(C /*condition*/, F /*body*/, A0&& a0, SourceLine where = SourceLine::current()) {
    decide<C, F, false>(where, std::forward<A0>(a0));
  }
  template <class C, class F, class A0, class A1>
  void if_(C /*condition*/, F /*body*/, A0&& a0, A1&& a1,
           SourceLine where = SourceLine::current()) {
    decide<C, F, false>(where, std::forward<A0>(a0), std::forward<A1>(a1));
  }
  template <class C, class F, class A0, class A1, class A2>
  void if_(C /*condition*/, F /*body*/, A0&& a0, A1&& a1, A2&& a2,
           SourceLine where = SourceLine::current()) {
    decide<C, F, false>(where, std::forward<A0>(a0), std::forward<A1>(a1), std::forward<A2>(a2));
  }
  template <class C, class F, class A0, class A1, class A2, class A3>
  void if_(C /*condition*/, F /*body*/, A0&& a0, A1&& a1, A2&& a2, A3&& a3,
           SourceLine where = SourceLine::current()) {
    decide<C, F, false>(where, std::forward<A0>(a0), std::forward<A1>(a1), std::forward<A2>(a2),
                        std::forward<A3>(a3));
  }
  template <class C, class F, class A0, class A1, class A2, class A3, class A4>
  void if_(C /*condition*/, F /*body*/, A0&& a0, A1&& a1, A2&& a2, A3&& a3, A4&& a4,
           SourceLine where = SourceLine::current()) {
    decide<C, F, false>(where, std::forward<A0>(a0), std::forward<A1>(a1), std::forward<A2>(a2),
                        std::forward<A3>(a3), std::forward<A4>(a4));
  }
  template <class C, class F, class A0, class A1, class A2, class A3, class A4, class A5>
  void if_(C /*condition*/, F /*body*/, A0&& a0, A1&& a1, A2&& a2, A3&& a3, A4&& a4, A5&& a5,
           SourceLine where = SourceLine::current()) {
    decide<C, F, false>(where, std::forward<A0>(a0), std::forward<A1>(a1), std::forward<A2>(a2),
                        std::forward<A3>(a3), std::forward<A4>(a4), std::forward<A5>(a5));
  }
  template <class C, class F, class A0, class A1, class A2, class A3, class A4, class A5, class A6>
  void if_(C /*condition*/, F /*body*/, A0&& a0, A1&& a1, A2&& a2, A3&& a3, A4&& a4, A5&& a5,
           A6&& a6, SourceLine where = SourceLine::current()) {
    decide<C, F, false>(where, std::forward<A0>(a0), std::forward<A1>(a1), std::forward<A2>(a2),
                        std::forward<A3>(a3), std::forward<A4>(a4), std::forward<A5>(a5),
                        std::forward<A6>(a6));
  }
  template <class C, class F, class A0, class A1, class A2, class A3, class A4, class A5, class A6,
            class A7>
  void if_(C /*condition*/, F /*body*/, A0&& a0, A1&& a1, A2&& a2, A3&& a3, A4&& a4, A5&& a5,
           A6&& a6, A7&& a7, SourceLine where = SourceLine::current()) {
    decide<C, F, false>(where, std::forward<A0>(a0), std::forward<A1>(a1), std::forward<A2>(a2),
                        std::forward<A3>(a3), std::forward<A4>(a4), std::forward<A5>(a5),
                        std::forward<A6>(a6), std::forward<A7>(a7));
  }
  /// @endcond
  // NOLINTEND(readability-identifier-naming)

  /// @cond
  [[nodiscard]] Scope& scope() const { return *scope_; }

 protected:
  explicit WorkCalls(Scope& scope) : scope_(&scope) {}
  /// @endcond

 private:
  template <class F, class... A>
  void issue(const TaskOptions& options, A&&... arguments) {
    constexpr detail::Fault fault = detail::fault_of_work<F, A...>();
    if constexpr (fault != detail::Fault::none) {
      detail::refuse<fault>();
    } else {
      using Body = detail::Body<F>;
      const char* const name = options.name != nullptr ? options.name : Body::name;
      TaskRecord* const task =
          detail::TaskMaker<F, typename Body::Parameters>::template make<detail::BodyTask>(
              *scope_, name, options.where, std::forward<A>(arguments)...);
      task->set_priority(options.priority);
      scope_->core().submit(task);
    }
  }

  template <class C, class F, bool Repeats, class... A>
  void decide(const SourceLine& where, A&&... arguments) {
    constexpr detail::Fault fault = detail::fault_of_decision<C, F, A...>();
    if constexpr (fault != detail::Fault::none) {
      detail::refuse<fault>();
    } else {
      using Maker = detail::TaskMaker<F, typename detail::Body<F>::Parameters>;
      const char* const name = Repeats ? "while_" : "if_";
      scope_->core().submit(Maker::template make<detail::DecidedTask<C, Repeats>::template Of>(
          *scope_, name, where, std::forward<A>(arguments)...));
    }
  }

  Scope* scope_;
};

}  // namespace roam::flow
