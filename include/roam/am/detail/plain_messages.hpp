// SPDX-License-Identifier: Apache-2.0
#pragma once

// The template part of Messenger for messages whose length is known at compile time, and for
// batches.
#include <array>
#include <cstddef>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "roam/am/detail/program_handler.hpp"

namespace roam::am {

namespace detail {
/// Token and arguments of a message whose size is known at compile time, as bytes.
template <class Parameters, class... A>
[[nodiscard]] auto plain_payload(std::uint64_t token, const A&... arguments) {
  std::array<std::byte, sizeof token + core::plain_tuple_bytes<Parameters>> payload;
  std::memcpy(payload.data(), &token, sizeof token);
  core::write_plain_tuple_as(std::type_identity<Parameters>{}, payload.data() + sizeof token,
                             arguments...);
  return payload;
}
}  // namespace detail

// Uses no thread-local variable, so that it may be inlined into coroutines. A thread that cannot
// have the endpoint at once uses the outbox.
template <class Put>
[[gnu::always_inline]] inline bool Messenger::use_batch(Rank destination, Put&& put) {
  if (capabilities_.main_thread_only || !endpoint_lock_.try_lock()) return false;
  bool is_put = false;
  bool may_exceed = false;
  if (outbox_size_.load(std::memory_order_relaxed) == 0 && coalescer_->is_collecting(destination)) {
    is_put = put();
    may_exceed = coalescer_->is_look_due();
  }
  endpoint_lock_.unlock();
  if (may_exceed || outbox_size_.load(std::memory_order_seq_cst) > 0)
    drain_and_hold_back(may_exceed);
  return is_put;
}

// Inlined, so that the payload goes from registers into the batch.
template <std::size_t N>
[[gnu::always_inline]] inline bool Messenger::put_into_batch(
    Rank destination, std::uint32_t handler, const std::array<std::byte, N>& payload) {
  return use_batch(destination, [&] {
    if (coalescer_->put_like_last(handler, payload)) return true;
    std::byte* const place = extend_batch(handler, N);
    if (place != nullptr) std::memcpy(place, payload.data(), N);
    return place != nullptr;
  });
}

template <class Write>
bool Messenger::write_into_batch(Rank destination, std::uint32_t handler, std::size_t payload_bytes,
                                 Write&& write) {
  if (payload_bytes > Coalescer::longest_payload) return false;
  return use_batch(destination, [&] {
    std::byte* const place = extend_batch(handler, payload_bytes);
    if (place != nullptr) write(place);
    return place != nullptr;
  });
}

// All conditions are checked before anything is done, so that the usual case need not save
// registers for another function.
template <std::size_t PayloadBytes>
[[gnu::always_inline]] inline Messenger::SmallMessage Messenger::begin_small(
    const exec::Context* context, Rank destination, std::uint32_t handler) {
  constexpr std::size_t bytes = payload_offset + PayloadBytes;
  constexpr WireHeader header{.checked_size = static_cast<std::uint32_t>(bytes),
                              .flags = WireHeader::counted};
  if (coalescer_ != nullptr && coalescer_->may_be_collecting()) return {};
  const std::uint32_t slot = engine_.slot_of(context);
  core::BufferPool& pool = memory_.pool(slot);
  if (bytes > pool.block_bytes() || !pool.has_own() || !is_rank(destination)) return {};
  core::Buffer message = pool.take_own();
  message.set_size(bytes);
  std::byte* const place = message.data();
  std::memcpy(place, &header, sizeof header);
  std::memcpy(place + offsetof(WireHeader, handler), &handler, sizeof handler);
  return {message.release(), place + payload_offset, slot, bytes};
}

// A function of its own, because coroutines call it: see slot_here(). It takes the address of no
// parameter, so that the last call needs no stack frame.
template <auto Handler, class... P>
[[gnu::noinline]] void Messenger::post_plain(Rank destination, std::uint64_t token,
                                             P... parameters) {
  using Parameters = std::tuple<std::remove_cvref_t<P>...>;
  const exec::Context* const context = exec::detail::current_context;
  if (context != nullptr && context->epoch != 0)
    return post_plain_in_turn<Handler, P...>(destination, token, parameters...);
  const SmallMessage message = begin_small<sizeof token + core::plain_tuple_bytes<Parameters>>(
      context, destination, program_handler_id<Handler>);
  if (message.block == nullptr)
    return post_plain_in_turn<Handler, P...>(destination, token, parameters...);
  std::memcpy(message.payload, &token, sizeof token);
  core::write_plain_tuple_as(std::type_identity<Parameters>{}, message.payload + sizeof token,
                             parameters...);
  post_small(message.slot, destination, message.block, message.bytes);
}

template <std::uint32_t Handler, class Head, class... P>
[[gnu::noinline]] void Messenger::post_plain_behind(Rank destination, Head head, P... parameters) {
  using Parameters = std::tuple<std::remove_cvref_t<P>...>;
  constexpr std::size_t bytes = Head::bytes + core::plain_tuple_bytes<Parameters>;
  const SmallMessage message =
      begin_small<bytes>(exec::detail::current_context, destination, Handler);
  std::array<std::byte, bytes> spare;
  std::byte* const place = message.block == nullptr ? spare.data() : message.payload;
  head.write_to(place);
  core::write_plain_tuple_as(std::type_identity<Parameters>{}, place + Head::bytes, parameters...);
  if (message.block == nullptr) return post_bytes(destination, Handler, spare);
  post_small(message.slot, destination, message.block, message.bytes);
}

template <auto Handler, class... P>
[[gnu::noinline]] void Messenger::post_plain_in_turn(Rank destination, std::uint64_t token,
                                                     P... parameters) {
  using Parameters = std::tuple<std::remove_cvref_t<P>...>;
  if (const exec::Context* const context = exec::detail::current_context;
      context != nullptr && context->epoch != 0) {
    return post_in_epoch<Handler>(destination, token, std::type_identity<Parameters>{},
                                  parameters...);
  }
  const auto payload = detail::plain_payload<Parameters>(token, parameters...);
  if constexpr (payload.size() <= Coalescer::longest_payload) {
    if (coalescer_ != nullptr && coalescer_->may_be_collecting() &&
        put_into_batch(destination, program_handler_id<Handler>, payload))
      return;
  }
  post_bytes(destination, program_handler_id<Handler>, payload);
}

}  // namespace roam::am
