// SPDX-License-Identifier: Apache-2.0
#include "roam/exec/detail/services.hpp"

namespace roam::exec::detail {

namespace {
// Initialised at compile time, and written during static initialisation alone.
constinit std::size_t count = 0;
}  // namespace

std::size_t take_service_number() { return count++; }
std::size_t service_count() { return count; }

}  // namespace roam::exec::detail
