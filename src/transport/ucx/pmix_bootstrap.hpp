// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "roam/transport/ucx/bootstrap.hpp"

namespace roam::transport {

/// Makes a bootstrap that uses the PMIx server of the launcher that started this process. Throws
/// roam::Error if this build has no PMIx, or if there is no server.
[[nodiscard]] std::unique_ptr<Bootstrap> make_pmix_bootstrap();

}  // namespace roam::transport
