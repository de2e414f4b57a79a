// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <string>

#include "roam/trace/run_trace.hpp"

namespace roam {

/// What a job that fails leaves behind of the ranks in this process. A job that fails cannot rely
/// on its network any more, so each process writes what it has: one trace for all of its ranks, the
/// process of rank 0 to the file that was asked for, any other to a file beside it that has its
/// first rank in its name. Thread-safe.
class LastRecords {
 public:
  /// `run` has the trace of one rank.
  void add(const std::string& path, trace::RunTrace&& run);
  /// Something could not be written.
  void add_problem(const std::string& what);
  /// Writes the trace of all ranks that have been added and says on standard error what could not
  /// be written. `reason`: why the job ended. Does nothing the second time.
  void write(const std::string& reason);

  /// The name of the file that a process writes whose first rank is this one.
  [[nodiscard]] static std::string file_of(const std::string& path, Rank first);
  /// Removes what an earlier job has left under that name; not the file that was asked for.
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
