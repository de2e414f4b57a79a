// SPDX-License-Identifier: Apache-2.0
#include "roam/mobile/self.hpp"

#include "roam/core/error.hpp"
#include "roam/exec/context.hpp"

namespace roam::mobile::detail {

ObjectId current_object() {
  const exec::Context* const context = exec::current();
  if (context == nullptr || !context->subject) {
    throw Error(
        "roam::self() was called where no method of an object runs; handlers of ranks and main "
        "programs are not objects");
  }
  return context->subject;
}

}  // namespace roam::mobile::detail
