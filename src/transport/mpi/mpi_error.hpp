// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "roam/transport/mpi/mpi_network.hpp"

namespace roam::transport {

/// MPI's text for an error code.
[[nodiscard]] std::string mpi_error_text(int code);
/// Throws roam::Error naming the call and MPI's text, unless code is MPI_SUCCESS.
void check_mpi(int code, const char* call);

}  // namespace roam::transport
