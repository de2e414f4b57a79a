// SPDX-License-Identifier: Apache-2.0
#include "coarse/external_program.hpp"

#include <sys/resource.h>
#include <sys/wait.h>

#include <fstream>
#include <iterator>
#include <thread>

#include "coarse/keeper_process.hpp"

namespace mesh_refine {
namespace {

constexpr int not_found = 127;

/// Runs the program until it ends or standard input does, whichever is first.
constexpr auto keeper_script = R"(
exec 4<&0 </dev/null
command -v "$1" >/dev/null || exit 127
"$@" 4<&- &
program=$!
{ while read -r nothing; do :; done <&4; kill -KILL "$program"; } 2>/dev/null &
watcher=$!
wait "$program"
status=$?
kill "$watcher" 2>/dev/null
exit "$status"
)";

}  // namespace

ProgramResult run_program(const std::vector<std::string>& arguments,
                          const TemporaryDirectory& directory, std::chrono::milliseconds limit,
                          const std::string& remedy) {
  using clock = std::chrono::steady_clock;
  const std::filesystem::path log_file = directory.path() / "log";
  const auto start = clock::now();
  KeeperProcess keeper(keeper_script, arguments,
                       {.output = log_file, .inherited = directory.lifeline()});
  ProgramResult result;
  int status = 0;
  rusage usage{};
  while (!keeper.ended(status, usage)) {
    if (!result.timed_out && clock::now() > start + limit) {
      result.timed_out = true;
      keeper.let_go();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  result.seconds = std::chrono::duration<double>(clock::now() - start).count();
  result.peak_bytes = 1024 * static_cast<std::uint64_t>(usage.ru_maxrss);
  result.exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  if (result.exit_status == not_found) {
    throw MissingProgram("the program '" + arguments[0] + "' is not installed; " + remedy);
  }
  std::ifstream log(log_file, std::ios::binary);
  result.output.assign(std::istreambuf_iterator<char>(log), std::istreambuf_iterator<char>());
  return result;
}

}  // namespace mesh_refine
