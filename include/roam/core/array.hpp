// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "roam/core/detail/buffer.hpp"
#include "roam/core/serialise.hpp"

namespace roam {

template <class T>
class Array;

namespace core {

/// The types of elements that arrays in messages may have: their bytes mean the same at the other
/// end. bool is excluded, because not every byte is a valid bool.
template <class T>
concept ArrayElement =
    std::is_trivially_copyable_v<T> && std::is_object_v<T> && !std::is_const_v<T> &&
    !std::is_pointer_v<T> && !std::is_same_v<T, bool> && alignof(T) <= 16;

namespace detail {

/// Owns a container as long as a buffer refers to its elements.
template <class Container>
class KeptContainer final : public Lender {
 public:
  explicit KeptContainer(Container&& values) : values_(std::move(values)) {}
  void take_back(std::span<std::byte> /*memory*/) noexcept override { delete this; }
  [[nodiscard]] static Buffer keep(Container&& values) {
    auto kept = std::make_unique<KeptContainer>(std::move(values));
    Buffer buffer = Buffer::borrow(std::as_writable_bytes(std::span(kept->values_)), kept.get());
    static_cast<void>(kept.release());  // take_back() deletes it
    return buffer;
  }

 private:
  Container values_;
};

/// True for containers whose rvalue can give up its elements where they lie, as std::vector can.
/// False for views, and for containers that hold their elements inside themselves, which a move
/// would copy.
template <class C>
concept OwningContainer =
    !std::is_reference_v<C> && !std::is_const_v<C> && std::ranges::contiguous_range<C> &&
    std::ranges::sized_range<C> && !std::ranges::borrowed_range<C> && !std::ranges::view<C> &&
    std::is_nothrow_move_constructible_v<C> && sizeof(C) <= 64;

template <class T>
[[nodiscard]] bool is_aligned(const std::byte* bytes) {
  return reinterpret_cast<std::uintptr_t>(bytes) % alignof(T) == 0;
}
[[noreturn]] void throw_wrong_count();
/// Throws MalformedMessage if the memory is not exactly as large as this many elements.
template <class T>
void check_count(const Buffer& memory, std::uint64_t count) {
  if (count != memory.size() / sizeof(T) || memory.size() % sizeof(T) != 0) throw_wrong_count();
}

struct ArrayAccess;

}  // namespace detail
}  // namespace core

/// Sole owner of contiguous elements in memory that can travel. As a handler's parameter it takes
/// over the memory that its message came in. As an argument, given up by std::move, it is sent from
/// where it lies. So a large array goes from rank to rank, and on, without Roam copying it.
/// Move-only. The memory may come from the runtime's pools and go back to them from any thread.
template <class T>
class Array {
  static_assert(core::ArrayElement<T>,
                "the elements of an Array must be trivially copyable, neither pointers nor bools");

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  Array() = default;
  /// `count` elements, uninitialised. Throws std::bad_alloc.
  explicit Array(std::size_t count)
      : Array(with_room(count, [](std::size_t bytes) { return core::Buffer::allocate(bytes); }),
              count) {}
  /// @cond
  /// `count` elements, uninitialised, in memory of `pools` (core::BufferPools).
  template <class Pools>
  [[nodiscard]] static Array in(Pools& pools, std::size_t count) {
    return Array(with_room(count, [&](std::size_t bytes) { return pools.take(bytes); }), count);
  }
  /// @endcond

  /// Takes over the elements of a container (an rvalue std::vector<T>, say), which is stored until
  /// the elements are no longer needed.
  template <class C>
    requires(!std::is_same_v<C, Array> && core::detail::OwningContainer<C> &&
             std::is_same_v<std::ranges::range_value_t<C>, T>)
  Array(C&& values)  // NOLINT: implicit, as a vector is meant to be one
      : size_(std::ranges::size(values)) {
    if (size_ == 0) return;
    memory_ = core::detail::KeptContainer<C>::keep(std::forward<C>(values));
    data_ = reinterpret_cast<T*>(memory_.data());
  }
  /// A copy of the elements.
  [[nodiscard]] static Array copy_of(std::span<const T> values) {
    Array copy(values.size());
    if (!values.empty()) std::memcpy(copy.data_, values.data(), values.size_bytes());
    return copy;
  }
  Array(Array&& other) noexcept
      : memory_(std::move(other.memory_)),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  Array& operator=(Array&& other) noexcept {
    memory_ = std::move(other.memory_);
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() = default;

  [[nodiscard]] T* data() { return data_; }
  [[nodiscard]] const T* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] T* begin() { return data_; }
  [[nodiscard]] T* end() { return data_ + size_; }
  [[nodiscard]] const T* begin() const { return data_; }
  [[nodiscard]] const T* end() const { return data_ + size_; }
  [[nodiscard]] T& operator[](std::size_t i) { return data_[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return data_[i]; }

 private:
  friend struct core::detail::ArrayAccess;
  Array(core::Buffer memory, std::size_t count)
      : memory_(std::move(memory)), data_(reinterpret_cast<T*>(memory_.data())), size_(count) {}
  template <class Take>
  [[nodiscard]] static core::Buffer with_room(std::size_t count, Take take) {
    if (count > std::numeric_limits<std::size_t>::max() / (2 * sizeof(T)))
      throw std::bad_array_new_length();
    if (count == 0) return {};
    core::Buffer memory = take(count * sizeof(T));
    memory.set_size(count * sizeof(T));
    return memory;
  }

  core::Buffer memory_;
  T* data_ = nullptr;  // in memory_; or, if that is empty, in a message that somebody else owns
  std::size_t size_ = 0;
};

namespace core {
namespace detail {

/// What messages need to do with arrays, and programs do not.
struct ArrayAccess {
  /// An array over a buffer of exactly `count` elements, which is aligned for them.
  template <class T>
  [[nodiscard]] static Array<T> over(Buffer memory, std::size_t count) {
    return Array<T>(std::move(memory), count);
  }
  /// An array over a buffer that is said to have `count` elements; they are copied if they are not
  /// aligned. Throws MalformedMessage if the buffer has another size.
  template <class T>
  [[nodiscard]] static Array<T> take_over(Buffer memory, std::uint64_t count) {
    check_count<T>(memory, count);
    const auto size = static_cast<std::size_t>(count);
    if (is_aligned<T>(memory.data())) return over<T>(std::move(memory), size);
    Array<T> copy(size);
    if (size > 0) std::memcpy(copy.data_, memory.data(), memory.size());
    return copy;
  }
  /// Like take_over(), for an array that the program may hold for as long as it likes.
  template <class T>
  [[nodiscard]] static Array<T> adopt(Buffer memory, std::uint64_t count) {
    Array<T> array = take_over<T>(std::move(memory), count);
    array.memory_.leave_to_program();
    return array;
  }
  /// An array over elements that somebody else owns.
  template <class T>
  [[nodiscard]] static Array<T> view(T* elements, std::size_t count) {
    Array<T> array;
    array.data_ = elements;
    array.size_ = count;
    return array;
  }
  template <class T>
  [[nodiscard]] static bool owns(const Array<T>& array) {
    return static_cast<bool>(array.memory_);
  }
  template <class T>
  [[nodiscard]] static Buffer release(Array<T>&& array) {
    array.data_ = nullptr;
    array.size_ = 0;
    return std::move(array.memory_);
  }
};

// An Array is written in the same bytes as a vector.
template <class T>
inline constexpr bool is_plain_sequence<Array<T>> = true;

}  // namespace detail

/// @cond
template <class T>
void CEREAL_SAVE_FUNCTION_NAME(PackArchive& archive, const Array<T>& values) {
  Packer& packer = archive.packer();
  const auto bytes = std::as_bytes(std::span(values.data(), values.size()));
  if (!packer.has_outlet_for(bytes.size())) return detail::write_sequence(packer, values);
  const std::uint64_t count = values.size();
  packer.write(&count, sizeof count);
  packer.write_beside(&values, bytes);
}
template <class T>
void CEREAL_LOAD_FUNCTION_NAME(UnpackArchive& archive, Array<T>& values) {
  Unpacker& unpacker = archive.unpacker();
  std::uint64_t count = 0;
  unpacker.read(&count, sizeof count);
  if (unpacker.is_at_attachment()) {
    values = detail::ArrayAccess::adopt<T>(unpacker.take_attachment(), count);
  } else {
    detail::read_elements(unpacker, count, values);
  }
}

/// @endcond
}  // namespace core
}  // namespace roam
