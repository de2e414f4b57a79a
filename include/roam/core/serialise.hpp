// SPDX-License-Identifier: Apache-2.0
#pragma once

// The one place that touches cereal. Types follow cereal's conventions (a member or free
// `serialize(Archive&)`, or `save` and `load`); trivially copyable types need nothing and are
// copied as bytes.
#include <cereal/cereal.hpp>
#include <cereal/types/chrono.hpp>
#include <cereal/types/common.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/utility.hpp>
#include <cereal/types/vector.hpp>
#include <chrono>
#include <cstring>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>

#include "roam/core/attachment.hpp"
#include "roam/core/buffer.hpp"
#include "roam/core/error.hpp"
#include "roam/core/type_name.hpp"

namespace roam::core {

class Packer;
class Unpacker;
class PackArchive;
class UnpackArchive;

namespace detail {

template <class T, class Archive>
concept HasOwnSerialisation = cereal::traits::has_member_serialize<T, Archive>::value ||
    cereal::traits::has_non_member_serialize<T, Archive>::value ||
    cereal::traits::has_member_save<T, Archive>::value ||
    cereal::traits::has_member_load<T, Archive>::value ||
    cereal::traits::has_member_save_minimal<T, Archive>::value;

template <class T>
inline constexpr bool from_std = type_name<T>().starts_with("std::");

/// Copied as bytes: trivially copyable, not a pointer, and without a serialisation of its own.
template <class T>
concept Bitwise =
    std::is_trivially_copyable_v<T> && std::is_class_v<T> && !std::is_empty_v<T> && !from_std<T> &&
    !HasOwnSerialisation<T, PackArchive> && !HasOwnSerialisation<T, UnpackArchive>;

/// Of std::chrono: a number.
template <class T>
inline constexpr bool is_time = false;
template <class Number, class Period>
inline constexpr bool is_time<std::chrono::duration<Number, Period>> = std::is_arithmetic_v<Number>;
template <class Clock, class Length>
inline constexpr bool is_time<std::chrono::time_point<Clock, Length>> = is_time<Length>;

/// Written without an archive, in the same bytes as with one.
template <class T>
concept Plain = std::is_arithmetic_v<T> || std::is_enum_v<T> || Bitwise<T> || is_time<T>;

/// A vector of these is copied as bytes.
template <class T>
concept BitwiseElement = Plain<T> && !std::is_same_v<T, bool>;

template <class T>
inline constexpr bool is_plain_sequence = std::is_same_v<T, std::string>;
template <class T, class A>
inline constexpr bool is_plain_sequence<std::vector<T, A>> = BitwiseElement<T>;

}  // namespace detail

/// Appends values to a Buffer it owns. Grows as needed; throws std::bad_alloc only. Fill it with
/// pack().
class Packer {
 public:
  explicit Packer(Buffer buffer) : buffer_(std::move(buffer)) {}
  /// One that keeps nothing: counted() tells how many bytes were written.
  [[nodiscard]] static Packer counting() {
    Packer packer{Buffer()};
    packer.counts_ = true;
    return packer;
  }
  Packer(Packer&&) noexcept;
  Packer& operator=(Packer&&) noexcept;
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;
  ~Packer() {
    if (archive_ != nullptr) delete_archive();
  }

  void write(const void* source, std::size_t length) {
    const std::size_t size = buffer_.size();
    if (length > buffer_.capacity() - size) {
      append(source, length);
    } else if (length > 0) {
      std::memcpy(buffer_.data() + size, source, length);
      buffer_.set_size(size + length);
    }
  }
  [[nodiscard]] std::size_t size() const { return buffer_.size(); }
  [[nodiscard]] std::size_t counted() const { return counted_; }
  [[nodiscard]] Buffer take() { return std::move(buffer_); }
  [[nodiscard]] Buffer& buffer() { return buffer_; }
  /// It must outlive the writing, or be taken away again (nullptr). As long as there is one, the
  /// buffer grows in its pools, too.
  void set_outlet(ArrayOutlet* outlet) { outlet_ = outlet; }
  [[nodiscard]] bool has_outlet_for(std::size_t array_bytes) const {
    return outlet_ != nullptr && !outlet_->attachment.data &&
           array_bytes >= outlet_->smallest_bytes;
  }
  /// Writes an array there; requires has_outlet_for() it.
  void write_beside(const void* array, std::span<const std::byte> elements);
  /// For what is not plain bytes; made when first needed (its tables cost more than a small
  /// message), then kept: pointers shared between values are recognised.
  [[nodiscard]] PackArchive& archive();

 private:
  void append(const void* source, std::size_t length);
  void delete_archive();
  Buffer buffer_;
  ArrayOutlet* outlet_ = nullptr;
  PackArchive* archive_ = nullptr;  // owned
  bool counts_ = false;             // then the buffer has no room, so that all goes to append()
  std::size_t counted_ = 0;
};

/// Reads values from bytes it does not own, with unpack(). Reading past the end throws
/// MalformedMessage: bytes from a peer are checked, never trusted.
class Unpacker {
 public:
  explicit Unpacker(std::span<const std::byte> bytes) : bytes_(bytes) {}
  Unpacker(Unpacker&&) noexcept;
  Unpacker& operator=(Unpacker&&) noexcept;
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;
  ~Unpacker() {
    if (archive_ != nullptr) delete_archive();
  }

  void read(void* target, std::size_t length) {
    if (length > bytes_.size()) throw_truncated(length, bytes_.size());
    if (length > 0) std::memcpy(target, bytes_.data(), length);
    bytes_ = bytes_.subspan(length);
  }
  /// A view of the next `length` bytes, which are skipped.
  [[nodiscard]] std::span<const std::byte> view(std::size_t length) {
    if (length > bytes_.size()) throw_truncated(length, bytes_.size());
    const auto part = bytes_.first(length);
    bytes_ = bytes_.subspan(length);
    return part;
  }
  [[nodiscard]] std::size_t remaining() const { return bytes_.size(); }
  [[nodiscard]] UnpackArchive& archive();

  /// What travelled beside the bytes, for an array among what is read; must outlive the reading.
  void set_attachment(Attachment* attachment) { attachment_ = attachment; }
  /// True if the next bytes are those of the attachment.
  [[nodiscard]] bool is_at_attachment() const {
    return has_attachment() && attachment_->bytes_behind == bytes_.size();
  }
  /// True until it has been taken.
  [[nodiscard]] bool has_attachment() const { return attachment_ != nullptr && attachment_->data; }
  [[nodiscard]] Buffer take_attachment() { return std::move(attachment_->data); }

 private:
  [[noreturn]] static void throw_truncated(std::size_t wanted, std::size_t left);
  void delete_archive();
  std::span<const std::byte> bytes_;
  UnpackArchive* archive_ = nullptr;  // owned
  Attachment* attachment_ = nullptr;
};

/// What a type's own serialisation writes to.
class PackArchive : public cereal::OutputArchive<PackArchive, cereal::AllowEmptyClassElision> {
 public:
  explicit PackArchive(Packer& packer)
      : cereal::OutputArchive<PackArchive, cereal::AllowEmptyClassElision>(this),
        packer_(&packer) {}
  void write(const void* source, std::size_t length) { packer_->write(source, length); }
  [[nodiscard]] Packer& packer() { return *packer_; }
  /// The packer has moved.
  void follow(Packer& packer) { packer_ = &packer; }

 private:
  Packer* packer_;
};

/// What a type's own serialisation reads from.
class UnpackArchive : public cereal::InputArchive<UnpackArchive, cereal::AllowEmptyClassElision> {
 public:
  explicit UnpackArchive(Unpacker& unpacker)
      : cereal::InputArchive<UnpackArchive, cereal::AllowEmptyClassElision>(this),
        unpacker_(&unpacker) {}
  void read(void* target, std::size_t length) { unpacker_->read(target, length); }
  [[nodiscard]] std::size_t remaining() const { return unpacker_->remaining(); }
  /// A view of the next `length` bytes, which are skipped.
  [[nodiscard]] std::span<const std::byte> view(std::size_t length) {
    return unpacker_->view(length);
  }
  [[nodiscard]] Unpacker& unpacker() { return *unpacker_; }
  void follow(Unpacker& unpacker) { unpacker_ = &unpacker; }

 private:
  Unpacker* unpacker_;
};

namespace detail {
/// One value, copied as bytes. Of the bytes only a bool's can be wrong: any other than 0 and 1
/// makes a value that is neither true nor false.
template <class Source, class T>
void read_plain(Source& source, T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    static_assert(sizeof(bool) == 1);
    unsigned char byte = 0;
    source.read(&byte, 1);
    if (byte > 1) throw MalformedMessage("a bool is neither true nor false");
    value = byte == 1;
  } else {
    source.read(&value, sizeof value);
  }
}
}  // namespace detail

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
template <detail::Bitwise T>
void CEREAL_SAVE_FUNCTION_NAME(PackArchive& archive, const T& value) {
  archive.write(&value, sizeof value);
}
template <detail::Bitwise T>
void CEREAL_LOAD_FUNCTION_NAME(UnpackArchive& archive, T& value) {
  archive.read(&value, sizeof value);
}
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
}
template <class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(UnpackArchive& archive, cereal::SizeTag<T>& tag) {
  archive(tag.size);
  // Every element occupies at least one byte here, so a larger count cannot be honest (no huge
  // allocation).
  if (static_cast<std::size_t>(tag.size) > archive.remaining()) {
    throw MalformedMessage("a container announces more elements than the message has bytes");
  }
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
template <class Archive, class Sequence>
void read_elements(Archive& archive, std::uint64_t count, Sequence& values) {
  if (count > archive.remaining() / sizeof(typename Sequence::value_type)) {
    throw MalformedMessage("a vector announces more elements than the message has bytes");
  }
  const auto size = static_cast<std::size_t>(count);
  using T = typename Sequence::value_type;
  if constexpr (requires(const T* elements) { values.assign(elements, elements); }) {
    // In one go, if they are aligned: resize() would write zeros first.
    const std::span<const std::byte> bytes = archive.view(size * sizeof(T));
    if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(T) == 0) {
      const T* const elements = reinterpret_cast<const T*>(bytes.data());
      values.assign(elements, elements + size);
      return;
    }
    values.resize(size);
    if (size > 0) std::memcpy(values.data(), bytes.data(), bytes.size());
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
// Asking cereal takes the compiler 30 ms per type.
template <class T>
constexpr bool has_serialisation() {
  if constexpr (std::is_arithmetic_v<T>) {
    return true;
  } else {
    return cereal::traits::is_output_serializable<T, PackArchive>::value &&
           cereal::traits::is_input_serializable<T, UnpackArchive>::value;
  }
}
}  // namespace detail

/// True if values of T can be sent, returned or migrated.
template <class T>
inline constexpr bool is_serialisable = detail::has_serialisation<T>();

}  // namespace roam::core

namespace roam {

// Deliberately incomplete: the compiler's one-line complaint names the rule and the type.
template <class Type>
struct this_type_cannot_be_serialised_so_give_it_a_serialize_member_or_save_and_load;
template <class Type>
struct this_type_must_be_default_constructible_to_be_rebuilt_on_another_rank;

namespace core {

/// Fails to compile, in one line naming T, unless values of T can travel. Call it as a plain
/// statement.
template <class T>
constexpr void require_serialisable() {
  if constexpr (!is_serialisable<T>) {
    (void)sizeof(this_type_cannot_be_serialised_so_give_it_a_serialize_member_or_save_and_load<T>);
  } else if constexpr (!std::is_default_constructible_v<T>) {
    (void)sizeof(this_type_must_be_default_constructible_to_be_rebuilt_on_another_rank<T>);
  }
}

namespace detail {
template <class T>
void pack_one(Packer& packer, const T& value) {
  if constexpr (Plain<T>) {
    packer.write(&value, sizeof value);
  } else if constexpr (is_plain_sequence<T>) {
    write_sequence(packer, value);
  } else {
    packer.archive()(value);
  }
}
template <class T>
void unpack_one(Unpacker& unpacker, T& value) {
  if constexpr (Plain<T>) {
    read_plain(unpacker, value);
  } else if constexpr (is_plain_sequence<T>) {
    read_sequence(unpacker, value);
  } else {
    unpacker.archive()(value);
  }
}
}  // namespace detail

/// Appends values in order.
template <class... Ts>
void pack(Packer& packer, const Ts&... values) {
  (require_serialisable<Ts>(), ...);
  if constexpr ((is_serialisable<Ts> && ...)) (detail::pack_one(packer, values), ...);
}

/// Appends a value converted to type T, without copying one that is a T already.
template <class T, class A>
void pack_as(Packer& packer, const A& value) {
  if constexpr (std::is_same_v<T, A>) {
    pack(packer, value);
  } else {
    const T converted = value;
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
  const T converted = value;
  std::memcpy(target, &converted, sizeof converted);
  target += sizeof converted;
}
}  // namespace detail

/// True for a tuple of values that are all copied as bytes: how many is known when compiling.
template <class Tuple>
inline constexpr bool is_plain_tuple = false;
template <class... T>
inline constexpr bool is_plain_tuple<std::tuple<T...>> = (detail::Plain<T> && ...);
/// Bytes that pack_tuple_as() appends for a plain tuple.
template <class Tuple>
inline constexpr std::size_t plain_tuple_bytes = 0;
template <class... T>
inline constexpr std::size_t plain_tuple_bytes<std::tuple<T...>> = (sizeof(T) + ... +
                                                                    std::size_t{0});

/// The same as pack_tuple_as() of a plain tuple, to memory with room for plain_tuple_bytes.
template <class... T, class... A>
void write_plain_tuple_as(std::type_identity<std::tuple<T...>>, [[maybe_unused]] std::byte* target,
                          const A&... values) {
  (detail::write_plain_as<T>(target, values), ...);
}

namespace detail {
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
[[nodiscard]] Tuple read_plain_tuple(const std::byte* bytes) {
  [[maybe_unused]] detail::PlainSource source{bytes};
  Tuple values{};
  std::apply([&](auto&... value) { (detail::read_plain(source, value), ...); }, values);
  return values;
}

/// Reads into a value that exists.
template <class T>
void unpack_into(Unpacker& unpacker, T& value) {
  detail::unpack_one(unpacker, value);
}

/// Reads one value of type T.
template <class T>
[[nodiscard]] T unpack(Unpacker& unpacker) {
  T value{};
  detail::unpack_one(unpacker, value);
  return value;
}

/// Reads the elements of a tuple in order.
template <class Tuple>
[[nodiscard]] Tuple unpack_tuple(Unpacker& unpacker) {
  Tuple values{};
  std::apply([&](auto&... value) { (detail::unpack_one(unpacker, value), ...); }, values);
  return values;
}

}  // namespace core
}  // namespace roam

CEREAL_REGISTER_ARCHIVE(roam::core::PackArchive)
CEREAL_REGISTER_ARCHIVE(roam::core::UnpackArchive)
CEREAL_SETUP_ARCHIVE_TRAITS(roam::core::UnpackArchive, roam::core::PackArchive)
