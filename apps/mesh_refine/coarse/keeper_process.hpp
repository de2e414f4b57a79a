// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace mesh_refine {

/// A shell that does one thing when this process ends, however it ends (SIGKILL included): it waits
/// for the end of its standard input, a pipe whose other end only this process holds. It belongs to
/// a process group of its own, so that an interruption from the keyboard does not end it first.
/// Not thread-safe.
class KeeperProcess {
 public:
  struct Options {
    std::filesystem::path output = "/dev/null";  ///< of the shell and what it starts
    int inherited = -1;  ///< a descriptor that the shell and what it starts keep open
  };

  /// Runs `script` by /bin/sh with `arguments` as $1, $2, ... Throws std::system_error.
  KeeperProcess(const std::string& script, const std::vector<std::string>& arguments,
                const Options& options);
  /// Closes the pipe and waits for the shell.
  ~KeeperProcess();
  KeeperProcess(const KeeperProcess&) = delete;
  KeeperProcess& operator=(const KeeperProcess&) = delete;

  /// The end of the pipe that keeps the shell waiting; whoever inherits it does so as well.
  [[nodiscard]] int lifeline() const { return lifeline_; }

  /// Ends the shell's standard input.
  void let_go();

  /// Whether the shell has ended; if so, how. Does not block.
  [[nodiscard]] bool ended(int& wait_status, rusage& usage);

 private:
  pid_t process_ = -1;  ///< -1 once it has been waited for
  int lifeline_ = -1;
};

}  // namespace mesh_refine
