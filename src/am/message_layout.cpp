// SPDX-License-Identifier: Apache-2.0
#include "roam/am/detail/message_layout.hpp"

#include <string>

#include "roam/core/error.hpp"

namespace roam::am::detail {

void throw_other_length(std::string_view what) {
  throw MalformedMessage(std::string(what) + " of another length than its fields have");
}

void throw_no_bool() { throw MalformedMessage("a bool is neither true nor false"); }

}  // namespace roam::am::detail
