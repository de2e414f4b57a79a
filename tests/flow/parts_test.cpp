// SPDX-License-Identifier: Apache-2.0
// F2: tasks that use parts of a datum wait for each other only if these overlap. In virtual time,
// so that the time of a program shows what ran concurrently.
#include <gmock/gmock.h>

#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "flow/flow_part.hpp"
#include "flow/timed_programs.hpp"
#include "roam/core/error.hpp"
#include "roam/flow/detail/part_line.hpp"
#include "roam/flow/flow.hpp"
#include "roam/roam.hpp"
#include "support/simulated.hpp"

namespace roam::flow::parts_test {

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using timed_programs::error_of;
using timed_programs::take;
using timed_programs::units_of;

using Values = std::vector<double>;

void add(std::span<double> part, double what, int units) {
  take(units);
  for (double& one : part) one += what;
}
void look(std::span<const double> part, int units) {
  take(units);
  EXPECT_FALSE(part.empty());
}
void look_at_all(const Values& all, int units) {
  take(units);
  EXPECT_FALSE(all.empty());
}

TEST(FlowParts, F2_tasks_that_modify_parts_beside_each_other_run_at_once) {
  EXPECT_NEAR(units_of([](Flow& fl) -> Task<> {
                auto u = fl.data(Values(100));
                for (std::size_t i = 0; i < 4; ++i)
                  fl.work<&add>(u.part(25 * i, 25 * (i + 1)), 1.0, 2);
                const Values all = co_await u.get();
                EXPECT_EQ(std::accumulate(all.begin(), all.end(), 0.0), 100);
              }),
              2, 0.1);
}

TEST(FlowParts, F2_tasks_whose_parts_overlap_run_in_order) {
  EXPECT_NEAR(units_of([](Flow& fl) -> Task<> {
                auto u = fl.data(Values(100, 1.0));
                fl.work<&add>(u.part(0, 60), 1.0, 2);
                fl.work<&add>(u.part(60, 100), 2.0, 1);
                // After the first, which still runs when the second has ended.
                fl.work(
                    [](std::span<double> part) {
                      take(1);
                      for (double& one : part) one *= 10;
                    },
                    u.part(50, 70));
                fl.work<&look>(u.part(80, 100), 2);  // after the second alone: ends at 3
                const Values all = co_await u.get();
                EXPECT_EQ(all[49], 2);
                EXPECT_EQ(all[50], 20);
                EXPECT_EQ(all[60], 30);
                EXPECT_EQ(all[70], 3);
              }),
              3, 0.1);
}

TEST(FlowParts, F2_readers_of_parts_and_of_the_whole_run_beside_each_other) {
  EXPECT_NEAR(units_of([](Flow& fl) -> Task<> {
                auto u = fl.data(Values(100));
                fl.work<&add>(u.part(0, 10), 1.0, 1);
                fl.work<&look>(u.part(10, 20), 2);
                fl.work<&look_at_all>(u, 1);
                fl.work<&look>(u.part(0, 20), 1);
                co_return;
              }),
              2, 0.1);
}

TEST(FlowParts, F2_what_uses_the_whole_comes_between_parts) {
  EXPECT_NEAR(units_of([](Flow& fl) -> Task<> {
                auto u = fl.data(Values(10));
                fl.work<&look_at_all>(u, 1);
                fl.work<&add>(u.part(0, 5), 1.0, 1);
                fl.work<&add>(u.part(5, 10), 1.0, 1);
                fl.work(
                    [](Values& all) {
                      take(1);
                      all.resize(20, 1.0);
                    },
                    u);
                fl.work<&add>(u.part(0, 10), 1.0, 1);
                fl.work<&add>(u.part(10, 20), 2.0, 1);
                const Values all = co_await u.get();
                EXPECT_EQ(all[0], 2);
                EXPECT_EQ(all[19], 3);
              }),
              4, 0.1);
}

TEST(FlowParts, F2_a_task_may_read_one_part_and_modify_another) {
  for (const char* backend : {"roam", "serial"}) {
    units_of(
        [](Flow& fl) -> Task<> {
          auto u = fl.data(Values(8, 1.0));
          for (std::size_t i = 1; i < 8; ++i) {
            fl.work(
                [](std::span<const double> before, std::span<double> own) { own[0] += before[0]; },
                u.part(i - 1, i), u.part(i, i + 1));
          }
          auto v = fl.data(Values(4, 1.0));
          fl.work([](const Values& all,
                     std::span<const double> part) { EXPECT_EQ(all.size(), part.size() + 2); },
                  v, v.part(0, 2));
          // Parts of no elements do not get into each other's way.
          fl.work(
              [](std::span<const double> none, std::span<double> some, std::span<double> last) {
                EXPECT_TRUE(none.empty() && last.empty());
                EXPECT_EQ(some.size(), 4U);
              },
              u.part(2, 2), u.part(2, 6), u.part(8, 8));
          EXPECT_EQ((co_await u.get())[7], 8);
        },
        [backend](FlowOptions& options) { options.backend = backend; });
  }
}

/// A matrix whose parts are rows.
struct Matrix {
  std::size_t columns = 0;
  Values values;
  template <class T>
  struct Rows {
    std::size_t first;
    std::size_t columns;
    std::span<T> values;
    T& operator()(std::size_t row, std::size_t column) const {
      return values[row * columns + column];
    }
    [[nodiscard]] std::size_t size() const { return values.size() / columns; }
  };
  Rows<double> part(std::size_t begin, std::size_t end) {
    return {begin, columns, std::span(values).subspan(begin * columns, (end - begin) * columns)};
  }
  [[nodiscard]] Rows<const double> part(std::size_t begin, std::size_t end) const {
    return {begin, columns, std::span(values).subspan(begin * columns, (end - begin) * columns)};
  }
};

TEST(FlowParts, F2_parts_are_what_the_class_says_as_rows_of_a_matrix) {
  EXPECT_NEAR(units_of([](Flow& fl) -> Task<> {
                auto a = fl.data(Matrix{3, Values(12, 1.0)});
                for (std::size_t row = 0; row < 4; row += 2) {
                  fl.work(
                      [](Matrix::Rows<double> rows) {
                        take(1);
                        for (std::size_t i = 0; i < rows.size(); ++i)
                          rows(i, 1) = static_cast<double>(rows.first + i);
                      },
                      a.part(row, row + 2));
                }
                auto sum = fl.data(0.0);
                fl.work([](const Matrix::Rows<const double>& rows,
                           double& s) { s = rows(0, 1) + rows(1, 1); },
                        a.part(2, 4), sum);
                EXPECT_EQ(co_await sum.get(), 5);
              }),
              1, 0.1);
}

TEST(FlowParts, F2_graphs_that_are_replayed_wait_for_parts_that_overlap_alone) {
  EXPECT_NEAR(units_of([](Flow& fl) -> Task<> {
                auto u = fl.data(Values(10));
                for (int step = 0; step < 3; ++step) {
                  fl.graph("step", [&] {
                    fl.work<&add>(u.part(0, 5), 1.0, step % 2 == 0 ? 3 : 1);
                    fl.work<&add>(u.part(5, 10), 2.0, step % 2 == 0 ? 1 : 3);
                  });
                }
                fl.work<&look>(u.part(6, 8), 2);  // until 7, like the tasks of the first part
                const Values all = co_await u.get();
                EXPECT_EQ(all[4], 3);
                EXPECT_EQ(all[5], 6);
              }),
              7, 0.1);
}

TEST(FlowParts, F3_children_use_parts_of_what_their_parent_was_given) {
  for (const char* backend : {"roam", "serial"}) {
    const double units = units_of(
        [](Flow& fl) -> Task<> {
          auto u = fl.data(Values(90));
          fl.work(
              [](Flow& inner, Handle<Values> v) {
                for (std::size_t i = 0; i < 3; ++i)
                  inner.work<&add>(v.part(30 * i, 30 * (i + 1)), 1.0, 2);
              },
              u);
          fl.work<&add>(u.part(0, 10), 1.0, 1);
          EXPECT_EQ((co_await u.get())[0], 2);
        },
        [backend](FlowOptions& options) { options.backend = backend; });
    EXPECT_NEAR(units, backend == std::string("roam") ? 3 : 7, 0.1);
  }
}

TEST(FlowParts, F2_parts_of_elements_are_modified_beside_each_other_and_read_by_neighbours) {
  for (const char* backend : {"roam", "serial"}) {
    const double units = units_of(
        [](Flow& fl) -> Task<> {
          auto u = fl.collection<Values>(Index<1>{2});
          fl.for_each([](Out<Values> v, Index<1> at) { v->assign(10, static_cast<double>(at[0])); },
                      u.own(), u.index());
          // The two operations run at once, and so do the tasks of the third that read what the
          // first has written, and modify what the second has not.
          fl.for_each<&add>(u.own().part(0, 2), 10.0, 1);
          fl.for_each<&add>(u.own().part(2, 10), 100.0, 3);
          auto edge = fl.data(Values(4, 1000.0));
          fl.for_each(
              [](std::span<const double> left, std::span<double> own, std::span<const double> all) {
                take(1);
                own[0] += left[0] + all[0];
              },
              u.at(-1).periodic().part(1, 2), u.own().part(0, 1), edge.part(2, 3));
          for (std::int64_t i = 0; i < 2; ++i) {
            const Index<1> at{i};
            const Values v = co_await fl.copy_of(u, at).get();
            const auto own = static_cast<double>(i);
            const auto left = static_cast<double>(1 - i);
            EXPECT_EQ(v[0], own + 10 + left + 10 + 1000);
            EXPECT_EQ(v[1], own + 10);
            EXPECT_EQ(v[9], own + 100);
          }
        },
        [backend](FlowOptions& options) { options.backend = backend; });
    EXPECT_NEAR(units, backend == std::string("roam") ? 3 : 10, 0.1);
  }
}

TEST(FlowParts, F4_parts_of_elements_that_neighbours_read_cannot_be_modified_with_them) {
  for (const char* backend : {"roam", "serial"}) {
    EXPECT_THAT(
        error_of(
            [](Flow& fl) -> Task<> {
              auto u = fl.collection<Values>(Index<1>{3}).named("u");
              fl.for_each([](Out<Values> v) { v->resize(10); }, u.own());
              fl.for_each([](std::span<const double>, std::span<double>) {}, u.at(1).part(0, 3),
                          u.own().part(2, 10));
              co_return;
            },
            backend),
        AllOf(HasSubstr("modifies a collection of which it uses elements"), HasSubstr(": u (")));
    EXPECT_THAT(error_of(
                    [](Flow& fl) -> Task<> {
                      auto u = fl.collection<Values>(Index<1>{3}).named("u");
                      fl.for_each([](Out<Values> v) { v->resize(10); }, u.own());
                      fl.for_each([](std::span<double>) {}, u.at(1).part(0, 3));
                      co_return;
                    },
                    backend),
                HasSubstr("modifies a part of an element at an offset"));
    EXPECT_THAT(error_of(
                    [](Flow& fl) -> Task<> {
                      auto u = fl.collection<Values>(Index<1>{3}).named("u");
                      (void)u.own().part(5, 4);
                      co_return;
                    },
                    backend),
                HasSubstr("part [5, 4) of u"));
  }
}

TEST(FlowParts, F4_two_parts_that_overlap_given_to_one_task_are_an_error) {
  for (const char* backend : {"roam", "serial"}) {
    EXPECT_THAT(error_of(
                    [](Flow& fl) -> Task<> {
                      auto u = fl.data(Values(10)).named("u");
                      fl.work([](std::span<const double>, std::span<const double>) {}, u.part(0, 6),
                              u.part(4, 10));  // this is allowed
                      fl.work(
                          {.name = "shift"}, [](std::span<const double>, std::span<double>) {},
                          u.part(0, 6), u.part(5, 10));
                      co_return;
                    },
                    backend),
                AllOf(HasSubstr("task shift (parts_test.cpp:"),
                      HasSubstr("reads part [0, 6) of and modifies part [5, 10) of u (")));
    EXPECT_THAT(error_of(
                    [](Flow& fl) -> Task<> {
                      auto u = fl.data(Values(10)).named("u");
                      (void)u.part(5, 4);
                      co_return;
                    },
                    backend),
                HasSubstr("part [5, 4) of u ("));
    EXPECT_THAT(
        error_of(
            [](Flow& fl) -> Task<> {
              auto u = fl.data<Values>().named("u");
              fl.work<&look>(u.part(0, 6), 1);
              co_return;
            },
            backend),
        AllOf(HasSubstr("reads part [0, 6) of u ("), HasSubstr("which no task has written")));
  }
}

TEST(FlowParts, F5_where_a_task_was_to_write_no_element_none_has_failed) {
  for (const char* backend : {"roam", "serial"}) {
    units_of(
        [](Flow& fl) -> Task<> {
          FlowPart::of(fl.scope().core().engine()).rank().on_error([](const std::string&) {});
          auto u = fl.data(Values(10, 1.0));
          auto v = fl.data(Values(10, 1.0));
          fl.work([](std::span<double>) { throw Error("none"); }, u.part(3, 3));
          fl.work([](std::span<const double>, std::span<double>) { throw Error("none"); },
                  v.part(4, 4), v.part(4, 4));
          fl.work<&add>(u.part(2, 5), 1.0, 1);
          EXPECT_EQ((co_await u.get())[3], 2);
          EXPECT_EQ((co_await v.get())[4], 1);
        },
        [backend](FlowOptions& options) { options.backend = backend; });
  }
}

TEST(FlowParts, F5_a_failure_concerns_the_part_and_whoever_needs_it) {
  for (const char* backend : {"roam", "serial"}) {
    units_of(
        [](Flow& fl) -> Task<> {
          auto u = fl.data(Values(10)).named("u");
          auto low = fl.data(0.0);
          auto high = fl.data(0.0);
          const auto sum = [](std::span<const double> part, double& s) {
            s = std::accumulate(part.begin(), part.end(), 1.0);
          };
          fl.work(
              {.name = "low"}, [](std::span<double>) { throw Error("too low"); }, u.part(0, 5));
          fl.work<&add>(u.part(5, 10), 1.0, 1);
          fl.work<&add>(u.part(8, 20), 1.0, 1);  // there are not as many
          fl.work(sum, u.part(2, 5), low);
          fl.work(sum, u.part(5, 8), high);
          EXPECT_EQ(co_await high.get(), 4);
          std::string words;
          for (int i = 0; i < 2; ++i) {
            try {
              i == 0 ? (void)co_await low.get() : (void)co_await u.get();
            } catch (const TaskFailed& failed) {
              words = failed.what();
            }
            EXPECT_THAT(words, HasSubstr("task low (parts_test.cpp:")) << i;
          }
          auto beyond = fl.data(0.0);
          fl.work(sum, u.part(9, 10), beyond);
          try {
            (void)co_await beyond.get();
            ADD_FAILURE();
          } catch (const TaskFailed& failed) {
            EXPECT_THAT(failed.what(), HasSubstr("part [8, 20) of u"));
          }
          fl.work([](Out<Values> v) { v->assign(10, 2.0); }, u);
          fl.work<&add>(u.part(0, 10), 1.0, 1);
          EXPECT_EQ((co_await u.get())[3], 3);
        },
        [backend](FlowOptions& options) { options.backend = backend; });
  }
}

TEST(FlowParts, F6_segments_that_nobody_uses_are_joined) {
  units_of([](Flow& fl) -> Task<> {
    constexpr std::size_t length = 5000;
    auto u = fl.data(Values(length));
    for (std::size_t i = 0; i + 3 < length; ++i) {
      fl.work<&add>(u.part(i, i + 3), 1.0, 0);
      if (i % 500 == 0) (void)co_await u.get();
    }
    const Values all = co_await u.get();
    EXPECT_EQ(all[2], 3);
    EXPECT_EQ(all[length - 4], 3);
  });
}

}  // namespace

}  // namespace roam::flow::parts_test
