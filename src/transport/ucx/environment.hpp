// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace roam::transport {

/// True if ROAM_UCX_RANK, ROAM_UCX_SIZE or ROAM_UCX_ROOT is set: then this process is to find the
/// others over UCX without a launcher.
[[nodiscard]] bool names_ucx_meeting();

}  // namespace roam::transport
