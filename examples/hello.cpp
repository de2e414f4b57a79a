// SPDX-License-Identifier: Apache-2.0
// A counter that wanders: every rank adds to it, wherever it is.
#include <cstdio>
#include <roam/roam.hpp>

struct Counter {
  int value = 0;
  void add(int n) { value += n; }      // non-const: has the object to itself
  int total() const { return value; }  // const: may run beside other const calls
  template <class Archive>
  void serialize(Archive& archive) {
    archive(value);
  }
};

void contribute(roam::mobile_ptr<Counter> counter) {
  counter.send<&Counter::add>(roam::here().rank().value() + 1);
}

roam::Task<> program(roam::Runtime& rt) {
  roam::mobile_ptr<Counter> counter;
  if (rt.rank() == 0) {
    counter = rt.create<Counter>();
    for (int r = 0; r < rt.size(); ++r) rt.send<&contribute>(r, counter);
    counter.migrate(rt.size() - 1);  // moves while the calls are on their way
  }
  co_await rt.quiescence();
  if (rt.rank() == 0) {
    const int total = co_await counter.call<&Counter::total>();
    std::printf("%d ranks counted to %d\n", rt.size(), total);
  }
}

int main(int argc, char** argv) { return roam::run(argc, argv, program); }
