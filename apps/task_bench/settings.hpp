// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph_settings.hpp"

namespace task_bench {

/// The command line.
struct Settings {
  std::vector<GraphSettings> graphs;  ///< one or more, which run concurrently
  std::string model = "flow";         ///< name of the implementation
  int threads = 0;                    ///< of OpenMP and StarPU; 0: their default
  double iteration_seconds = 0;       ///< on simulated machines only
  std::int64_t planted = -1;          ///< see Graph
};

/// Reads Task Bench's command line: options of a graph (-steps, -width, -type, ...), with `-and`
/// before those of the next graph, which starts with the values of the one before. `models`:
/// allowed values of -model; empty: there is no such option. Returns the exit status if the program
/// should end, after -h or an error, which is reported in one line; negative: continue.
int read_settings(int argc, char** argv, const std::vector<std::string>& models,
                  Settings& settings);

}  // namespace task_bench
