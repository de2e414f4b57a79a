// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace roam::transport {

/// The program that started this process as one of several (mpirun, mpiexec, srun), as the
/// environment shows it.
struct Launcher {
  std::string variable;               // the environment variable it was recognised by
  std::optional<std::int32_t> ranks;  // how many it started, if it tells
  std::optional<std::int32_t> rank;   // which of them this process is, if it tells
};

/// The launcher of this process; nullopt if the process was started without one.
[[nodiscard]] std::optional<Launcher> detect_launcher();

}  // namespace roam::transport
