// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <exception>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "roam/am/detail/as_they_come.hpp"
#include "roam/am/reply.hpp"
#include "roam/core/error.hpp"
#include "roam/exec/task.hpp"

namespace roam {

namespace am::detail {

/// The result of an awaitable as a value: std::monostate for void.
template <class T>
using ValueOf = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

/// The value, or nullopt if it fails; the first failure of several is stored in `failure`.
template <class T, class Awaitable>
Task<std::optional<ValueOf<T>>> settled(Awaitable awaitable, std::exception_ptr& failure) {
  std::optional<ValueOf<T>> value;
  try {
    if constexpr (std::is_void_v<T>) {
      co_await std::move(awaitable);
      value.emplace();
    } else {
      value.emplace(co_await std::move(awaitable));
    }
  } catch (...) {
    if (!failure) failure = std::current_exception();
  }
  co_return value;
}

}  // namespace am::detail

/// Waits until the last of some replies has come, and gives their values in order (nothing for
/// replies without values): `const std::vector<double> sums = co_await
/// roam::when_all(std::move(replies));`. The requests are under way already, so that the order of
/// awaiting costs nothing. If some fail, this throws the exception of the first of them in this
/// order, once all have come; the failures of the others are not reported.
template <class R>
[[nodiscard]] Task<std::conditional_t<std::is_void_v<R>, void, std::vector<am::detail::ValueOf<R>>>>
when_all(std::vector<am::Reply<R>> replies) {
  std::exception_ptr failure;
  std::vector<am::detail::ValueOf<R>> values;
  values.reserve(replies.size());
  for (am::Reply<R>& reply : replies) {
    auto value = co_await am::detail::settled<R>(std::move(reply), failure);
    if (value) values.push_back(std::move(*value));
  }
  if (failure) std::rethrow_exception(failure);
  if constexpr (!std::is_void_v<R>) co_return values;
}

/// Waits for replies of different types and gives a tuple, with std::monostate for those without a
/// value: `const auto [size, name] = co_await roam::when_all(a.call<&A::size>(),
/// b.call<&B::name>());`. Failures are treated in the same way.
template <class First, class... Others>
[[nodiscard]] Task<std::tuple<am::detail::ValueOf<First>, am::detail::ValueOf<Others>...>> when_all(
    am::Reply<First> first, am::Reply<Others>... others) {
  std::exception_ptr failure;
  auto value = co_await am::detail::settled<First>(std::move(first), failure);
  if constexpr (sizeof...(Others) == 0) {
    if (failure) std::rethrow_exception(failure);
    co_return std::tuple(std::move(*value));
  } else {
    using Rest = std::tuple<am::detail::ValueOf<Others>...>;
    auto rest = co_await am::detail::settled<Rest>(when_all(std::move(others)...), failure);
    if (failure) std::rethrow_exception(failure);
    co_return std::tuple_cat(std::tuple(std::move(*value)), std::move(*rest));
  }
}

/// The first of some replies to come: its index and its value.
template <class R>
struct FirstReply {
  std::size_t index = 0;         ///< its place among the replies that when_any() was given
  am::detail::ValueOf<R> value;  ///< std::monostate where the replies have no values
};

/// Waits for the first reply to come: `const auto first = co_await
/// roam::when_any(std::move(replies));`. If that is a failure, throws its exception. The others are
/// cancelled (am::Reply::cancel()), and their outcome is not reported. Throws roam::Error if there
/// are no replies.
template <class R>
[[nodiscard]] Task<FirstReply<R>> when_any(std::vector<am::Reply<R>> replies) {
  if (replies.empty()) throw Error("roam::when_any() was given no reply to wait for");
  am::AsTheyCome<R> coming(std::move(replies));
  const std::size_t index = co_await coming.next_index();
  am::Reply<R> reply = coming.take(index);
  coming.cancel_others();
  if constexpr (std::is_void_v<R>) {
    co_await reply;
    co_return FirstReply<R>{index, {}};
  } else {
    R value = co_await reply;
    co_return FirstReply<R>{index, std::move(value)};
  }
}

}  // namespace roam
