// SPDX-License-Identifier: Apache-2.0
#include "transport/mpi/mpi_error.hpp"

#include <array>

#include "roam/core/error.hpp"

namespace roam::transport {

std::string mpi_error_text(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS)
    return "MPI error " + std::to_string(code);
  return {text.data(), static_cast<std::size_t>(length)};
}

void check_mpi(int code, const char* call) {
  if (code != MPI_SUCCESS) throw Error(std::string(call) + ": " + mpi_error_text(code));
}

}  // namespace roam::transport
