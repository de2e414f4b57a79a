// SPDX-License-Identifier: Apache-2.0
#pragma once

// The templates of SystemMessages: the runtime's own messages (system_message.hpp).
#include <cstddef>
#include <cstring>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "roam/am/detail/system_message.hpp"
#include "roam/am/detail/system_messages.hpp"

namespace roam::am {

namespace detail {

/// What can be concluded from the parameters of a system handler.
template <class Function>
struct SystemHandler;
template <class O, class M, class... Rest>
struct SystemHandler<void (O::*)(M, Rest...)> {
  using Owner = O;
  using Message = std::remove_cvref_t<M>;
  static constexpr bool takes_what_follows =
      std::is_same_v<std::tuple<Rest...>, std::tuple<Incoming&&>>;
  static constexpr bool takes_source = std::is_same_v<std::tuple<Rest...>, std::tuple<Rank>>;
  static_assert(takes_what_follows || takes_source || sizeof...(Rest) == 0,
                "a system handler takes a message and, if it likes, the rank that sent it or what "
                "came behind the fields");
};

template <auto Handler>
[[gnu::always_inline]] inline void take_system_message(void* self, Incoming&& incoming) {
  using Type = SystemHandler<decltype(Handler)>;
  using Message = typename Type::Message;
  static_assert(Type::takes_what_follows == (Message::kind.behind != Behind::nothing),
                "what may follow the fields of a message is read by its handler, and only that");
  auto& owner = *static_cast<typename Type::Owner*>(self);
  if constexpr (Type::takes_what_follows) {
    std::size_t taken = 0;
    Message message = read_message<Message>(incoming.payload(), taken);
    incoming.offset += taken;
    (owner.*Handler)(std::move(message), std::move(incoming));
  } else if constexpr (Type::takes_source) {
    (owner.*Handler)(read_message<Message>(incoming.payload()), incoming.source);
  } else {
    (owner.*Handler)(read_message<Message>(incoming.payload()));
  }
}

template <auto Handler>
void call_system_handler(void* self, Incoming&& incoming) {
  take_system_message<Handler>(self, std::move(incoming));
}
template <auto Handler>
[[gnu::flatten]] void call_flattened_handler(void* self, Incoming&& incoming) {
  take_system_message<Handler>(self, std::move(incoming));
}

}  // namespace detail

template <auto Handler, class Owner>
void SystemMessages::bind(Owner& owner) {
  using Type = detail::SystemHandler<decltype(Handler)>;
  using Message = typename Type::Message;
  table_.bind(message_declaration<Message>, static_cast<typename Type::Owner*>(&owner),
              &detail::call_system_handler<Handler>);
  if constexpr (Message::kind.reach == Reach::helpers)
    let_cross(message_id<Message>, Message::kind.counted == Counted::yes);
}

template <auto Handler, class Owner>
void SystemMessages::bind_flattened(Owner& owner) {
  using Type = detail::SystemHandler<decltype(Handler)>;
  table_.bind(message_declaration<typename Type::Message>,
              static_cast<typename Type::Owner*>(&owner), &detail::call_flattened_handler<Handler>);
}

template <SystemMessage M>
Outgoing<M> SystemMessages::begin(const M& message, std::size_t bytes_behind) {
  return Outgoing<M>(begin(sizeof(M) + bytes_behind), message);
}

template <SystemMessage M>
void SystemMessages::post(Rank destination, Outgoing<M>&& message) {
  post(destination, message_id<M>, std::move(message).take(), M::kind.counted == Counted::yes);
}

template <SystemMessage M>
void SystemMessages::post(Rank destination, const M& message) {
  if constexpr (has_fixed_layout<M> && !std::is_empty_v<M>) {
    core::Buffer buffer = begin_buffer(layout_bytes<M>);
    store_fields(buffer.data() + payload_offset, message);
    buffer.set_size(payload_offset + layout_bytes<M>);
    forward(destination, message_id<M>, std::move(buffer), M::kind.counted == Counted::yes);
  } else {
    post(destination, begin(message));
  }
}

template <SystemMessage M>
  requires has_fixed_layout<M>
void SystemMessages::post(Rank destination, const M& message, std::span<const std::byte> behind) {
  static_assert(M::kind.behind != Behind::nothing);
  core::Buffer buffer = begin_buffer(layout_bytes<M> + behind.size());
  std::byte* const place = buffer.data() + payload_offset;
  store_fields(place, message);
  if (!behind.empty()) std::memcpy(place + layout_bytes<M>, behind.data(), behind.size());
  buffer.set_size(payload_offset + layout_bytes<M> + behind.size());
  forward(destination, message_id<M>, std::move(buffer), M::kind.counted == Counted::yes);
}

template <SystemMessage M>
void SystemMessages::post_with(core::Attachment&& attachment, Rank destination,
                               Outgoing<M>&& message) {
  static_assert(M::kind.behind == Behind::bytes_and_array);
  post_with(std::move(attachment), destination, message_id<M>, std::move(message).take(),
            M::kind.counted == Counted::yes);
}

template <SystemMessage M, class... P, class... A>
void SystemMessages::post_behind(Rank destination, const M& message,
                                 std::type_identity<std::tuple<P...>> parameters,
                                 A&&... arguments) {
  static_assert(M::kind.behind == Behind::bytes_and_array);
  const auto write_fields = [&message](core::Packer& packer) { write_message(packer, message); };
  post_parameters(destination, message_id<M>, parameters, write_fields,
                  M::kind.counted == Counted::yes, std::forward<A>(arguments)...);
}

template <SystemMessage M>
Outgoing<M> SystemMessages::begin_beside(const M& message) {
  return Outgoing<M>(begin_beside(), message);
}

template <SystemMessage M>
void SystemMessages::post_beside(Rank destination, Outgoing<M>&& message, core::Buffer&& data) {
  post_beside(destination, message_id<M>, std::move(message).take(), std::move(data),
              M::kind.counted == Counted::yes);
}

}  // namespace roam::am
