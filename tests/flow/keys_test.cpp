// SPDX-License-Identifier: Apache-2.0
// F10: values under keys, between ranks. That they equal those of the serial run in every schedule
// is tested in tests/flow/chaos_scenario.hpp.
#include <gmock/gmock.h>

#include <atomic>
#include <span>
#include <string>
#include <vector>

#include "flow/flow_part.hpp"
#include "flow/random_program.hpp"
#include "roam/core/error.hpp"
#include "roam/flow/flow.hpp"
#include "roam/roam.hpp"
#include "sanitizers.hpp"
#include "support/simulated.hpp"

namespace roam::flow::keys_test {

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

enum class Side { left, right };

TEST(FlowKeys, F10_a_key_is_its_parts) {
  EXPECT_EQ(Key("rim", 3, Index<2>(4, -1)).text(), "(\"rim\", 3, (4, -1))");
  EXPECT_EQ(Key(std::string("rim"), 3L), Key("rim", 3U));
  EXPECT_EQ(Key(Side::right), Key(1));
  EXPECT_NE(Key("rim", 3), Key("rim", 4));
  EXPECT_NE(Key("ri", "m"), Key("r", "im"));
  EXPECT_NE(Key(Index<1>(3)), Key(3));
  EXPECT_NE(Key(Index<2>(3, 4)), Key(Index<1>(3), Index<1>(4)));
  EXPECT_EQ(Key::of_bytes(Key("a", 2).bytes()), Key("a", 2));
}

TEST(FlowKeysThreads, F10_random_programs_have_the_bits_of_the_serial_run) {
  const std::uint64_t programs = tests::has_sanitizer ? 15 : 60;
  for (const std::int32_t ranks : {1, 2, 3}) {
    Options options;
    options.ranks = ranks;
    options.ranks_given = true;
    options.workers = 2;
    std::atomic<std::uint64_t> different{0};
    const int status = roam::run(options, [&](Runtime& rt) -> Task<> {
      rt.on_error([](const std::string&) {});
      for (std::uint64_t seed = 1; seed <= programs; ++seed) {
        random_program::Shape shape;
        shape.seed = seed;
        shape.tasks = 12;
        shape.failures = seed % 3 == 0 ? 0.1 : 0;
        shape.phases = seed % 2 == 0 ? 0.2 : 0;
        Flow serial(rt, at_once);
        const auto expected =
            co_await random_program::run_keys(serial, shape, rt.rank().value(), rt.size());
        Flow fl(rt);
        if (co_await random_program::run_keys(fl, shape, rt.rank().value(), rt.size()) != expected)
          ++different;
      }
    });
    EXPECT_EQ(status, 0);
    EXPECT_EQ(different.load(), 0U);
  }
}

template <class Program>
std::string error_of(Program program, std::int32_t ranks = 3, const std::string& backend = "roam") {
  SimulatedJobOptions options = testing::simulated(ranks);
  options.options.edit<FlowOptions>().backend = backend;
  SimulatedJob job(options);
  const bool ok = job.run([&](Runtime& rt) -> Task<> {
    Flow fl(rt);
    co_await program(rt, fl);
  });
  return ok ? "" : job.error();
}

TEST(FlowKeys, F10_a_value_is_that_of_the_program_where_it_is_published) {
  std::size_t kept = 0;
  EXPECT_EQ(error_of([&](Runtime& rt, Flow& fl) -> Task<> {
              auto x = fl.data(10 * (rt.rank().value() + 1));
              fl.publish(x, {"x", rt.rank().value()}, 2);
              fl.work([](int& v) { v = -1; }, x);  // does not wait for readers
              const int next = (rt.rank().value() + 1) % rt.size();
              auto mine = fl.fetch<int>({"x", rt.rank().value()});
              auto theirs = fl.fetch<int>({"x", next});
              auto both = fl.data<int>();
              fl.work([](const int& a, const int& b, Out<int> c) { *c = a + b; }, mine, theirs,
                      both);
              EXPECT_EQ(co_await both.get(), 10 * (rt.rank().value() + 1) + 10 * (next + 1));
              co_await rt.quiescence();
              kept += FlowPart::of(rt).publications().kept();
            }),
            "");
  EXPECT_EQ(kept, 0U);
}

TEST(FlowKeys, F10_any_number_may_read_until_the_phase_ends) {
  EXPECT_EQ(error_of([](Runtime& rt, Flow& fl) -> Task<> {
              for (int step = 0; step < 3; ++step) {
                if (rt.rank() == 0) fl.publish(fl.data(step), {"step"}, any_number);
                for (int i = 0; i <= rt.rank().value(); ++i)
                  EXPECT_EQ(co_await fl.fetch<int>({"step"}).get(), step);
                (void)co_await fl.phase();
                EXPECT_EQ(FlowPart::of(rt).publications().kept(), 0U);
              }
            }),
            "");
}

/// Counts how often a value of it is read from a message, and how many exist.
struct Mesh {
  static inline std::atomic<int> read{0};
  static inline std::atomic<int> alive{0};
  int value = 0;
  Mesh() { ++alive; }
  explicit Mesh(int v) : value(v) { ++alive; }
  Mesh(const Mesh& other) : value(other.value) { ++alive; }
  Mesh& operator=(const Mesh&) = default;
  ~Mesh() { --alive; }
  template <class Archive>
  void save(Archive& archive) const {
    archive(value);
  }
  template <class Archive>
  void load(Archive& archive) {
    archive(value);
    ++read;
  }
};

TEST(FlowKeys, F10_a_frozen_value_is_on_each_rank_once) {
  for (const Readers readers : {Readers{12}, any_number}) {
    Mesh::read = 0;
    std::size_t kept = 0;
    EXPECT_EQ(error_of([&](Runtime& rt, Flow& fl) -> Task<> {
                if (rt.rank() == 1) {
                  auto mesh = fl.data(Mesh(7));
                  fl.publish(mesh.freeze(), {"mesh"}, readers);
                  fl.work([](Mesh& m) { m.value = -1; }, mesh);  // of this rank alone
                }
                auto sum = fl.data(0L);
                for (int i = 0; i < 4; ++i)
                  fl.work([](const Mesh& m, long& s) { s += m.value; }, fl.fetch<Mesh>({"mesh"}),
                          sum);
                EXPECT_EQ(co_await sum.get(), 28);
                (void)co_await fl.phase();
                co_await rt.quiescence();
                EXPECT_EQ(Mesh::alive, 0);  // nobody reads it any more
                kept += FlowPart::of(rt).publications().kept();
              }),
              "");
    EXPECT_EQ(kept, 0U);
    EXPECT_EQ(Mesh::read, 3);  // ranks
  }
}

// Ranks fetch before and after the value is there, and the same key has several values.
TEST(FlowKeys, F10_fetches_of_frozen_values_come_at_any_time) {
  EXPECT_EQ(error_of([](Runtime& rt, Flow& fl) -> Task<> {
              const Key key("mesh");
              if (rt.rank() == 2) {
                for (int step = 1; step < 4; ++step) {
                  auto first = fl.fetch<Mesh>(key);
                  auto second = fl.fetch<Mesh>(key);
                  EXPECT_EQ((co_await first.get()).value, step);
                  EXPECT_EQ((co_await second.get()).value, step);
                  EXPECT_EQ((co_await fl.fetch<Mesh>(key).get()).value, step);
                  fl.publish(fl.data(step), {"seen", step});
                }
              } else if (rt.rank() == 0) {
                for (int step = 1; step < 4; ++step) {
                  fl.publish(fl.data(Mesh(step)).freeze(), key, 3);
                  (void)co_await fl.fetch<int>({"seen", step}).get();
                }
              }
            }),
            "");
  EXPECT_EQ(Mesh::alive, 0);
}

TEST(FlowKeys, F10_a_frozen_failure_reaches_all_readers) {
  int failed = 0;
  const std::string error = error_of([&](Runtime& rt, Flow& fl) -> Task<> {
    if (rt.rank() == 0) {
      auto x = fl.data<Mesh>();
      fl.work([](Out<Mesh>) { throw Error("no mesh"); }, x);
      fl.publish(x.freeze(), {"x"}, 4);
    } else {
      for (int i = 0; i < 2; ++i) {
        try {
          (void)co_await fl.fetch<Mesh>({"x"}).get();
        } catch (const TaskFailed& failure) {
          EXPECT_THAT(failure.what(), HasSubstr("no mesh"));
          ++failed;
        }
      }
    }
  });
  EXPECT_EQ(error, "");
  EXPECT_EQ(failed, 4);
}

TEST(FlowKeys, F10_what_can_never_be_is_said_in_words) {
  EXPECT_THAT(error_of([](Runtime& rt, Flow& fl) -> Task<> {
                if (rt.rank() == 1) fl.publish(fl.data(1), {"rim", Index<2>(3, 4)}, 3);
                auto x = fl.fetch<int>({"rim", Index<2>(3, 4)});
                auto y = fl.fetch<int>({"rim", Index<2>(4, 4)});
                (void)co_await y.get();
              }),
              AllOf(HasSubstr("waits for the value of key (\"rim\", (4, 4)), fetched at "
                              "keys_test.cpp:"),
                    HasSubstr("nobody has published it, or all its readers have come")));
  EXPECT_THAT(error_of([](Runtime& rt, Flow& fl) -> Task<> {
                if (rt.rank() == 1) fl.publish(fl.data(1), {"x"}, 2);
                if (rt.rank() == 2) (void)co_await fl.fetch<int>({"x"}).get();
                if (rt.rank() == 2) (void)co_await fl.fetch<int>({"y"}).get();
              }),
              HasSubstr("for 2 readers, of which 1 have not come"));
  EXPECT_THAT(error_of([](Runtime& rt, Flow& fl) -> Task<> {
                if (rt.rank() == 1) fl.publish(fl.data(1).freeze(), {"x"}, 3);
                if (rt.rank() == 2) (void)co_await fl.fetch<int>({"x"}).get();
                if (rt.rank() == 2) (void)co_await fl.fetch<int>({"y"}).get();
              }),
              HasSubstr("for 3 readers, of which 2 have not come"));
  // The chain from what is awaited to what can never come.
  EXPECT_THAT(error_of([](Runtime& rt, Flow& fl) -> Task<> {
                if (rt.rank() != 0) co_return;
                auto x = fl.data(1);
                auto sum = fl.data(0);
                x.named("x");
                sum.named("sum");
                fl.work(
                    {.name = "set"}, [](const int& y, int& v) { v = y; }, fl.fetch<int>({"never"}),
                    x);
                fl.work(
                    {.name = "add"}, [](const int& v, int& s) { s += v; }, x, sum);
                (void)co_await sum.get();
              }),
              AllOf(HasSubstr("waits for sum (int, keys_test.cpp:"),
                    HasSubstr("to be written by task add (keys_test.cpp:"),
                    HasSubstr(", which waits for x (int, keys_test.cpp:"),
                    HasSubstr("to be written by task set (keys_test.cpp:"),
                    HasSubstr("to be written by task fetch (keys_test.cpp:"),
                    HasSubstr(", which waits for the value of key (\"never\"), fetched at")));
  // In a graph that is replayed, and of parts.
  EXPECT_THAT(error_of([](Runtime& rt, Flow& fl) -> Task<> {
                if (rt.rank() != 0) co_return;
                auto x = fl.data(std::vector<int>(4));
                auto sum = fl.data(0);
                for (int step = 0; step < 2; ++step) {
                  if (step == 0) fl.publish(fl.data(1), {"step", 0});
                  auto value = fl.fetch<int>({"step", step});
                  fl.graph("step", [&] {
                    fl.work(
                        {.name = "set"}, [](const int& y, std::span<int> part) { part[0] = y; },
                        value, x.part(0, 2));
                    fl.work(
                        {.name = "add"}, [](const std::vector<int>& all, int& s) { s += all[0]; },
                        x, sum);
                  });
                }
                (void)co_await sum.get();
              }),
              AllOf(HasSubstr("to be written by task add (keys_test.cpp:"),
                    HasSubstr("to be written by task set (keys_test.cpp:"),
                    HasSubstr(", which waits for the value of key (\"step\", 1), fetched at")));
  // Nobody awaits the value.
  EXPECT_THAT(error_of([](Runtime&, Flow& fl) -> Task<> {
                (void)fl.fetch<int>({"nothing"});
                co_return;
              }),
              AllOf(HasSubstr("the program has ended, and tasks of its flows cannot run"),
                    HasSubstr("key (\"nothing\")")));
}

TEST(FlowKeys, F10_errors_name_key_and_lines) {
  EXPECT_THAT(error_of([](Runtime& rt, Flow& fl) -> Task<> {
                auto x = fl.data(1);
                fl.publish(x, {"x"}, 5);
                (void)rt;
                co_await fl.done();
              }),
              AllOf(HasSubstr("key (\"x\") is published twice, at keys_test.cpp:"),
                    HasSubstr("let a part of the key be a version")));
  EXPECT_THAT(
      error_of([](Runtime& rt, Flow& fl) -> Task<> {
        if (rt.rank() == 0) fl.publish(fl.data(1.5), {"x"});
        if (rt.rank() == 1) (void)co_await fl.fetch<int>({"x"}).get();
      }),
      HasSubstr("is fetched as another type than double, which was published at keys_test"));
  EXPECT_THAT(
      error_of([](Runtime&, Flow& fl) -> Task<> { (void)co_await fl.fetch<int>({"x"}).get(); }, 1,
               "serial"),
      HasSubstr("which nothing has been published as before on this rank"));
}

TEST(FlowKeys, F10_readers_get_the_failure_in_place_of_a_value) {
  EXPECT_THAT(error_of([](Runtime& rt, Flow& fl) -> Task<> {
                if (rt.rank() == 0) {
                  auto x = fl.data<int>();
                  fl.work([](Out<int>) { throw Error("no value"); }, x);
                  fl.publish(x, {"x"});
                }
                if (rt.rank() == 2) (void)co_await fl.fetch<int>({"x"}).get();
              }),
              HasSubstr("no value"));
}

}  // namespace

}  // namespace roam::flow::keys_test
