// SPDX-License-Identifier: Apache-2.0
// A job that never ends by itself, for tests that kill one of its processes: a message goes round
// the first N ranks (the program's argument) for ever; the other ranks have nothing to say.
#include <cstdlib>
#include <roam/roam.hpp>

namespace {

void hop(std::int32_t ranks) {
  roam::Runtime& here = roam::here();
  here.send<&hop>((here.rank().value() + 1) % ranks, ranks);
}

}  // namespace

int main(int argc, char** argv) {
  return roam::run(argc, argv, [&](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() == 0) hop(argc > 1 ? std::atoi(argv[1]) : rt.size());
    co_await rt.quiescence();
  });
}
