// SPDX-License-Identifier: Apache-2.0
#pragma once

// How much memory a value takes, for the window in bytes.
#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "roam/core/detail/type_name.hpp"
#include "roam/core/serialise.hpp"

namespace roam::flow {

class Core;

/// A class that says itself how many bytes its value owns beyond sizeof: `std::size_t
/// memory_bytes() const`, which is to take no longer than a few nanoseconds.
template <class T>
concept SaysItsMemory = requires(const T& value) {
  { value.memory_bytes() } -> std::convertible_to<std::size_t>;
};

/// @cond
/// The sizes that the last values of a few types had. Thread-safe; a size may be that of a value
/// some writes ago.
class TypeSizes {
 public:
  struct Entry {
    std::atomic<const char*> type{nullptr};
    std::atomic<std::int64_t> bytes{unknown};
    std::atomic<std::uint32_t> uses{0};
  };
  static constexpr std::int64_t unknown = -1;
  /// The entry of a type, found by the address of its name; nullptr: there are too many types.
  [[nodiscard]] Entry* of(const char* type);

 private:
  std::array<Entry, 64> entries_;
};

namespace detail {

/// Values of other types are left out of the count: they own nothing, and a window full of them is
/// small.
constexpr std::size_t most_uncounted_bytes = 256;
template <class T>
inline constexpr bool is_counted =
    SaysItsMemory<T> || !std::is_trivially_copyable_v<T> || (sizeof(T) > most_uncounted_bytes);

template <class T>
concept Sequence = requires(const T& value) {
  typename T::value_type;
  value.size();
  value.begin();
  value.end();
};

/// True if measuring a value may take time in proportion to its size: it is then done for one value
/// in 16.
template <class T>
constexpr bool is_slow_to_measure() {
  if constexpr (SaysItsMemory<T> || std::is_trivially_copyable_v<T>) {
    return false;
  } else if constexpr (Sequence<T>) {
    return !std::is_trivially_copyable_v<typename T::value_type>;
  } else {
    return core::detail::HasOwnSerialisation<T>;
  }
}

/// The bytes of a value and of all that it owns, as far as can be told: a class of the program that
/// has neither memory_bytes() nor functions for serialisation counts with its sizeof.
template <class T>
[[nodiscard]] std::size_t memory_of(const T& value) {
  if constexpr (SaysItsMemory<T>) {
    return sizeof(T) + value.memory_bytes();
  } else if constexpr (Sequence<T> && !std::is_trivially_copyable_v<T>) {
    using Element = typename T::value_type;
    if constexpr (std::is_trivially_copyable_v<Element>) {
      return sizeof(T) + value.size() * sizeof(Element);
    } else {
      std::size_t sum = sizeof(T);
      for (const auto& element : value) sum += memory_of(element);
      return sum;
    }
  } else if constexpr (is_slow_to_measure<T>()) {
    core::Packer packer = core::Packer::counting();
    packer.archive()(value);
    return sizeof(T) + packer.counted();
  } else {
    return sizeof(T);
  }
}

[[nodiscard]] TypeSizes& sizes_of(Core& core);

/// memory_of(), or what it was for one of the last values of the type. Other values of the type
/// are expected to be as large.
template <class T>
[[nodiscard]] std::int64_t measure(Core& core, const T& value) {
  constexpr std::uint32_t values_per_measurement = 16;
  TypeSizes::Entry* const entry = sizes_of(core).of(core::type_name<T>().data());
  if constexpr (is_slow_to_measure<T>()) {
    if (entry != nullptr &&
        entry->uses.fetch_add(1, std::memory_order_relaxed) % values_per_measurement != 0)
      return entry->bytes.load(std::memory_order_relaxed);
  }
  const auto bytes = static_cast<std::int64_t>(memory_of(value));
  if (entry != nullptr) entry->bytes.store(bytes, std::memory_order_relaxed);
  return bytes;
}

/// Takes bytes from the quota of copies. Returns false if they are not there.
[[nodiscard]] bool may_copy(Core& core, std::int64_t bytes);
/// Bytes that are returned to the quota of copies when this is destroyed.
class CopiedBytes {
 public:
  CopiedBytes(Core& core, std::int64_t bytes) : core_(core), bytes_(bytes) {}
  CopiedBytes(const CopiedBytes&) = delete;
  CopiedBytes& operator=(const CopiedBytes&) = delete;
  ~CopiedBytes();

 private:
  Core& core_;
  const std::int64_t bytes_;
};

/// Bytes that count as held in a Core's window as long as this exists.
class HeldBytes {
 public:
  HeldBytes() = default;
  HeldBytes(const HeldBytes&) = delete;
  HeldBytes& operator=(const HeldBytes&) = delete;
  ~HeldBytes();
  void set(Core& core, std::int64_t bytes);

 private:
  Core* core_ = nullptr;
  std::int64_t bytes_ = 0;
};

}  // namespace detail
/// @endcond

}  // namespace roam::flow
