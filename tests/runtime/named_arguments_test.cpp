// SPDX-License-Identifier: Apache-2.0
// Classes of which GCC 12 destroys temporaries twice in an expression with a co_await: what Roam
// lets through there is destroyed once. What it refuses: tests/compile_fail/braced_*.cpp.
#include <gmock/gmock.h>

#include <atomic>
#include <string>
#include <vector>

#include "roam/offload/offload.hpp"
#include "roam/roam.hpp"
#include "roam/runtime/simulated_job.hpp"
#include "support/simulated.hpp"

namespace roam::named_arguments_test {

namespace {

using ::testing::ElementsAre;

/// One more than there are objects of it if one was destroyed twice.
struct Counted {
  Counted() { ++alive(); }
  Counted(const Counted&) { ++alive(); }
  Counted& operator=(const Counted&) = default;
  ~Counted() { --alive(); }
  static std::atomic<int>& alive() {
    static std::atomic<int> count{0};
    return count;
  }
  friend bool operator==(const Counted&, const Counted&) = default;
  template <class Archive>
  void serialize(Archive& /*archive*/) {}
};
struct Shape {
  std::string name;
  Counted counted;
  friend bool operator==(const Shape&, const Shape&) = default;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(name, counted);
  }
};
Shape longer(const Shape& a, const Shape& b) { return a.name.size() < b.name.size() ? b : a; }
int measure(const Shape& shape) { return static_cast<int>(shape.name.size()); }

struct Drawing {
  Drawing() = default;
  explicit Drawing(Shape s) : shape(std::move(s)) {}
  Shape shape;
  [[nodiscard]] std::string name() const { return shape.name; }
  void rename(const std::string& to) { shape.name = to; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(shape);
  }
};

/// All ranks run it; afterwards no object of Counted is left.
void run_on_all_ranks(const std::function<Task<>(Runtime&)>& program) {
  ASSERT_EQ(Counted::alive(), 0);
  {
    SimulatedJob job(testing::simulated(3, 1));
    EXPECT_TRUE(job.run(program)) << job.error();
  }
  EXPECT_EQ(Counted::alive(), 0) << "negative: destroyed twice";
}

TEST(NamedArguments, of_collectives_are_destroyed_once) {
  run_on_all_ranks([](Runtime& rt) -> Task<> {
    const Shape mine{std::string(20 + rt.rank().index(), 'x'), {}};
    Shape given = mine;
    EXPECT_EQ((co_await rt.broadcast(1, given)).name.size(), 21);
    EXPECT_EQ((co_await rt.allgather(mine)).size(), 3);
    EXPECT_EQ((co_await rt.gather(0, mine)).size(), rt.rank() == 0 ? 3 : 0);
    EXPECT_EQ((co_await rt.allreduce<&longer>(mine)).name.size(), 22);
    EXPECT_EQ((co_await rt.reduce<&longer>(2, mine)).has_value(), rt.rank() == 2);
  });
}

TEST(NamedArguments, are_not_needed_where_a_rank_has_no_value_to_broadcast) {
  run_on_all_ranks([](Runtime& rt) -> Task<> {
    if (rt.rank() == 0) {
      const Shape shape{"a triangle that is longer than a short string", {}};
      EXPECT_EQ(co_await rt.broadcast(0, shape), shape);
    } else {
      EXPECT_EQ((co_await rt.broadcast<Shape>(0)).name.size(), 45);
    }
  });
}

TEST(NamedArguments, may_be_of_another_type_than_a_collective_is_told) {
  run_on_all_ranks([](Runtime& rt) -> Task<> {
    const int rank = rt.rank().value();
    const std::vector<double> halves = co_await rt.allgather<double>(rank);
    EXPECT_THAT(halves, ElementsAre(0.0, 1.0, 2.0));
    const std::string word = co_await rt.broadcast<std::string>(0, "word");
    EXPECT_EQ(word, "word");
    EXPECT_EQ((co_await rt.gather<std::string>(0, {})).size(), rank == 0 ? 3 : 0);
    EXPECT_EQ(co_await rt.allreduce(rank, std::plus<>{}), 3);
    EXPECT_EQ((co_await rt.allreduce<std::plus<>, std::int64_t>(rank)), 3);
    std::vector<int> numbers{rank};
    EXPECT_EQ((co_await rt.allgather(std::move(numbers))).size(), 3);
  });
}

TEST(NamedArguments, of_elements_and_their_keys_are_destroyed_once) {
  run_on_all_ranks([](Runtime& rt) -> Task<> {
    if (rt.rank() == 0) {
      const Index<1> extent{4};
      const Shape shape{"a triangle", {}};
      const auto row = co_await rt.create_collection<Drawing>(extent, Placement::cyclic(), shape);
      EXPECT_EQ(co_await row[{2}].call<&Drawing::name>(), "a triangle");

      const auto drawings = co_await rt.create_sparse_collection<Drawing, Shape>();
      const Shape key{"key", {}};
      EXPECT_TRUE(co_await drawings.insert(key, shape));
      drawings[Shape{"key", {}}].send<&Drawing::rename>("a circle");  // is not awaited
      const auto element = drawings[Shape{"key", {}}];
      EXPECT_EQ(co_await element.call<&Drawing::name>(), "a circle");
      EXPECT_EQ(co_await element.call_with<&Drawing::name>({}), "a circle");
      EXPECT_EQ(co_await drawings[key].call<&Drawing::name>(), "a circle");
      EXPECT_TRUE(co_await drawings.contains(key));
      EXPECT_TRUE(co_await drawings.erase(key));
    }
    co_await rt.quiescence();
  });
}

TEST(NamedArguments, of_tasks_and_lambdas_that_are_awaited_are_destroyed_once) {
  run_on_all_ranks([](Runtime& rt) -> Task<> {
    const Shape shape{"a triangle", {}};
    EXPECT_EQ(co_await offload::spawn<&measure>(rt, shape), 10);
    const auto twice = [shape](int n) { return n * static_cast<int>(shape.name.size()); };
    EXPECT_EQ(co_await offload::spawn_then<&measure>(rt, twice, shape), 100);
    const auto issue = [shape, &rt] { rt.send<&measure>(0, shape); };
    co_await rt.run_epoch(issue);
    co_await rt.run_epoch([&] { rt.send<&measure>(0, shape); });
  });
}

}  // namespace

}  // namespace roam::named_arguments_test
