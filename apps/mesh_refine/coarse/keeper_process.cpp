// SPDX-License-Identifier: Apache-2.0
#include "coarse/keeper_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

extern char** environ;

namespace mesh_refine {
namespace {

constexpr int inherited_as = 3;  // in the shell; the descriptors below are the standard ones

pid_t start(std::vector<std::string> words, int input, const KeeperProcess::Options& options) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, options.output.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  if (options.inherited >= 0) {
    posix_spawn_file_actions_adddup2(&actions, options.inherited, inherited_as);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t child = -1;
  const int error = posix_spawn(&child, "/bin/sh", &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::system_error(error, std::generic_category(), "cannot start /bin/sh");
  return child;
}

}  // namespace

KeeperProcess::KeeperProcess(const std::string& script, const std::vector<std::string>& arguments,
                             const Options& options) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
  }
  std::vector<std::string> words{"/bin/sh", "-c", script, "keeper"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  try {
    process_ = start(std::move(words), ends[0], options);
  } catch (...) {
    ::close(ends[0]);
    ::close(ends[1]);
    throw;
  }
  ::close(ends[0]);
  lifeline_ = ends[1];
}

KeeperProcess::~KeeperProcess() {
  let_go();
  int status = 0;
  while (process_ > 0 && ::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
}

void KeeperProcess::let_go() {
  if (lifeline_ >= 0) ::close(lifeline_);
  lifeline_ = -1;
}

bool KeeperProcess::ended(int& wait_status, rusage& usage) {
  if (process_ <= 0 || ::wait4(process_, &wait_status, WNOHANG, &usage) != process_) return false;
  process_ = -1;
  return true;
}

}  // namespace mesh_refine
