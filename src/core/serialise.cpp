// SPDX-License-Identifier: Apache-2.0
#include "roam/core/serialise.hpp"

namespace roam::core {

void Unpacker::throw_truncated(std::size_t wanted, std::size_t left) {
  throw MalformedMessage("message ends early: " + std::to_string(wanted) + " bytes wanted, " +
                         std::to_string(left) + " left");
}

}  // namespace roam::core
