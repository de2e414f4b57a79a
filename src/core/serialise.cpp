// SPDX-License-Identifier: Apache-2.0
#include "roam/core/serialise.hpp"

#include <algorithm>
#include <utility>

#include "roam/core/detail/buffer_pools.hpp"

namespace roam::core {

Packer::Packer(Packer&& other) noexcept
    : buffer_(std::move(other.buffer_)),
      outlet_(other.outlet_),
      archive_(std::exchange(other.archive_, nullptr)),
      counts_(other.counts_),
      counted_(other.counted_) {
  if (archive_ != nullptr) archive_->follow(*this);
}

Packer& Packer::operator=(Packer&& other) noexcept {
  std::swap(buffer_, other.buffer_);
  std::swap(outlet_, other.outlet_);
  std::swap(archive_, other.archive_);
  std::swap(counts_, other.counts_);
  std::swap(counted_, other.counted_);
  if (archive_ != nullptr) archive_->follow(*this);
  if (other.archive_ != nullptr) other.archive_->follow(other);
  return *this;
}

PackArchive& Packer::archive() {
  if (archive_ == nullptr) archive_ = new PackArchive(*this);
  return *archive_;
}

void Packer::delete_archive() { delete archive_; }

void Packer::append(const void* source, std::size_t length) {
  if (counts_) {
    counted_ += length;
    return;
  }
  const std::size_t size = buffer_.size();
  if (outlet_ != nullptr && length > buffer_.capacity() - size) {
    Buffer larger = outlet_->pools->take(std::max(size + length, 2 * buffer_.capacity()));
    larger.append(buffer_.data(), size);
    buffer_ = std::move(larger);
  }
  buffer_.append(source, length);
}

void Packer::write_beside(const void* array, std::span<const std::byte> elements) {
  outlet_->place = buffer_.size();
  Buffer& data = outlet_->attachment.data;
  if (outlet_->lender != nullptr) data = outlet_->lender->lend(array, elements);
  if (data) return;
  data = outlet_->pools->take(elements.size());
  data.append(elements.data(), elements.size());
}

Unpacker::Unpacker(Unpacker&& other) noexcept
    : bytes_(other.bytes_),
      archive_(std::exchange(other.archive_, nullptr)),
      attachment_(other.attachment_) {
  if (archive_ != nullptr) archive_->follow(*this);
}

Unpacker& Unpacker::operator=(Unpacker&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  std::swap(attachment_, other.attachment_);
  std::swap(archive_, other.archive_);
  if (archive_ != nullptr) archive_->follow(*this);
  if (other.archive_ != nullptr) other.archive_->follow(other);
  return *this;
}

UnpackArchive& Unpacker::archive() {
  if (archive_ == nullptr) archive_ = new UnpackArchive(*this);
  return *archive_;
}

void Unpacker::delete_archive() { delete archive_; }

void PackArchive::fill_up(std::size_t start) {
  constexpr std::byte zeros[256] = {};
  std::uint64_t missing = announced_ - (packer_->position() - start);
  while (missing > 0) {
    const std::uint64_t part = std::min<std::uint64_t>(missing, sizeof zeros);
    write(zeros, static_cast<std::size_t>(part));
    missing -= part;
  }
}

void UnpackArchive::throw_too_many() {
  throw MalformedMessage("a container announces more elements than the message has bytes");
}

void detail::throw_load_has_left(std::string_view type, std::size_t left) {
  throw MalformedMessage(std::string(type) + ": its load has left " + std::to_string(left) +
                         " of the bytes that its save has written");
}

void detail::throw_load_wants_more(std::string_view type, const char* why) {
  throw MalformedMessage(std::string(type) + ": its load reads more than its save has written (" +
                         why + ")");
}

void Unpacker::throw_truncated(std::size_t wanted, std::size_t left) {
  throw MalformedMessage("message ends early: " + std::to_string(wanted) + " bytes wanted, " +
                         std::to_string(left) + " left");
}

}  // namespace roam::core
