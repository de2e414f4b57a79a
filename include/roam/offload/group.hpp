// SPDX-License-Identifier: Apache-2.0
#pragma once

// Groups of offloadable tasks that depend on each other. The paper's method has ready tasks only;
// its section 8 says what groups would add: "it is interesting to migrate whole task assemblies if
// a task set as a whole requires less data per computation to exchange than its individual tasks".
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "roam/offload/detail/group_tasks.hpp"
#include "roam/offload/offload.hpp"

namespace roam::offload {

/// How the tasks of a group go to other ranks.
enum class GroupTravel : std::uint8_t {
  /// As one task, unless what they have for each other adds less than a tenth to the data that the
  /// group needs anyway, by what was measured of earlier groups of this kind on this rank.
  by_data,
  /// As one task: one rank computes them all, one after the other.
  together,
  /// One by one, each as soon as what it needs is there: several ranks may compute them, and what
  /// they have for each other comes back to this rank in between.
  apart
};

/// A task of a group whose result another one needs: stands for an argument of spawn_group(), or of
/// another call. Owns its arguments; nothing is computed before spawn_group() has it.
template <auto Function, class... A>
[[nodiscard]] detail::Call<Function, std::decay_t<A>...> call(A&&... arguments) {
  detail::require_named_values<A...>();
  return {std::tuple<std::decay_t<A>...>(std::forward<A>(arguments)...)};
}

/// Spawns a group of offloadable tasks, as spawn() does one: Function is called with the arguments,
/// where those that are a call() are computed first, each as a task, to any depth:
/// `auto sum = offload::spawn_group<&add>(rt, offload::call<&flux>(left, dt),
/// offload::call<&flux>(right, dt));`
/// The result, to be awaited, has the same bits however the group has travelled. If a task throws,
/// the result fails, and tasks of the group that have not begun by then may be left out. To be
/// called inside handlers and main programs of `rank`; returns as spawn() does.
template <auto Function, class... A>
Result<typename core::CallableOf<Function>::Result> spawn_group(Runtime& rank, GroupTravel travel,
                                                                A&&... arguments) {
  using Tree = detail::Call<Function, std::decay_t<A>...>;
  detail::require_named_values<A...>();
  detail::require_group<Tree>();
  Tree tree{std::tuple<std::decay_t<A>...>(std::forward<A>(arguments)...)};
  GroupSizes& sizes = Offloader::of(rank).group_sizes();
  bool is_together = travel == GroupTravel::together;
  if (travel == GroupTravel::by_data) {
    is_together = sizes.travels_together(detail::group_kind<Tree>(), detail::argument_bytes(tree));
  } else {
    sizes.count(is_together);
  }
  return is_together ? detail::spawn_together(rank, std::move(tree))
                     : detail::spawn_apart(rank, std::move(tree));
}
/// The same, where the tasks travel GroupTravel::by_data.
template <auto Function, class... A>
Result<typename core::CallableOf<Function>::Result> spawn_group(Runtime& rank, A&&... arguments) {
  return spawn_group<Function>(rank, GroupTravel::by_data, std::forward<A>(arguments)...);
}

}  // namespace roam::offload
