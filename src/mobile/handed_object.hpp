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

/// The state of an object that changes hands by pointer between two ranks of one process. Its
/// source keeps this until the target has answered (M6), and a buffer that travels beside the
/// message refers to it: where a job ends, the network may be the last to let go of that buffer, or
/// the target may look at it when the source is gone. Whoever is first takes the state, once.
class HandedObject final : public core::Lender {
 public:
  HandedObject(const ObjectType& type, void* object) : type_(type), object_(object) {}
  HandedObject(const HandedObject&) = delete;
  HandedObject& operator=(const HandedObject&) = delete;

  /// The buffer by which the target finds it. Once for each.
  [[nodiscard]] static core::Buffer buffer_for(std::shared_ptr<HandedObject> handed) {
    HandedObject& its = *handed;
    its.for_buffer_ = std::move(handed);
    return core::Buffer::borrow(its.contents_, &its);
  }
  /// What arrived beside a message; nullptr if that is something else, or nothing.
  [[nodiscard]] static HandedObject* of(const core::Attachment* attachment) {
    return attachment == nullptr ? nullptr : dynamic_cast<HandedObject*>(attachment->data.lender());
  }

  [[nodiscard]] const ObjectType& type() const { return type_; }
  /// The state, which is the caller's from then on; nullptr if somebody has taken it. Any thread.
  [[nodiscard]] void* take() { return object_.exchange(nullptr, std::memory_order_acq_rel); }
  /// The source ends, and with it the state if nobody has taken it.
  void end() {
    if (void* const object = take()) type_.functions().destroy(object);
  }
  void take_back(std::span<std::byte> /*memory*/) noexcept override {
    const std::shared_ptr<HandedObject> last = std::move(for_buffer_);  // the last one, perhaps
  }

 private:
  const ObjectType& type_;
  std::atomic<void*> object_;
  std::array<std::byte, 8> contents_{};  // none: a message's attachment cannot be empty
  std::shared_ptr<HandedObject> for_buffer_;
};

}  // namespace roam::mobile
