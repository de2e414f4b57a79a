// SPDX-License-Identifier: Apache-2.0
#pragma once

// The template part of RemoteMemory, which turns types into bytes.
#include <bit>
#include <cstring>
#include <type_traits>

#include "roam/am/detail/exposed.hpp"
#include "roam/am/detail/landing_handler.hpp"
#include "roam/am/remote_memory.hpp"
#include "roam/core/detail/named_arguments.hpp"

namespace roam::am {

namespace detail {
/// The number that stands for a value of this size in the short messages of atomic operations,
/// which single values use too.
template <std::size_t Bytes>
struct WordOf {
  using Number = std::uint64_t;
  static constexpr auto type = wire::AtomicType::word64;
};
template <>
struct WordOf<4> {
  using Number = std::uint32_t;
  static constexpr auto type = wire::AtomicType::word32;
};
template <class T>
inline constexpr bool is_word = (sizeof(T) == 4 || sizeof(T) == 8) && std::alignment_of_v<T> ==
                                                                          sizeof(T);
}  // namespace detail

template <WritableElement T>
class [[nodiscard]] Exposed {
 public:
  /// @cond
  Exposed(std::shared_ptr<RegionTable> regions, const RemoteAddress& address, std::size_t size)
      : exposure_(std::move(regions), address), size_(size) {}
  /// @endcond
  /// The remote pointer to the first element, to be sent to other ranks.
  [[nodiscard]] remote_ptr<T> get() const { return remote_ptr<T>(exposure_.address()); }
  /// The remote span of all elements.
  [[nodiscard]] remote_span<T> span() const { return {get(), size_}; }

 private:
  friend class RemoteMemory;
  Exposure exposure_;
  std::size_t size_;
};

template <WritableElement T>
RemoteResult<remote_ptr<T>> RemoteMemory::remote_alloc(Rank rank, std::uint64_t count) {
  return RemoteResult<remote_ptr<T>>(allocate(rank, count, sizeof(T), alignof(T)));
}

template <class T>
RemoteResult<> RemoteMemory::remote_free(remote_ptr<T> memory) {
  return RemoteResult<>(free("remote_free", memory.address(), false));
}

template <WritableElement T>
Exposed<T> RemoteMemory::expose(std::span<T> memory) {
  return Exposed<T>(regions_, expose_bytes(std::as_writable_bytes(memory)), memory.size());
}

template <WritableElement T>
RemoteResult<> RemoteMemory::withdraw(Exposed<T>&& exposed) {
  return RemoteResult<>(free("withdraw", exposed.exposure_.release(), true));
}

template <RemoteElement T>
std::span<T> RemoteMemory::local(remote_ptr<T> memory, std::uint64_t count) const {
  const auto bytes = local_bytes(memory.address(), count, sizeof(T), alignof(T));
  return {reinterpret_cast<T*>(bytes.data()), static_cast<std::size_t>(count)};
}

template <WritableElement T>
Put RemoteMemory::put(remote_ptr<T> to, std::type_identity_t<std::span<const T>> from) {
  return Put(put_bytes("put", to.address(), std::as_bytes(from), alignof(T), {}));
}

template <WritableElement T>
Put RemoteMemory::put(remote_ptr<T> to, const std::type_identity_t<T>& value) {
  if constexpr (detail::is_word<T>) {
    typename detail::WordOf<sizeof(T)>::Number number = 0;
    std::memcpy(&number, &value, sizeof number);
    return Put(atomic("put", wire::AtomicOp::store, detail::WordOf<sizeof(T)>::type, to.address(),
                      number, 0));
  } else {
    PutExtras extras;
    extras.takes_copy = true;
    return Put(
        put_bytes("put", to.address(), std::as_bytes(std::span(&value, 1)), alignof(T), extras));
  }
}

template <RemoteElement T>
RemoteResult<> RemoteMemory::get(std::type_identity_t<std::span<std::remove_const_t<T>>> to,
                                 remote_ptr<T> from) {
  return RemoteResult<>(get_bytes("get", std::as_writable_bytes(to), from.address(),
                                  to.size_bytes(), alignof(T), nullptr));
}

template <RemoteElement T>
RemoteResult<std::remove_const_t<T>> RemoteMemory::get(remote_ptr<T> from) {
  if constexpr (detail::is_word<T>) {
    return RemoteResult<std::remove_const_t<T>>(
        atomic("get", wire::AtomicOp::load, detail::WordOf<sizeof(T)>::type, from.address(), 0, 0));
  } else {
    return RemoteResult<std::remove_const_t<T>>(
        get_bytes("get", {}, from.address(), sizeof(T), alignof(T), nullptr));
  }
}

template <auto Handler, WritableElement T, class... A>
Put RemoteMemory::put_op(remote_ptr<T> to, std::type_identity_t<std::span<const T>> from,
                         A&&... arguments) {
  PutExtras extras;
  if constexpr (!detail::takes_landed<Handler, T, std::remove_cvref_t<A>...>) {
    detail::explain_landing<Handler, T, std::remove_cvref_t<A>...>();
  } else {
    core::require_named_arguments<A...>();
    extras.handler = put_op_registrar<Handler>.id();
    core::Packer packer{core::Buffer()};
    core::pack_tuple_as(std::type_identity<detail::LandingArguments<Handler>>{}, packer,
                        arguments...);
    extras.arguments = packer.take();
  }
  return Put(put_bytes("put_op", to.address(), std::as_bytes(from), alignof(T), extras));
}

template <auto Handler, RemoteElement T, class... A>
RemoteResult<> RemoteMemory::get_op(std::type_identity_t<std::span<std::remove_const_t<T>>> to,
                                    remote_ptr<T> from, A&&... arguments) {
  core::require_named_arguments<A...>();
  exec::ReadyItem* then =
      detail::make_get_op_run<Handler>(messenger_, to, std::forward<A>(arguments)...);
  return RemoteResult<>(get_bytes("get_op", std::as_writable_bytes(to), from.address(),
                                  to.size_bytes(), alignof(T), then));
}

template <WritableElement T>
Put RemoteMemory::put_strided(remote_ptr<T> to, const Strides& to_strides,
                              std::type_identity_t<std::span<const T>> from,
                              const Strides& from_strides, const Extents& extents) {
  const Layout there{extents, to_strides, sizeof(T)};
  const Layout here{extents, from_strides, sizeof(T)};
  return Put(put_box(to.address(), there, std::as_bytes(from), here, alignof(T)));
}

template <RemoteElement T>
RemoteResult<> RemoteMemory::get_strided(std::type_identity_t<std::span<std::remove_const_t<T>>> to,
                                         const Strides& to_strides, remote_ptr<T> from,
                                         const Strides& from_strides, const Extents& extents) {
  const Layout there{extents, from_strides, sizeof(T)};
  const Layout here{extents, to_strides, sizeof(T)};
  return RemoteResult<>(
      get_box(std::as_writable_bytes(to), here, from.address(), there, alignof(T)));
}

template <WritableElement T>
Put RemoteMemory::put_indexed(remote_ptr<T> to, std::span<const std::uint64_t> indices,
                              std::type_identity_t<std::span<const T>> from, std::uint64_t block) {
  return Put(put_list(to.address(), indices, std::as_bytes(from), block, sizeof(T), alignof(T)));
}

template <RemoteElement T>
RemoteResult<> RemoteMemory::get_indexed(std::type_identity_t<std::span<std::remove_const_t<T>>> to,
                                         remote_ptr<T> from, std::span<const std::uint64_t> indices,
                                         std::uint64_t block) {
  return RemoteResult<>(
      get_list(std::as_writable_bytes(to), from.address(), indices, block, sizeof(T), alignof(T)));
}

template <RemoteInteger T>
RemoteResult<T> RemoteMemory::atomic_on(wire::AtomicOp op, remote_ptr<T> at, T operand,
                                        T expected) {
  using Number = typename detail::WordOf<sizeof(T)>::Number;
  constexpr auto type = detail::WordOf<sizeof(T)>::type;
  return RemoteResult<T>(atomic("atomic operation", op, type, at.address(),
                                static_cast<Number>(operand), static_cast<Number>(expected)));
}

template <RemoteInteger T>
RemoteResult<T> RemoteMemory::fetch_add(remote_ptr<T> at, std::type_identity_t<T> value) {
  return atomic_on(wire::AtomicOp::add, at, value);
}
inline RemoteResult<double> RemoteMemory::fetch_add(remote_ptr<double> at, double value) {
  return RemoteResult<double>(atomic("atomic operation", wire::AtomicOp::add,
                                     wire::AtomicType::real64, at.address(),
                                     std::bit_cast<std::uint64_t>(value), 0));
}
template <RemoteInteger T>
RemoteResult<T> RemoteMemory::fetch_and(remote_ptr<T> at, std::type_identity_t<T> value) {
  return atomic_on(wire::AtomicOp::bit_and, at, value);
}
template <RemoteInteger T>
RemoteResult<T> RemoteMemory::fetch_or(remote_ptr<T> at, std::type_identity_t<T> value) {
  return atomic_on(wire::AtomicOp::bit_or, at, value);
}
template <RemoteInteger T>
RemoteResult<T> RemoteMemory::fetch_xor(remote_ptr<T> at, std::type_identity_t<T> value) {
  return atomic_on(wire::AtomicOp::bit_xor, at, value);
}
template <RemoteInteger T>
RemoteResult<T> RemoteMemory::exchange(remote_ptr<T> at, std::type_identity_t<T> value) {
  return atomic_on(wire::AtomicOp::exchange, at, value);
}
template <RemoteInteger T>
RemoteResult<T> RemoteMemory::compare_exchange(remote_ptr<T> at, std::type_identity_t<T> expected,
                                               std::type_identity_t<T> desired) {
  return atomic_on(wire::AtomicOp::compare_exchange, at, desired, expected);
}

}  // namespace roam::am
