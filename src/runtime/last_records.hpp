// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <string>

#include "roam/trace/run_trace.hpp"

namespace roam {

/// Collects what the ranks of this process leave behind when a job fails. Such a job cannot rely on
/// its network any more, so each process writes its own trace for all of its ranks: the process of
/// rank 0 to the file that was asked for, any other to a file beside it whose name contains its
/// first rank. Thread-safe.
class LastRecords {
 public:
  /// Adds a trace; `run` contains that of one rank.
  void add(const std::string& path, trace::RunTrace&& run);
  /// Records that something could not be written.
  void add_problem(const std::string& what);
  /// Writes the trace of all ranks that have been added and says on standard error what could not
  /// be written. `reason`: why the job ended. Does nothing the second time.
  void write(const std::string& reason);

  /// The name of the file written by the process whose first rank is `first`.
  [[nodiscard]] static std::string file_of(const std::string& path, Rank first);
  /// Removes what an earlier job has left under that name, but never the file that was asked for.
  static void remove_older(const std::string& path, Rank first);

 private:
  std::mutex mutex_;
  // Under mutex_:
  std::string path_;
  trace::RunTrace run_;
  std::string problems_;
  bool is_written_ = false;
};

}  // namespace roam
