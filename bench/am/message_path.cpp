// SPDX-License-Identifier: Apache-2.0
// What a small message costs in instructions: a rank sends itself messages of 8 bytes one after the
// other, over the in-process network, polling. Run it with two counts under an instruction counter;
// the difference divided by the difference of the counts is one message's send, transport, receive
// and dispatch.
//   valgrind --tool=callgrind bench_message_path N
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <roam/roam.hpp>
#include <string_view>

#include "../support/game.hpp"

namespace {

void bounce(std::uint64_t left) {
  if (left > 0) {
    roam::here().send<&bounce>(0, left - 1);
  } else {
    bench::player().waiter->resume();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool is_help = argc == 2 && std::string_view(argv[1]) == "--help";
  const long count = argc == 2 ? std::atol(argv[1]) : 0;
  if (count <= 0) {
    std::fprintf(is_help ? stdout : stderr, "usage: %s MESSAGES\n", argv[0]);
    return is_help ? 0 : 2;
  }
  roam::Options options;
  options.ranks = 1;
  options.ranks_given = true;
  options.workers = 1;
  options.transport = "in-process";
  options.progress_mode = roam::ProgressMode::polling;
  return roam::run(options, [count](roam::Runtime&) -> roam::Task<> {
    bench::Play game([count] { roam::here().send<&bounce>(0, static_cast<std::uint64_t>(count)); });
    bench::player().waiter = &game;
    co_await game;
  });
}
