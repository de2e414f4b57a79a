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
  std::optional<std::int32_t> ranks;  // how many it started, if it says so
  std::optional<std::int32_t> rank;   // which of them this one is, if it says so
};

/// Empty if this process was started by itself.
[[nodiscard]] std::optional<Launcher> detect_launcher();

}  // namespace roam::transport
