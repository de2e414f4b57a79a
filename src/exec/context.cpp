// SPDX-License-Identifier: Apache-2.0
#include "roam/exec/context.hpp"

namespace roam::exec {

Context* current() { return detail::current_context; }

}  // namespace roam::exec
