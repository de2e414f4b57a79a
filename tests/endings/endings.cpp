// SPDX-License-Identifier: Apache-2.0
// A job of a few phases that then ends otherwise than it should, as its first argument says:
//   error     a handler throws
//   stuck     one rank waits for what never comes
//   endless   a message goes round for ever: for signals
//   long      a handler on every rank does not return: for signals
//   own       as endless, with a handler of the program's own for SIGTERM
//   memory    the last rank has no memory left for what it is sent
// "ready" on standard output says that the phases are over.
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <roam/roam.hpp>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Piece {
  int calls = 0;
  void work() {
    roam::here().compute(std::chrono::milliseconds(1));
    ++calls;
  }
  void fail() { throw roam::Error("it fails on purpose"); }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(calls);
  }
};

void ready() {
  std::puts("ready");
  std::fflush(stdout);
}

void hop() {
  roam::Runtime& here = roam::here();
  here.compute(std::chrono::milliseconds(1));
  here.send<&hop>((here.rank().value() + 1) % here.size());
}

void stay() { std::this_thread::sleep_for(std::chrono::hours(1)); }

// What is left of a MiB or more.
void use_up_memory() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t bytes = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) + (32U << 20U);
  const rlimit limit{bytes, bytes};
  if (setrlimit(RLIMIT_AS, &limit) != 0) std::perror("setrlimit");
  static std::vector<std::unique_ptr<char[]>> eaten;
  try {
    eaten.reserve(4096);
    for (;;) eaten.push_back(std::make_unique_for_overwrite<char[]>(1U << 20U));
  } catch (const std::bad_alloc&) {
    ready();
  }
}

void take(const std::vector<double>& /*values*/) {
  std::this_thread::sleep_for(std::chrono::seconds(1));
}

roam::Task<> run_out_of_memory(roam::Runtime& rt) {
  const int last = rt.size() - 1;
  if (rt.rank() == last) use_up_memory();
  co_await rt.barrier();
  for (int i = 0; rt.rank() == 0 && i < 200; ++i)
    rt.send<&take>(last, std::vector<double>(std::size_t{1} << (17 - i % 4)));
}

void own_handler(int /*signal*/) {
  constexpr char text[] = "the program's own handler\n";
  if (write(STDOUT_FILENO, text, sizeof text - 1) > 0) std::_Exit(3);
}

roam::Task<> program(roam::Runtime& rt, std::string way) {
  std::vector<roam::mobile_ptr<Piece>> pieces;
  for (int i = 0; i < 4; ++i) pieces.push_back(rt.create<Piece>());
  for (int phase = 0; phase < 3; ++phase) {
    for (auto& piece : pieces) piece.send<&Piece::work>();
    co_await rt.phase();
  }
  if (way == "memory") co_return co_await run_out_of_memory(rt);
  pieces[0].send<&Piece::work>();
  co_await rt.quiescence();
  if (way == "long") {
    co_await rt.barrier();
    ready();
    rt.send<&stay>(rt.rank());
  }
  if (rt.rank() != 0) co_return;
  if (way != "long") ready();
  if (way == "error") pieces[1].send<&Piece::fail>();
  if (way == "stuck") co_await rt.barrier();
  if (way == "endless" || way == "own") hop();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string way = argc > 1 ? argv[1] : "";
  if (way == "own") std::signal(SIGTERM, &own_handler);
  return roam::run(argc, argv, [&](roam::Runtime& rt) { return program(rt, way); });
}
