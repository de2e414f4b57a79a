// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>

#include "roam/core/error.hpp"
#include "roam/core/types.hpp"

namespace roam {

namespace am {

/// @cond
/// A byte in the remotely accessible memory of a rank: in region `region` of generation
/// `generation` (0: no memory at all), `offset` bytes from the region's beginning. Any value may be
/// made or sent; whether it names memory is checked where the memory is, at every access (A4).
struct RemoteAddress {
  Rank rank;
  std::uint32_t region = 0;
  std::uint64_t generation = 0;
  std::int64_t offset = 0;

  friend constexpr auto operator<=>(const RemoteAddress&, const RemoteAddress&) = default;
  /// Throws roam::Error if the offset cannot be represented.
  [[nodiscard]] constexpr RemoteAddress advanced(std::int64_t elements,
                                                 std::int64_t element_bytes) const {
    RemoteAddress result = *this;
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(elements, element_bytes, &bytes) ||
        __builtin_add_overflow(offset, bytes, &result.offset)) {
      throw Error("a remote pointer was moved by " + std::to_string(elements) +
                  " elements, farther than any memory reaches");
    }
    return result;
  }
};
static_assert(sizeof(RemoteAddress) == 24);
/// @endcond

}  // namespace am

/// Names an element of type T in the memory of any rank, from any rank: a value of 24 bytes,
/// copyable, comparable, hashable and serialisable. remote_alloc and expose make them; put, get and
/// the other operations of am::RemoteMemory take them. Arithmetic is in elements, as for pointers;
/// only an access checks whether memory is there.
template <class T>
class remote_ptr {
 public:
  using element_type = T;
  constexpr remote_ptr() = default;
  /// @cond
  constexpr explicit remote_ptr(const am::RemoteAddress& address) : address_(address) {}
  /// @endcond

  /// Converts as pointers do: to const and to void.
  template <class U>
    requires(!std::is_same_v<U, T> && std::is_convertible_v<U*, T*> &&
             (std::is_void_v<T> || std::is_same_v<std::remove_const_t<T>, U>))
  constexpr remote_ptr(remote_ptr<U> other) : address_(other.address()) {}  // NOLINT: as pointers

  /// The rank whose memory it is.
  [[nodiscard]] constexpr Rank rank() const { return address_.rank; }
  /// @cond
  [[nodiscard]] constexpr const am::RemoteAddress& address() const { return address_; }
  /// @endcond
  [[nodiscard]] constexpr explicit operator bool() const { return address_.generation != 0; }
  friend constexpr auto operator<=>(const remote_ptr&, const remote_ptr&) = default;

  /// A pointer to the same place as a pointer to another type. It cannot remove const.
  template <class U>
    requires(std::is_const_v<U> || !std::is_const_v<T>)
  [[nodiscard]] constexpr remote_ptr<U> cast() const { return remote_ptr<U>(address_); }

  friend constexpr remote_ptr operator+(remote_ptr p, std::int64_t n) { return p += n; }
  friend constexpr remote_ptr operator+(std::int64_t n, remote_ptr p) { return p += n; }
  friend constexpr remote_ptr operator-(remote_ptr p, std::int64_t n) { return p -= n; }
  constexpr remote_ptr& operator+=(std::int64_t n) {
    address_ = address_.advanced(n, element_bytes());
    return *this;
  }
  constexpr remote_ptr& operator-=(std::int64_t n) {
    address_ = address_.advanced(n, -static_cast<std::int64_t>(element_bytes()));
    return *this;
  }
  constexpr remote_ptr& operator++() { return *this += 1; }
  constexpr remote_ptr& operator--() { return *this += -1; }
  constexpr remote_ptr operator++(int) {
    const remote_ptr before = *this;
    ++*this;
    return before;
  }
  constexpr remote_ptr operator--(int) {
    const remote_ptr before = *this;
    --*this;
    return before;
  }
  /// A pointer to element n: there are no references to remote memory.
  [[nodiscard]] constexpr remote_ptr operator[](std::int64_t n) const { return *this + n; }
  /// The number of elements from `from` to `to`. Throws roam::Error if they are not of one region.
  friend constexpr std::int64_t operator-(const remote_ptr& to, const remote_ptr& from) {
    if (to.address_.rank != from.address_.rank || to.address_.region != from.address_.region ||
        to.address_.generation != from.address_.generation) {
      throw Error("the distance of two remote pointers into different memory has no meaning");
    }
    return (to.address_.offset - from.address_.offset) / element_bytes();
  }

 private:
  [[nodiscard]] static constexpr std::int64_t element_bytes() {
    static_assert(!std::is_void_v<T>, "a remote_ptr<void> has no elements: cast it first");
    return static_cast<std::int64_t>(sizeof(std::conditional_t<std::is_void_v<T>, char, T>));
  }
  am::RemoteAddress address_;
};

/// `size` consecutive elements in the memory of some rank. A value of 32 bytes.
template <class T>
class remote_span {
 public:
  constexpr remote_span() = default;
  /// The `size` elements from `data` on; not checked.
  constexpr remote_span(remote_ptr<T> data, std::uint64_t size) : data_(data), size_(size) {}
  [[nodiscard]] constexpr remote_ptr<T> data() const { return data_; }
  [[nodiscard]] constexpr std::uint64_t size() const { return size_; }
  /// The rank whose memory it is.
  [[nodiscard]] constexpr Rank rank() const { return data_.rank(); }
  friend constexpr bool operator==(const remote_span&, const remote_span&) = default;

 private:
  remote_ptr<T> data_;
  std::uint64_t size_ = 0;
};

}  // namespace roam

template <>
struct std::hash<roam::am::RemoteAddress> {
  std::size_t operator()(const roam::am::RemoteAddress& a) const noexcept {
    std::uint64_t h = a.generation * 0x9e3779b97f4a7c15ULL;
    h ^= (std::uint64_t{a.region} << 32 | static_cast<std::uint32_t>(a.rank.value())) + (h << 6) +
         (h >> 2);
    h = (h ^ h >> 31) * 0xbf58476d1ce4e5b9ULL;
    h ^= static_cast<std::uint64_t>(a.offset);
    h = (h ^ h >> 30) * 0x94d049bb133111ebULL;
    return static_cast<std::size_t>(h ^ h >> 31);
  }
};
template <class T>
struct std::hash<roam::remote_ptr<T>> {
  std::size_t operator()(const roam::remote_ptr<T>& p) const noexcept {
    return std::hash<roam::am::RemoteAddress>{}(p.address());
  }
};
