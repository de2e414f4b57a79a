// SPDX-License-Identifier: Apache-2.0
// Functions of one name as handlers: parameters, constness and template arguments tell them apart.
#include <string>
#include <vector>

#include "runtime/job_kinds.hpp"

namespace roam::programs::overloads {

struct Tray {
  std::string notes;

  void note(int) { notes += 'i'; }
  void note(double) { notes += 'd'; }
  [[nodiscard]] int kind() { return 1; }
  [[nodiscard]] int kind() const { return 2; }
  template <class T>
  void add(T value) {
    notes += std::to_string(sizeof(value));
  }
  template <class T>
  [[nodiscard]] std::size_t size_of() const {
    return sizeof(T);
  }
  Task<int> later(int n) { co_return n; }
  Task<int> later(std::string text) { co_return static_cast<int>(text.size()); }
  [[nodiscard]] std::string read() const { return notes; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(notes);
  }
};

int scaled(int n) { return 10 * n; }
double scaled(double x) { return x / 2; }
template <class T>
std::size_t bytes_of() {
  return sizeof(T);
}
template <auto Method>
auto call_it() {
  Tray tray;
  return (tray.*Method)();
}

using Exclusive = int (Tray::*)();
using Shared = int (Tray::*)() const;

TEST_P(Programs, A6_overloads_of_a_method_are_handlers_of_their_own) {
  run([](Runtime& rt) -> Task<> {
    if (rt.rank() != 0) co_return;
    const auto tray = rt.create<Tray>();
    tray.migrate(rt.size() - 1);
    tray.send<static_cast<void (Tray::*)(int)>(&Tray::note)>(1);
    tray.send<static_cast<void (Tray::*)(double)>(&Tray::note)>(1.5);
    tray.send<&Tray::add<std::int32_t>>(1);
    tray.send<&Tray::add<double>>(1.5);
    EXPECT_EQ(co_await tray.call<&Tray::read>(), "id48");
    EXPECT_EQ(co_await tray.call<static_cast<Exclusive>(&Tray::kind)>(), 1);
    EXPECT_EQ(co_await tray.call<static_cast<Shared>(&Tray::kind)>(), 2);
    EXPECT_EQ(co_await tray.call<&Tray::size_of<std::int16_t>>(), 2U);
    EXPECT_EQ(co_await tray.call<&Tray::size_of<std::int64_t>>(), 8U);
    EXPECT_EQ(co_await tray.call<static_cast<Task<int> (Tray::*)(int)>(&Tray::later)>(7), 7);
    const std::string four = "four";
    EXPECT_EQ(co_await tray.call<static_cast<Task<int> (Tray::*)(std::string)>(&Tray::later)>(four),
              4);
  });
}

TEST_P(Programs, A6_overloads_and_instances_of_a_function_are_handlers_of_their_own) {
  run([](Runtime& rt) -> Task<> {
    const Rank last(rt.size() - 1);
    EXPECT_EQ((co_await rt.request<static_cast<int (*)(int)>(&scaled)>(last, 3)), 30);
    EXPECT_EQ((co_await rt.request<static_cast<double (*)(double)>(&scaled)>(last, 3.0)), 1.5);
    EXPECT_EQ(co_await rt.request<&bytes_of<char>>(last), 1U);
    EXPECT_EQ(co_await rt.request<&bytes_of<double>>(last), 8U);
    EXPECT_EQ((co_await rt.request<&call_it<static_cast<Exclusive>(&Tray::kind)>>(last)), 1);
    EXPECT_EQ((co_await rt.request<&call_it<static_cast<Shared>(&Tray::kind)>>(last)), 2);
  });
}

TEST_P(Programs, A6_operators_of_one_signature_are_operations_of_their_own) {
  run([](Runtime& rt) -> Task<> {
    const int mine = rt.rank().value() + 1;
    const auto most = [](int a, int b) { return a > b ? a : b; };
    const auto least = [](int a, int b) { return a < b ? a : b; };
    EXPECT_EQ(co_await rt.allreduce(mine, most), rt.size());
    EXPECT_EQ(co_await rt.allreduce(mine, least), 1);
  });
}

}  // namespace roam::programs::overloads
