// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <roam/flow/flow.hpp>
#include <roam/roam.hpp>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// Rows of 64 data, each written from three of the row before, by tasks with an empty body.
inline constexpr std::size_t row_width = 64;

inline void row_task(const double&, const double&, const double&, double&) {}

/// Issues `rows` rows on one rank with `workers` workers, one of which issues; `seen(s)` is called
/// before row s. Each `together` rows, an even number, are one graph; 0: there are no graphs.
/// `backend` runs the tasks. Returns seconds per task.
inline double run_rows(int rows, roam::WorkerIndex workers, std::uint32_t window,
                       const std::function<void(int)>& seen = {}, int together = 0,
                       const std::string& backend = "roam") {
  roam::Options options;
  options.ranks = 1;
  options.workers = workers;
  options.transport = "in-process";
  options.edit<roam::FlowOptions>().window = window;
  options.edit<roam::FlowOptions>().backend = backend;
  double seconds = 0;
  const auto program = [&](roam::Runtime& rt) -> roam::Task<> {
    roam::flow::Flow fl(rt);
    std::array<std::vector<roam::flow::Handle<double>>, 2> data;
    for (auto& row : data) {
      for (std::size_t i = 0; i < row_width; ++i) row.push_back(fl.data(0.0));
    }
    const auto issue_row = [&](int s) {
      if (seen) seen(s);
      const auto& from = data[static_cast<std::size_t>(s % 2)];
      const auto& to = data[static_cast<std::size_t>(1 - s % 2)];
      for (std::size_t i = 0; i < row_width; ++i)
        fl.work<&row_task>(from[(i + row_width - 1) % row_width], from[i],
                           from[(i + 1) % row_width], to[i]);
    };
    const auto begin = std::chrono::steady_clock::now();
    for (int s = 0; s < rows; s += std::max(together, 1)) {
      if (together == 0) {
        issue_row(s);
        continue;
      }
      fl.graph("rows", [&] {
        for (int k = 0; k < together; ++k) issue_row(s + k);
      });
    }
    co_await fl.done();
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  if (roam::run(options, program) != 0) std::exit(1);
  return seconds / (static_cast<double>(rows) * row_width);
}

}  // namespace bench
