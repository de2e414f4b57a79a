// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "roam/mobile/detail/element_listener.hpp"
#include "roam/mobile/detail/residents.hpp"

namespace roam::mobile {

/// Handles calls and operations whose object does not exist (M8).
class DeadLetters {
 public:
  explicit DeadLetters(Residents& residents) : residents_(residents) {}
  /// Sets the handler of those that nobody awaits. Before the first step.
  void set_handler(std::function<void(const std::string&)> handler) {
    handler_ = std::move(handler);
  }
  /// Sets the listener for parts of operations on collections, and for ends of elements. Before the
  /// first step.
  void set_elements(ElementListener* listener) { elements_ = listener; }
  [[nodiscard]] ElementListener* elements() const { return elements_; }
  /// Handles a call to an object that does not exist.
  void lose(const CallHeader& header);
  /// Handles any other operation on such an object: tells the coroutine that awaits it, or the
  /// handler, or reports an error.
  void lose(const am::ReplyTo& reply_to, const std::string& text);
  /// Called when an object whose home is this rank has ended.
  void element_ended(ObjectId id) {
    if (id.is_element() && elements_ != nullptr) elements_->element_ended(id);
  }

 private:
  Residents& residents_;
  ElementListener* elements_ = nullptr;
  std::function<void(const std::string&)> handler_;
};

}  // namespace roam::mobile
