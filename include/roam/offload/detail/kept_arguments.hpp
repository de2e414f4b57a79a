// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "roam/am/detail/messenger.hpp"
#include "roam/core/detail/parameters.hpp"
#include "roam/offload/detail/lent_argument.hpp"
#include "roam/offload/detail/messages.hpp"

namespace roam::offload::detail {

/// The arguments of a task on its own rank, as they are stored until the task is computed here, and
/// sent to other ranks before. `Parameters`: the tuple of the parameters of its function. Used by
/// one thread at a time.
template <class Parameters>
class KeptArguments {
 public:
  using Stored = core::StoredParameters<Parameters>;

  /// Arguments that are not there yet.
  KeptArguments() = default;
  template <class... A>
  explicit KeptArguments(std::in_place_t, A&&... arguments)
      : stored_(store(std::index_sequence_for<A...>{}, std::forward<A>(arguments)...)) {}

  /// Where the arguments have to be before they are used.
  [[nodiscard]] std::optional<Stored>& place() { return stored_; }

  /// Calls function(arguments...), and gives the arguments up.
  template <class Function>
  decltype(auto) apply(Function&& function) {
    if constexpr (has_array) lent_.take_back(*stored_);
    return core::apply_parameters<Parameters>(std::forward<Function>(function), *stored_);
  }

  /// Sends the arguments behind a message, `first` before them as parameters of the types of a
  /// tuple. The largest array is sent from where it lies, if its bytes are not copied anyway, as
  /// those of small ones are, and those of arrays that a rank of the same process takes over.
  template <class... F>
  void post(am::Messenger& messenger, Rank victim, const Shipped& head,
            std::type_identity<std::tuple<F...>>, const F&... first) {
    post(messenger, victim, head, std::type_identity<std::tuple<F...>>{},
         std::make_index_sequence<std::tuple_size_v<Parameters>>{}, first...);
  }

 private:
  static constexpr bool has_array = core::has_array_parameter<Parameters>;
  struct NoneLent {};
  using Lent = std::conditional_t<has_array, LentArgument<Parameters>, NoneLent>;

  template <std::size_t... I, class... A>
  [[nodiscard]] static Stored store(std::index_sequence<I...>, A&&... arguments) {
    return Stored{
        core::store_argument<std::tuple_element_t<I, Parameters>>(std::forward<A>(arguments))...};
  }
  template <class... F, std::size_t... I>
  void post(am::Messenger& messenger, Rank victim, const Shipped& head,
            std::type_identity<std::tuple<F...>>, std::index_sequence<I...>, const F&... first) {
    constexpr std::type_identity<std::tuple<F..., std::tuple_element_t<I, Parameters>...>> all;
    if constexpr (has_array) {
      const bool may_be_written = !messenger.gives_back_what_is_sent();
      if (lent_.choose(*stored_, messenger.longest_message_bytes() / 2, may_be_written)) {
        return messenger.post_behind(victim, head, all, first...,
                                     lent_.template to_send<I>(*stored_)...);
      }
    }
    messenger.post_behind(victim, head, all, first..., std::as_const(std::get<I>(*stored_))...);
  }

  std::optional<Stored> stored_;
  [[no_unique_address]] Lent lent_;
};

}  // namespace roam::offload::detail
