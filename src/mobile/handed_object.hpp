// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "roam/core/detail/attachment.hpp"
#include "roam/core/detail/buffer.hpp"
#include "roam/mobile/object_type.hpp"

namespace roam::mobile {

/// The state of an object that is handed over by pointer between two ranks of one process. The
/// source keeps this until the target has answered (M6), and a buffer that is sent beside the
/// message refers to it. When a job ends, the network may release that buffer last, or the target
/// may look at it after the source has ended. Whichever comes first takes the state, once.
class HandedObject final : public core::Lender {
 public:
  HandedObject(const ObjectType& type, void* object) : type_(type), object_(object) {}
  HandedObject(const HandedObject&) = delete;
  HandedObject& operator=(const HandedObject&) = delete;

  /// The buffer by which the target finds it. Called once for each object.
  [[nodiscard]] static core::Buffer buffer_for(std::shared_ptr<HandedObject> handed) {
    HandedObject& its = *handed;
    its.for_buffer_ = std::move(handed);
    return core::Buffer::borrow(its.contents_, &its);
  }
  /// The handed object in what arrived beside a message; nullptr if that is something else, or
  /// nothing.
  [[nodiscard]] static HandedObject* of(const core::Attachment* attachment) {
    return attachment == nullptr ? nullptr : dynamic_cast<HandedObject*>(attachment->data.lender());
  }

  [[nodiscard]] const ObjectType& type() const { return type_; }
  /// Takes the state, which then belongs to the caller; nullptr if it has been taken before. Any
  /// thread.
  [[nodiscard]] void* take() { return object_.exchange(nullptr, std::memory_order_acq_rel); }
  /// Called when the source ends: destroys the state if nobody has taken it.
  void end() {
    if (void* const object = take()) type_.functions().destroy(object);
  }
  void take_back(std::span<std::byte> /*memory*/) noexcept override {
    // This may be the last reference.
    const std::shared_ptr<HandedObject> last = std::move(for_buffer_);
  }

 private:
  const ObjectType& type_;
  std::atomic<void*> object_;
  std::array<std::byte, 8> contents_{};  // without meaning: a message's attachment cannot be empty
  std::shared_ptr<HandedObject> for_buffer_;
};

}  // namespace roam::mobile
