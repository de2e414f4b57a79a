// SPDX-License-Identifier: Apache-2.0
#include <roam/roam.hpp>

struct Counter {
  int value = 0;
  void add(int n) { value += n; }
};

roam::Task<> program(roam::Runtime& rt) {
  if (rt.rank() == 0) rt.create<Counter>().send<&Counter::add>(1);
  co_await rt.quiescence();
}

int main(int argc, char** argv) { return roam::run(argc, argv, program); }
