// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "roam/core/object_id.hpp"

namespace roam::mobile {
struct Record;
}  // namespace roam::mobile

namespace roam::balance {

/// Seconds of unfinished work of an object, from the program's own knowledge; negative: not known,
/// use what was announced and measured. Called by whichever thread looks at the loads, perhaps
/// under a directory lock: must be quick and call nothing of Roam.
using LoadModel = std::function<double(ObjectId, const mobile::Record&)>;

}  // namespace roam::balance
