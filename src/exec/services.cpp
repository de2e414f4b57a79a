// SPDX-License-Identifier: Apache-2.0
#include "roam/exec/detail/services.hpp"

#include <algorithm>
#include <utility>

namespace roam::exec::detail {

namespace {
// Initialised at compile time, and written during static initialisation alone.
constinit std::size_t count = 0;
}  // namespace

std::size_t take_service_number() { return count++; }
std::size_t service_count() { return count; }

}  // namespace roam::exec::detail

namespace roam::exec {

void Services::grow(std::size_t size) {
  Services larger(size);
  std::copy_n(places_.get(), size_, larger.places_.get());
  *this = std::move(larger);
}

}  // namespace roam::exec
