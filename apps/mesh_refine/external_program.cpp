// SPDX-License-Identifier: Apache-2.0
#include "external_program.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>

extern char** environ;

namespace mesh_refine {
namespace {

pid_t start(const std::vector<std::string>& arguments, const std::filesystem::path& log_file,
            const std::string& remedy) {
  std::vector<std::string> copy = arguments;
  std::vector<char*> argv;
  for (std::string& argument : copy) argv.push_back(argument.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log_file.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int error = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) {
    throw MissingProgram("the program '" + arguments[0] + "' is not installed; " + remedy);
  }
  if (error != 0) {
    throw std::system_error(error, std::generic_category(), "cannot start " + arguments[0]);
  }
  return child;
}

}  // namespace

ProgramResult run_program(const std::vector<std::string>& arguments,
                          const std::filesystem::path& log_file, std::chrono::milliseconds limit,
                          const std::string& remedy) {
  const pid_t child = start(arguments, log_file, remedy);
  ProgramResult result;
  const auto deadline = std::chrono::steady_clock::now() + limit;
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > deadline) {
      result.timed_out = true;
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  result.exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  std::ifstream log(log_file, std::ios::binary);
  result.output.assign(std::istreambuf_iterator<char>(log), std::istreambuf_iterator<char>());
  return result;
}

}  // namespace mesh_refine
