// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph_settings.hpp"

namespace task_bench {

/// The command line.
struct Settings {
  std::vector<GraphSettings> graphs;  ///< one or more, whose tasks run beside each other
  std::string model = "flow";         ///< how the program is written, of those that there are
  int threads = 0;                    ///< OpenMP alone; 0: as many as it wants
  double iteration_seconds = 0;       ///< simulated machines alone
  std::int64_t planted = -1;          ///< see Graph
};

/// Reads Task Bench's command line: options of a graph (-steps, -width, -type, ...), with `-and` in
/// front of those of the next graph, which begins as the one before. `models`: what -model may be;
/// empty: there is no such option. Returns the status that the program is to end with, after -h
/// or a mistake, about which it prints a line; negative: go on.
int read_settings(int argc, char** argv, const std::vector<std::string>& models,
                  Settings& settings);

}  // namespace task_bench
