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
/// True if values of T can be written to an archive.
template <class T>
constexpr bool can_be_packed();
/// Fails to compile, with one line of explanation, if values of T cannot be written to an archive.
template <class T>
constexpr void require_packable();
/// True if values of T can be read from an archive. No explanation is needed where they cannot: the
/// compiler has refused the code that writes them.
template <class T>
constexpr bool can_be_unpacked();
/// @endcond

/// Appends values to a Buffer it owns. Grows as needed; throws std::bad_alloc only. Fill it with
/// pack().
class Packer {
 public:
  /// @cond
  explicit Packer(Buffer buffer) : buffer_(std::move(buffer)) {}
  /// A packer that stores nothing and only counts the bytes written: see counted().
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
  /// The number of bytes written so far.
  [[nodiscard]] std::size_t size() const { return buffer_.size(); }
  /// @cond
  [[nodiscard]] bool is_counting() const { return counts_; }
  [[nodiscard]] std::size_t counted() const { return counted_; }
  /// How many bytes have been written, whether they are stored or only counted.
  [[nodiscard]] std::size_t position() const { return counts_ ? counted_ : buffer_.size(); }
  [[nodiscard]] Buffer take() { return std::move(buffer_); }
  [[nodiscard]] Buffer& buffer() { return buffer_; }
  /// Gives the packer a place for one large array that travels beside the message. The outlet must
  /// outlive the writing, or be taken away again (nullptr). While there is one, the buffer grows in
  /// the outlet's pools, too.
  void set_outlet(ArrayOutlet* outlet) { outlet_ = outlet; }
  [[nodiscard]] bool has_outlet_for(std::size_t array_bytes) const {
    return outlet_ != nullptr && !outlet_->attachment.data &&
           array_bytes >= outlet_->smallest_bytes;
  }
  /// Puts an array into the outlet. Requires has_outlet_for(its bytes).
  void write_beside(const void* array, std::span<const std::byte> elements);
  /// The archive for values that are not plain bytes. It is made when first needed, because its
  /// tables cost more than a small message, and then lives as long as the packer, so that pointers
  /// shared between values are recognised.
  [[nodiscard]] PackArchive& archive();
  /// @endcond

 private:
  void append(const void* source, std::size_t length);
  void delete_archive();
  Buffer buffer_;
  ArrayOutlet* outlet_ = nullptr;
  PackArchive* archive_ = nullptr;  // owned
  bool counts_ = false;  // true: the buffer has capacity 0, so that all writes go to append()
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
  /// Returns a view of the next `length` bytes and skips them.
  [[nodiscard]] std::span<const std::byte> view(std::size_t length) {
    if (length > bytes_.size()) throw_truncated(length, bytes_.size());
    const auto part = bytes_.first(length);
    bytes_ = bytes_.subspan(length);
    return part;
  }
  /// The number of bytes that have not been read.
  [[nodiscard]] std::size_t remaining() const { return bytes_.size(); }
  /// @cond
  [[nodiscard]] UnpackArchive& archive();

  /// Sets what travelled beside the bytes, for an array among the values read. It must outlive the
  /// reading.
  void set_attachment(Attachment* attachment) { attachment_ = attachment; }
  /// True if the next bytes are those of the attachment.
  [[nodiscard]] bool is_at_attachment() const {
    return has_attachment() && attachment_->bytes_behind == bytes_.size();
  }
  /// True if an attachment came along and has not been taken.
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
  /// Writes members or elements. Fails to compile, with one line that names the type, if one of
  /// them cannot travel.
  template <class... T>
  PackArchive& operator()(T&&... values) {
    (require_packable<std::remove_cvref_t<T>>(), ...);
    if constexpr ((can_be_packed<std::remove_cvref_t<T>>() && ...))
      Base::operator()(std::forward<T>(values)...);
    return *this;
  }
  void write(const void* source, std::size_t length) { packer_->write(source, length); }
  /// Writes a whole value, for read_value() to read. If the value's containers have more elements
  /// than the value has bytes (elements without members write nothing), the missing bytes are
  /// appended. A reader may therefore refuse whatever announces more elements than there are bytes,
  /// without knowing the types.
  template <class T>
  void write_value(const T& value) {
    const std::size_t start = packer_->position();
    const std::uint64_t outer = std::exchange(announced_, 0);
    (*this)(value);
    if (announced_ > packer_->position() - start) fill_up(start);
    announced_ = outer;
  }
  /// Notes that a container of the value that is being written has this many elements.
  void announce(std::uint64_t elements) { announced_ += elements; }
  [[nodiscard]] Packer& packer() { return *packer_; }
  /// Tells the archive where its packer is after it has moved.
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
  /// than the value can have bytes. This prevents huge allocations and endless loops.
  void announce(std::uint64_t elements) {
    if (elements > bytes_of_value_ - announced_) throw_too_many();
    announced_ += elements;
  }
  [[nodiscard]] std::size_t remaining() const { return unpacker_->remaining(); }
  /// Returns a view of the next `length` bytes and skips them.
  [[nodiscard]] std::span<const std::byte> view(std::size_t length) {
    return unpacker_->view(length);
  }
  [[nodiscard]] Unpacker& unpacker() { return *unpacker_; }
  void follow(Unpacker& unpacker) { unpacker_ = &unpacker; }

 private:
  [[noreturn]] static void throw_too_many();
  Unpacker* unpacker_;
  std::size_t bytes_of_value_;  // at most: the bytes of the message from the value's start on
  std::uint64_t announced_ = 0;
};
/// @endcond

}  // namespace roam::core

CEREAL_REGISTER_ARCHIVE(roam::core::PackArchive)
CEREAL_REGISTER_ARCHIVE(roam::core::UnpackArchive)
CEREAL_SETUP_ARCHIVE_TRAITS(roam::core::UnpackArchive, roam::core::PackArchive)
