// SPDX-License-Identifier: Apache-2.0
#include "roam/runtime/detail/rank_locals.hpp"

namespace roam::detail {

namespace {
// Constant-initialised, and written during static initialisation alone.
constinit std::size_t count_of_locals = 0;
}  // namespace

std::size_t take_local_number() { return count_of_locals++; }
std::size_t local_count() { return count_of_locals; }

}  // namespace roam::detail
