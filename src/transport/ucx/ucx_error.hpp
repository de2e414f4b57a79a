// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ucs/type/status.h>

namespace roam::transport {

/// Throws roam::Error naming the call and UCX's text, unless status is UCS_OK.
void check_ucx(ucs_status_t status, const char* call);

}  // namespace roam::transport
