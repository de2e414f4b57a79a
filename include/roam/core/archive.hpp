// SPDX-License-Identifier: Apache-2.0
#pragma once

// The bytes of messages, written and read, and the archives that cereal's conventions write to and
// read from.
#include <cereal/cereal.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

#include "roam/core/detail/attachment.hpp"
#include "roam/core/detail/buffer.hpp"
#include "roam/core/error.hpp"

namespace roam::core {

/// @cond
class PackArchive;
class UnpackArchive;
/// @endcond

/// @cond
/// True if there is a way to write values of T to an archive.
template <class T>
constexpr bool can_be_packed();
/// Fails to compile, in one line, unless there is.
template <class T>
constexpr void require_packable();
/// The same of reading; who writes has been told.
template <class T>
constexpr bool can_be_unpacked();
/// @endcond

/// Appends values to a Buffer it owns. Grows as needed; throws std::bad_alloc only. Fill it with
/// pack().
class Packer {
 public:
  /// @cond
  explicit Packer(Buffer buffer) : buffer_(std::move(buffer)) {}
  /// One that keeps nothing: counted() tells how many bytes were written.
  [[nodiscard]] static Packer counting() {
    Packer packer{Buffer()};
    packer.counts_ = true;
    return packer;
  }
  /// @endcond
  Packer(Packer&&) noexcept;
  Packer& operator=(Packer&&) noexcept;
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;
  ~Packer() {
    if (archive_ != nullptr) delete_archive();
  }

  /// Appends bytes as they are.
  void write(const void* source, std::size_t length) {
    const std::size_t size = buffer_.size();
    if (length > buffer_.capacity() - size) {
      append(source, length);
    } else if (length > 0) {
      std::memcpy(buffer_.data() + size, source, length);
      buffer_.set_size(size + length);
    }
  }
  /// Bytes so far.
  [[nodiscard]] std::size_t size() const { return buffer_.size(); }
  /// @cond
  [[nodiscard]] std::size_t counted() const { return counted_; }
  /// How many bytes have been written, whether they are kept or only counted.
  [[nodiscard]] std::size_t position() const { return counts_ ? counted_ : buffer_.size(); }
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
  /// @endcond

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
  /// Reads these bytes, which must stay where they are until all has been read.
  explicit Unpacker(std::span<const std::byte> bytes) : bytes_(bytes) {}
  Unpacker(Unpacker&&) noexcept;
  Unpacker& operator=(Unpacker&&) noexcept;
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;
  ~Unpacker() {
    if (archive_ != nullptr) delete_archive();
  }

  /// Copies the next bytes.
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
  /// Bytes that have not been read.
  [[nodiscard]] std::size_t remaining() const { return bytes_.size(); }
  /// @cond
  [[nodiscard]] UnpackArchive& archive();

  /// What travelled beside the bytes, for an array among what is read; must outlive the reading.
  void set_attachment(Attachment* attachment) { attachment_ = attachment; }
  /// True if the next bytes are those of the attachment.
  [[nodiscard]] bool is_at_attachment() const {
    return has_attachment() && attachment_->bytes_behind == bytes_.size();
  }
  /// True until it has been taken.
  [[nodiscard]] bool has_attachment() const { return attachment_ != nullptr && attachment_->data; }
  [[nodiscard]] const Attachment* attachment() const { return attachment_; }
  [[nodiscard]] Buffer take_attachment() { return std::move(attachment_->data); }
  /// @endcond

 private:
  [[noreturn]] static void throw_truncated(std::size_t wanted, std::size_t left);
  void delete_archive();
  std::span<const std::byte> bytes_;
  UnpackArchive* archive_ = nullptr;  // owned
  Attachment* attachment_ = nullptr;
};

/// @cond
/// What a type's own serialisation writes to.
class PackArchive : public cereal::OutputArchive<PackArchive, cereal::AllowEmptyClassElision> {
 public:
  using Base = cereal::OutputArchive<PackArchive, cereal::AllowEmptyClassElision>;
  explicit PackArchive(Packer& packer) : Base(this), packer_(&packer) {}
  /// Writes members or elements. Fails to compile, in one line naming its type, if one of them
  /// cannot travel.
  template <class... T>
  PackArchive& operator()(T&&... values) {
    (require_packable<std::remove_cvref_t<T>>(), ...);
    if constexpr ((can_be_packed<std::remove_cvref_t<T>>() && ...))
      Base::operator()(std::forward<T>(values)...);
    return *this;
  }
  void write(const void* source, std::size_t length) { packer_->write(source, length); }
  /// A whole value, as read_value() reads it: if its containers have more elements than it has
  /// bytes, since elements write nothing, the missing bytes follow it. A reader may then refuse
  /// whatever announces more elements than there are bytes, without knowing the types.
  template <class T>
  void write_value(const T& value) {
    const std::size_t start = packer_->position();
    const std::uint64_t outer = std::exchange(announced_, 0);
    (*this)(value);
    if (announced_ > packer_->position() - start) fill_up(start);
    announced_ = outer;
  }
  /// A container of the value that is being written has so many elements.
  void announce(std::uint64_t elements) { announced_ += elements; }
  [[nodiscard]] Packer& packer() { return *packer_; }
  /// The packer has moved.
  void follow(Packer& packer) { packer_ = &packer; }

 private:
  void fill_up(std::size_t start);
  Packer* packer_;
  std::uint64_t announced_ = 0;
};

/// What a type's own serialisation reads from.
class UnpackArchive : public cereal::InputArchive<UnpackArchive, cereal::AllowEmptyClassElision> {
 public:
  using Base = cereal::InputArchive<UnpackArchive, cereal::AllowEmptyClassElision>;
  explicit UnpackArchive(Unpacker& unpacker)
      : Base(this), unpacker_(&unpacker), bytes_of_value_(unpacker.remaining()) {}
  /// Reads members or elements; compiles if PackArchive does.
  template <class... T>
  UnpackArchive& operator()(T&&... values) {
    if constexpr ((can_be_unpacked<std::remove_cvref_t<T>>() && ...))
      Base::operator()(std::forward<T>(values)...);
    return *this;
  }
  void read(void* target, std::size_t length) { unpacker_->read(target, length); }
  template <class T>
  void read_value(T& value) {
    const std::size_t start = unpacker_->remaining();
    const std::size_t outer_bytes = std::exchange(bytes_of_value_, start);
    const std::uint64_t outer = std::exchange(announced_, 0);
    (*this)(value);
    const std::size_t taken = start - unpacker_->remaining();
    if (announced_ > taken)
      static_cast<void>(unpacker_->view(static_cast<std::size_t>(announced_) - taken));
    announced_ = outer;
    bytes_of_value_ = outer_bytes;
  }
  /// Throws MalformedMessage if the containers of the value that is being read have more elements
  /// than it can have bytes: no huge allocation, no endless loop.
  void announce(std::uint64_t elements) {
    if (elements > bytes_of_value_ - announced_) throw_too_many();
    announced_ += elements;
  }
  [[nodiscard]] std::size_t remaining() const { return unpacker_->remaining(); }
  /// A view of the next `length` bytes, which are skipped.
  [[nodiscard]] std::span<const std::byte> view(std::size_t length) {
    return unpacker_->view(length);
  }
  [[nodiscard]] Unpacker& unpacker() { return *unpacker_; }
  void follow(Unpacker& unpacker) { unpacker_ = &unpacker; }

 private:
  [[noreturn]] static void throw_too_many();
  Unpacker* unpacker_;
  std::size_t bytes_of_value_;  // at most: what the message has from its start
  std::uint64_t announced_ = 0;
};
/// @endcond

}  // namespace roam::core

CEREAL_REGISTER_ARCHIVE(roam::core::PackArchive)
CEREAL_REGISTER_ARCHIVE(roam::core::UnpackArchive)
CEREAL_SETUP_ARCHIVE_TRAITS(roam::core::UnpackArchive, roam::core::PackArchive)
