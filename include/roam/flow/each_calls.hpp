// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roam/flow/detail/for_each.hpp"
#include "roam/flow/work_calls.hpp"

namespace roam::flow {

/// The calls of Flow::for_each(), one for each number of arguments, as in WorkCalls.
class EachCalls : public WorkCalls {
 public:
#ifdef ROAM_API_REFERENCE  // summaries of the overloads below
  /// Issues one task for each element of a collection: `fl.for_each([](const Block& left, Block&
  /// own) { own.relax(left); }, u.at(-1), u.own());` The first argument that is an element
  /// determines the collection. Arguments, at most 12, are elements (Collection::own(), at(),
  /// index()), handles, whose data all tasks read or contribute to (Reduce, Accumulate), and
  /// values. Each task runs where its element is; what it reads from other ranks is sent there. To
  /// be called by the main programs of all ranks, in the same order. Returns like work(), and
  /// throws the same.
  template <class F, class... A>
  void for_each(F body, const A&... arguments, SourceLine where = SourceLine::current());
  /// Issues tasks like for_each() whose body is a function of the program:
  /// `fl.for_each<&relax>(u.at(-1), u.own());`
  template <auto F, class... A>
  void for_each(const A&... arguments, SourceLine where = SourceLine::current());
#endif
  /// @cond
  template <class F, class A0>
    requires(!std::is_same_v<F, TaskOptions>)
  void for_each(F /*body*/, const A0& a0, SourceLine where = SourceLine::current()) {
    issue_each<F>({.where = where}, a0);
  }
  template <class F, class A0, class A1>
    requires(!std::is_same_v<F, TaskOptions>)
  void for_each(F /*body*/, const A0& a0, const A1& a1, SourceLine where = SourceLine::current()) {
    issue_each<F>({.where = where}, a0, a1);
  }
  template <class F, class A0, class A1, class A2>
    requires(!std::is_same_v<F, TaskOptions>)
  void for_each(F /*body*/, const A0& a0, const A1& a1, const A2& a2,
                SourceLine where = SourceLine::current()) {
    issue_each<F>({.where = where}, a0, a1, a2);
  }
  template <class F, class A0, class A1, class A2, class A3>
    requires(!std::is_same_v<F, TaskOptions>)
  void for_each(F /*body*/, const A0& a0, const A1& a1, const A2& a2, const A3& a3,
                SourceLine where = SourceLine::current()) {
    issue_each<F>({.where = where}, a0, a1, a2, a3);
  }
  template <class F, class A0, class A1, class A2, class A3, class A4>
    requires(!std::is_same_v<F, TaskOptions>)
  void for_each(F /*body*/, const A0& a0, const A1& a1, const A2& a2, const A3& a3, const A4& a4,
                SourceLine where = SourceLine::current()) {
    issue_each<F>({.where = where}, a0, a1, a2, a3, a4);
  }
  template <class F, class A0, class A1, class A2, class A3, class A4, class A5>
    requires(!std::is_same_v<F, TaskOptions>)
  void for_each(F /*body*/, const A0& a0, const A1& a1, const A2& a2, const A3& a3, const A4& a4,
                const A5& a5, SourceLine where = SourceLine::current()) {
    issue_each<F>({.where = where}, a0, a1, a2, a3, a4, a5);
  }
  template <class F, class A0, class A1, class A2, class A3, class A4, class A5, class A6>
    requires(!std::is_same_v<F, TaskOptions>)
  void for_each(F /*body*/, const A0& a0, const A1& a1, const A2& a2, const A3& a3, const A4& a4,
                const A5& a5, const A6& a6, SourceLine where = SourceLine::current()) {
    issue_each<F>({.where = where}, a0, a1, a2, a3, a4, a5, a6);
  }
  template <class F, class A0, class A1, class A2, class A3, class A4, class A5, class A6, class A7>
    requires(!std::is_same_v<F, TaskOptions>)
  void for_each(F /*body*/, const A0& a0, const A1& a1, const A2& a2, const A3& a3, const A4& a4,
                const A5& a5, const A6& a6, const A7& a7,
                SourceLine where = SourceLine::current()) {
    issue_each<F>({.where = where}, a0, a1, a2, a3, a4, a5, a6, a7);
  }
  template <class F, class A0, class A1, class A2, class A3, class A4, class A5, class A6, class A7,
            class A8>
    requires(!std::is_same_v<F, TaskOptions>)
  void for_each(F /*body*/, const A0& a0, const A1& a1, const A2& a2, const A3& a3, const A4& a4,
                const A5& a5, const A6& a6, const A7& a7, const A8& a8,
                SourceLine where = SourceLine::current()) {
    issue_each<F>({.where = where}, a0, a1, a2, a3, a4, a5, a6, a7, a8);
  }
  template <class F, class A0, class A1, class A2, class A3, class A4, class A5, class A6, class A7,
            class A8, class A9>
    requires(!std::is_same_v<F, TaskOptions>)
  void for_each(F /*body*/, const A0& a0, const A1& a1, const A2& a2, const A3& a3, const A4& a4,
                const A5& a5, const A6& a6, const A7& a7, const A8& a8, const A9& a9,
                SourceLine where = SourceLine::current()) {
    issue_each<F>({.where = where}, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9);
  }
  template <class F, class A0, class A1, class A2, class A3, class A4, class A5, class A6, class A7,
            class A8, class A9, class A10>
    requires(!std::is_same_v<F, TaskOptions>)
  void for_each(F /*body*/, const A0& a0, const A1& a1, const A2& a2, const A3& a3, const A4& a4,
                const A5& a5, const A6& a6, const A7& a7, const A8& a8, const A9& a9,
                const A10& a10, SourceLine where = SourceLine::current()) {
    issue_each<F>({.where = where}, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10);
  }
  template <class F, class A0, class A1, class A2, class A3, class A4, class A5, class A6, class A7,
            class A8, class A9, class A10, class A11>
    requires(!std::is_same_v<F, TaskOptions>)
  void for_each(F /*body*/, const A0& a0, const A1& a1, const A2& a2, const A3& a3, const A4& a4,
                const A5& a5, const A6& a6, const A7& a7, const A8& a8, const A9& a9,
                const A10& a10, const A11& a11, SourceLine where = SourceLine::current()) {
    issue_each<F>({.where = where}, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11);
  }
  template <auto F, class A0>
  void for_each(const A0& a0, SourceLine where = SourceLine::current()) {
    issue_each<Function<F>>({.where = where}, a0);
  }
  template <auto F, class A0, class A1>
  void for_each(const A0& a0, const A1& a1, SourceLine where = SourceLine::current()) {
    issue_each<Function<F>>({.where = where}, a0, a1);
  }
  template <auto F, class A0, class A1, class A2>
  void for_each(const A0& a0, const A1& a1, const A2& a2,
                SourceLine where = SourceLine::current()) {
    issue_each<Function<F>>({.where = where}, a0, a1, a2);
  }
  template <auto F, class A0, class A1, class A2, class A3>
  void for_each(const A0& a0, const A1& a1, const A2& a2, const A3& a3,
                SourceLine where = SourceLine::current()) {
    issue_each<Function<F>>({.where = where}, a0, a1, a2, a3);
  }
  template <auto F, class A0, class A1, class A2, class A3, class A4>
  void for_each(const A0& a0, const A1& a1, const A2& a2, const A3& a3, const A4& a4,
                SourceLine where = SourceLine::current()) {
    issue_each<Function<F>>({.where = where}, a0, a1, a2, a3, a4);
  }
  template <auto F, class A0, class A1, class A2, class A3, class A4, class A5>
  void for_each(const A0& a0, const A1& a1, const A2& a2, const A3& a3, const A4& a4, const A5& a5,
                SourceLine where = SourceLine::current()) {
    issue_each<Function<F>>({.where = where}, a0, a1, a2, a3, a4, a5);
  }
  template <auto F, class A0, class A1, class A2, class A3, class A4, class A5, class A6>
  void for_each(const A0& a0, const A1& a1, const A2& a2, const A3& a3, const A4& a4, const A5& a5,
                const A6& a6, SourceLine where = SourceLine::current()) {
    issue_each<Function<F>>({.where = where}, a0, a1, a2, a3, a4, a5, a6);
  }
  template <auto F, class A0, class A1, class A2, class A3, class A4, class A5, class A6, class A7>
  void for_each(const A0& a0, const A1& a1, const A2& a2, const A3& a3, const A4& a4, const A5& a5,
                const A6& a6, const A7& a7, SourceLine where = SourceLine::current()) {
    issue_each<Function<F>>({.where = where}, a0, a1, a2, a3, a4, a5, a6, a7);
  }
  template <auto F, class A0, class A1, class A2, class A3, class A4, class A5, class A6, class A7,
            class A8>
  void for_each(const A0& a0, const A1& a1, const A2& a2, const A3& a3, const A4& a4, const A5& a5,
                const A6& a6, const A7& a7, const A8& a8,
                SourceLine where = SourceLine::current()) {
    issue_each<Function<F>>({.where = where}, a0, a1, a2, a3, a4, a5, a6, a7, a8);
  }
  template <auto F, class A0, class A1, class A2, class A3, class A4, class A5, class A6, class A7,
            class A8, class A9>
  void for_each(const A0& a0, const A1& a1, const A2& a2, const A3& a3, const A4& a4, const A5& a5,
                const A6& a6, const A7& a7, const A8& a8, const A9& a9,
                SourceLine where = SourceLine::current()) {
    issue_each<Function<F>>({.where = where}, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9);
  }
  template <auto F, class A0, class A1, class A2, class A3, class A4, class A5, class A6, class A7,
            class A8, class A9, class A10>
  void for_each(const A0& a0, const A1& a1, const A2& a2, const A3& a3, const A4& a4, const A5& a5,
                const A6& a6, const A7& a7, const A8& a8, const A9& a9, const A10& a10,
                SourceLine where = SourceLine::current()) {
    issue_each<Function<F>>({.where = where}, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10);
  }
  template <auto F, class A0, class A1, class A2, class A3, class A4, class A5, class A6, class A7,
            class A8, class A9, class A10, class A11>
  void for_each(const A0& a0, const A1& a1, const A2& a2, const A3& a3, const A4& a4, const A5& a5,
                const A6& a6, const A7& a7, const A8& a8, const A9& a9, const A10& a10,
                const A11& a11, SourceLine where = SourceLine::current()) {
    issue_each<Function<F>>({.where = where}, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11);
  }
  /// @endcond
  /// Issues tasks like for_each() with a name and a priority:
  /// `fl.for_each({.name = "relax"}, body, u.own());` Errors name the line of the options.
  template <class F, class... A>
  void for_each(TaskOptions options, F /*body*/, const A&... arguments) {
    issue_each<F>(options, arguments...);
  }

 protected:
  using WorkCalls::WorkCalls;

 private:
  template <class F, class... A>
  void issue_each(const TaskOptions& options, const A&... arguments) {
    constexpr detail::Fault fault = detail::fault_of_each<F, A...>();
    if constexpr (fault != detail::Fault::none) {
      detail::refuse<fault>();
    } else {
      using Body = detail::Body<F>;
      const char* const name = options.name != nullptr ? options.name : Body::name;
      detail::EachOperation operation(scope(), options.where, options.priority);
      detail::EachMaker<F, typename Body::Parameters>::issue(operation, name, arguments...);
    }
  }
};

}  // namespace roam::flow
