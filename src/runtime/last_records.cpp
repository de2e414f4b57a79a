// SPDX-License-Identifier: Apache-2.0
#include "runtime/last_records.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "roam/trace/detail/chrome_trace.hpp"

namespace roam {

std::string LastRecords::file_of(const std::string& path, Rank first) {
  return first == 0 ? path : path + ".rank" + std::to_string(first.value());
}

void LastRecords::remove_older(const std::string& path, Rank first) {
  if (!path.empty() && first != 0) static_cast<void>(std::remove(file_of(path, first).c_str()));
}

void LastRecords::add(const std::string& path, trace::RunTrace&& run) {
  const std::lock_guard guard(mutex_);
  if (is_written_) return;
  if (path_.empty()) {
    path_ = path;
    run_ = std::move(run);
    return;
  }
  run_.makespan_seconds = std::max(run_.makespan_seconds, run.makespan_seconds);
  for (trace::RankTrace& rank : run.rank_traces) run_.rank_traces.push_back(std::move(rank));
}

void LastRecords::add_problem(const std::string& what) {
  const std::lock_guard guard(mutex_);
  problems_ += "roam: " + what + "\n";
}

void LastRecords::write(const std::string& reason) {
  const std::lock_guard guard(mutex_);
  if (std::exchange(is_written_, true)) return;
  if (!path_.empty()) {
    run_.ended_by = reason;
    std::ranges::sort(run_.rank_traces, {},
                      [](const trace::RankTrace& one) { return one.rank.value(); });
    try {
      trace::write_chrome_trace(file_of(path_, run_.rank_traces.front().rank), run_);
    } catch (const std::exception& error) {
      problems_ += std::string("roam: ") + error.what() + "\n";
    }
  }
  std::fputs(problems_.c_str(), stderr);
}

}  // namespace roam
