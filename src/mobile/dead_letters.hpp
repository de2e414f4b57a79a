// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "roam/mobile/detail/element_listener.hpp"
#include "roam/mobile/detail/residents.hpp"

namespace roam::mobile {

/// What becomes of calls and operations whose object does not exist (M8).
class DeadLetters {
 public:
  explicit DeadLetters(Residents& residents) : residents_(residents) {}
  /// Receives those that nobody awaits. Before the first step.
  void set_handler(std::function<void(const std::string&)> handler) {
    handler_ = std::move(handler);
  }
  /// Receives parts of operations on collections, and ends of elements. Before the first step.
  void set_elements(ElementListener* listener) { elements_ = listener; }
  [[nodiscard]] ElementListener* elements() const { return elements_; }
  /// A call to an object that does not exist.
  void lose(const CallHeader& header);
  /// An operation on nothing: tells who awaits it, or the handler, or reports an error.
  void lose(const am::ReplyTo& reply_to, const std::string& text);
  /// An object of this home has ended.
  void element_ended(ObjectId id) {
    if (id.is_element() && elements_ != nullptr) elements_->element_ended(id);
  }

 private:
  Residents& residents_;
  ElementListener* elements_ = nullptr;
  std::function<void(const std::string&)> handler_;
};

}  // namespace roam::mobile
