// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "roam/core/types.hpp"

namespace roam::transport {

/// Where a process runs, as far as others need to know.
struct ProcessPlace {
  std::string machine;    // equal for all processes of one running system
  std::string processes;  // equal for processes that see each other's process numbers; empty: the
                          // system cannot watch processes
  pid_t process = 0;
  std::string host;  // the machine's name, for reports
};
[[nodiscard]] ProcessPlace place_of_this_process();

/// Notices the end of other processes of this machine, whatever its cause. One thread at a time.
class ProcessWatch {
 public:
  /// Throws roam::Error if the system has no more file descriptors.
  ProcessWatch();
  ProcessWatch(const ProcessWatch&) = delete;
  ProcessWatch& operator=(const ProcessWatch&) = delete;
  ~ProcessWatch();

  /// Watches a process. Requires that the process's place has the same `processes`, not empty.
  /// False if the process is gone.
  [[nodiscard]] bool add(Rank rank, pid_t process);
  /// A process that has ended; each is given once. One system call, which does not block.
  [[nodiscard]] std::optional<Rank> ended();

 private:
  int epoll_ = -1;
  std::vector<int> descriptors_;
};

}  // namespace roam::transport
