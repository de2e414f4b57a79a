// SPDX-License-Identifier: Apache-2.0
#pragma once

// The one place, with archive.hpp and serialisable.hpp, that touches cereal. Types follow cereal's
// conventions (a member or free `serialize(Archive&)`, or `save` and `load`); trivially copyable
// types need nothing and are copied as bytes.
#include <cereal/cereal.hpp>  // first: chrono.hpp needs its macros and does not include them
#include <cereal/types/chrono.hpp>
#include <cereal/types/common.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/utility.hpp>
#include <cereal/types/vector.hpp>
#include <cstring>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>

#include "roam/core/archive.hpp"
#include "roam/core/detail/serialisable.hpp"

namespace roam::core {

namespace detail {
/// Reads one value, copied as bytes. Only the bytes of a bool can be wrong: any other than 0 and 1
/// would make a value that is neither true nor false.
template <class Source, class T>
void read_plain(Source& source, T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    static_assert(sizeof(bool) == 1);
    unsigned char byte = 0;
    source.read(&byte, 1);
    if (byte > 1) throw MalformedMessage("a bool is neither true nor false");
    value = byte == 1;
  } else if constexpr (std::is_empty_v<T>) {
    std::byte nothing[sizeof(T)];  // not into `value`: another member may share its byte
    source.read(nothing, sizeof nothing);
  } else {
    source.read(&value, sizeof value);
  }
}
template <class Target, class T>
void write_plain(Target& target, const T& value) {
  if constexpr (std::is_empty_v<T>) {
    constexpr std::byte zeros[sizeof(T)] = {};
    target.write(zeros, sizeof zeros);
  } else {
    target.write(&value, sizeof value);
  }
}

/// True for PackArchive itself, not for classes derived from it such as PackProbe, which asks a
/// type for functions of its own.
template <class Archive>
concept IsPackArchive = std::is_same_v<Archive, PackArchive>;
template <class Archive>
concept IsUnpackArchive = std::is_same_v<Archive, UnpackArchive>;
}  // namespace detail

/// @cond
template <class T>
  requires std::is_arithmetic_v<T>
void CEREAL_SAVE_FUNCTION_NAME(PackArchive& archive, const T& value) {
  archive.write(&value, sizeof value);
}
template <class T>
  requires std::is_arithmetic_v<T>
void CEREAL_LOAD_FUNCTION_NAME(UnpackArchive& archive, T& value) {
  detail::read_plain(archive, value);
}
template <class Archive, class T>
  requires(detail::IsPackArchive<Archive>&& detail::Bitwise<T>)
void CEREAL_SAVE_FUNCTION_NAME(Archive& archive, const T& value) {
  detail::write_plain(archive, value);
}
template <class Archive, class T>
  requires(detail::IsUnpackArchive<Archive>&& detail::Bitwise<T>)
void CEREAL_LOAD_FUNCTION_NAME(Archive& archive, T& value) { detail::read_plain(archive, value); }
template <class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(PackArchive& archive, cereal::NameValuePair<T>& pair) {
  archive(pair.value);
}
template <class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(UnpackArchive& archive, cereal::NameValuePair<T>& pair) {
  archive(pair.value);
}
template <class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(PackArchive& archive, cereal::SizeTag<T>& tag) {
  archive(tag.size);
  archive.announce(static_cast<std::uint64_t>(tag.size));
}
template <class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(UnpackArchive& archive, cereal::SizeTag<T>& tag) {
  archive(tag.size);
  archive.announce(static_cast<std::uint64_t>(tag.size));
}
template <class T>
void CEREAL_SAVE_FUNCTION_NAME(PackArchive& archive, const cereal::BinaryData<T>& data) {
  archive.write(data.data, static_cast<std::size_t>(data.size));
}
template <class T>
void CEREAL_LOAD_FUNCTION_NAME(UnpackArchive& archive, cereal::BinaryData<T>& data) {
  archive.read(data.data, static_cast<std::size_t>(data.size));
}

namespace detail {

/// A string or a vector of plain elements: its length and its bytes, in one copy.
template <class Archive, class Sequence>
void write_sequence(Archive& archive, const Sequence& values) {
  const std::uint64_t count = values.size();
  archive.write(&count, sizeof count);
  archive.write(values.data(), values.size() * sizeof(typename Sequence::value_type));
}
/// Assigns elements from bytes that are not aligned for them.
template <class Sequence>
void assign_unaligned(Sequence& values, std::span<const std::byte> bytes) {
  using T = typename Sequence::value_type;
  if constexpr (std::is_default_constructible_v<T>) {
    values.resize(bytes.size() / sizeof(T));
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  } else {
    Buffer copy = Buffer::allocate(bytes.size());  // aligned for all types that travel
    copy.append(bytes.data(), bytes.size());
    const T* const elements = reinterpret_cast<const T*>(std::as_const(copy).data());
    values.assign(elements, elements + bytes.size() / sizeof(T));
  }
}
template <class Archive, class Sequence>
void read_elements(Archive& archive, std::uint64_t count, Sequence& values) {
  if (count > archive.remaining() / sizeof(typename Sequence::value_type)) {
    throw MalformedMessage("a vector announces more elements than the message has bytes");
  }
  const auto size = static_cast<std::size_t>(count);
  using T = typename Sequence::value_type;
  if constexpr (requires(const T* elements) { values.assign(elements, elements); }) {
    // All elements are assigned at once if they are aligned: resize() would write zeros first.
    const std::span<const std::byte> bytes = archive.view(size * sizeof(T));
    if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(T) == 0) {
      const T* const elements = reinterpret_cast<const T*>(bytes.data());
      values.assign(elements, elements + size);
      return;
    }
    assign_unaligned(values, bytes);
  } else {
    values = Sequence(size);
    archive.read(values.data(), size * sizeof(T));
  }
}
template <class Archive, class Sequence>
void read_sequence(Archive& archive, Sequence& values) {
  std::uint64_t count = 0;
  archive.read(&count, sizeof count);
  read_elements(archive, count, values);
}

}  // namespace detail

template <detail::BitwiseElement T, class A>
void CEREAL_SAVE_FUNCTION_NAME(PackArchive& archive, const std::vector<T, A>& values) {
  detail::write_sequence(archive, values);
}
template <detail::BitwiseElement T, class A>
void CEREAL_LOAD_FUNCTION_NAME(UnpackArchive& archive, std::vector<T, A>& values) {
  detail::read_sequence(archive, values);
}

namespace detail {
template <class T>
void pack_one(Packer& packer, const T& value) {
  if constexpr (Plain<T>) {
    write_plain(packer, value);
  } else if constexpr (is_plain_sequence<T>) {
    write_sequence(packer, value);
  } else {
    packer.archive().write_value(value);
  }
}
template <class T>
void unpack_one(Unpacker& unpacker, T& value) {
  if constexpr (Plain<T>) {
    read_plain(unpacker, value);
  } else if constexpr (is_plain_sequence<T>) {
    read_sequence(unpacker, value);
  } else {
    unpacker.archive().read_value(value);
  }
}
}  // namespace detail

/// @endcond

/// Appends values in order. Fails to compile, with one line of explanation, if one of them cannot
/// travel.
template <class... Ts>
void pack(Packer& packer, const Ts&... values) {
  (require_serialisable<Ts>(), ...);
  if constexpr ((can_arrive<Ts> && ...)) (detail::pack_one(packer, values), ...);
}

/// @cond
/// Appends a value converted to type T, without copying one that is a T already.
template <class T, class A>
void pack_as(Packer& packer, const A& value) {
  if constexpr (std::is_same_v<T, A>) {
    pack(packer, value);
  } else {
    const T converted = static_cast<T>(value);
    pack(packer, converted);
  }
}

/// Appends arguments as values of the types of a tuple, in order.
template <class... T, class... A>
void pack_tuple_as(std::type_identity<std::tuple<T...>>, Packer& packer, const A&... values) {
  (pack_as<T>(packer, values), ...);
}

namespace detail {
template <class T, class A>
void write_plain_as(std::byte*& target, const A& value) {
  if constexpr (std::is_empty_v<T>) {
    std::memset(target, 0, sizeof(T));
    target += sizeof(T);
  } else {
    const T converted = static_cast<T>(value);
    std::memcpy(target, &converted, sizeof converted);
    target += sizeof converted;
  }
}
}  // namespace detail

/// True for a tuple of values that are all copied as bytes: the number of bytes is known at compile
/// time.
template <class Tuple>
inline constexpr bool is_plain_tuple = false;
template <class... T>
inline constexpr bool is_plain_tuple<std::tuple<T...>> = (detail::Plain<T> && ...);
/// The number of bytes that pack_tuple_as() appends for a plain tuple.
template <class Tuple>
inline constexpr std::size_t plain_tuple_bytes = 0;
template <class... T>
inline constexpr std::size_t plain_tuple_bytes<std::tuple<T...>> = (sizeof(T) + ... +
                                                                    std::size_t{0});

/// Does the same as pack_tuple_as() for a plain tuple, to memory of at least plain_tuple_bytes
/// bytes.
template <class... T, class... A>
void write_plain_tuple_as(std::type_identity<std::tuple<T...>>, [[maybe_unused]] std::byte* target,
                          const A&... values) {
  (detail::write_plain_as<T>(target, values), ...);
}

namespace detail {
[[noreturn]] void throw_cannot_arrive();
struct PlainSource {
  const std::byte* bytes;
  void read(void* target, std::size_t length) {
    std::memcpy(target, bytes, length);
    bytes += length;
  }
};
}  // namespace detail

/// Reads a plain tuple from plain_tuple_bytes bytes. Throws MalformedMessage for a wrong bool.
template <class Tuple>
  requires is_plain_tuple<Tuple>
[[nodiscard, gnu::always_inline]] inline Tuple read_plain_tuple(const std::byte* bytes) {
  if constexpr (!std::is_default_constructible_v<Tuple>) {
    detail::throw_cannot_arrive();  // the compiler has already refused the code that sends them
  } else {
    [[maybe_unused]] detail::PlainSource source{bytes};
    Tuple values{};
    std::apply([&](auto&... value) { (detail::read_plain(source, value), ...); }, values);
    return values;
  }
}

/// @endcond

/// Reads into an existing value. Throws MalformedMessage if the bytes do not represent a value of
/// its type.
template <class T>
void unpack_into(Unpacker& unpacker, T& value) {
  detail::unpack_one(unpacker, value);
}

/// Reads one value of type T, which has a default constructor. Throws MalformedMessage likewise.
template <class T>
[[nodiscard]] T unpack(Unpacker& unpacker) {
  if constexpr (!std::is_default_constructible_v<T>) {
    detail::throw_cannot_arrive();
  } else {
    T value{};
    detail::unpack_one(unpacker, value);
    return value;
  }
}

namespace detail {
[[noreturn]] void throw_load_has_left(std::string_view type, std::size_t left);
[[noreturn]] void throw_load_wants_more(std::string_view type, const char* why);
}  // namespace detail

/// Reads into a value that must be all there is to read. Throws MalformedMessage, which names T, if
/// T's load reads fewer or more bytes than its save has written.
template <class T>
void unpack_all_into(Unpacker& unpacker, T& value) {
  try {
    detail::unpack_one(unpacker, value);
  } catch (const MalformedMessage& error) {
    detail::throw_load_wants_more(type_name<T>(), error.what());
  }
  if (unpacker.remaining() > 0) detail::throw_load_has_left(type_name<T>(), unpacker.remaining());
}
/// Reads a value that must be all there is to read. Throws likewise.
template <class T>
[[nodiscard]] T unpack_all(Unpacker& unpacker) {
  if constexpr (!can_arrive<T>) {
    detail::throw_cannot_arrive();
  } else {
    T value{};
    unpack_all_into(unpacker, value);
    return value;
  }
}

/// @cond
/// Reads the elements of a tuple in order.
template <class Tuple>
[[nodiscard]] Tuple unpack_tuple(Unpacker& unpacker) {
  if constexpr (!detail::TypesOf<Tuple>::all_can_arrive) {
    detail::throw_cannot_arrive();
  } else {
    Tuple values{};
    std::apply([&](auto&... value) { (detail::unpack_one(unpacker, value), ...); }, values);
    return values;
  }
}
/// @endcond

}  // namespace roam::core
