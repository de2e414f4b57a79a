// SPDX-License-Identifier: Apache-2.0
// Task Bench as mobile objects: each point of a graph is an element of a collection, which sends
// the output of each of its tasks by a call to the elements that need it.
#include "bench.hpp"
#include "column.hpp"

namespace task_bench {

namespace {

class Point;
using Points = roam::collection<Point, 1>;

/// State shared by this rank's objects.
struct Shared {
  Bench* bench = nullptr;
};

class Point {
 public:
  Point() = default;
  Point(const roam::Index<1>& at, std::int32_t graph) : graph_(graph), column_(own(), at[0]) {}

  /// Tells it the other points, and runs its tasks that need no inputs.
  void start(Points points) {
    points_ = points;
    is_started_ = true;
    go_on();
  }
  /// Receives an input of this point's task of this step.
  void take(std::int64_t step, Output input) {
    column_.take(step, std::move(input));
    go_on();
  }
  /// Runs the next task if its inputs are there.
  void go_on() {
    const Graph& graph = own();
    if (!is_started_ || !column_.is_ready(graph)) return;
    const std::int64_t step = column_.step();
    const std::vector<Output> inputs = column_.begin_task(graph);
    Output output;
    bench().run_task(graph, step, column_.point(), pointers_to(inputs), output);
    for (const std::int64_t reader : graph.readers(step, column_.point()))
      points_[{reader}].send<&Point::take>(step + 1, output);
    // One task per call: a next task that is ready waits for its turn.
    if (column_.is_ready(graph)) roam::self<Point>().send<&Point::go_on>();
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(graph_, column_, is_started_, points_);
  }

 private:
  [[nodiscard]] static Bench& bench() { return *roam::here().local<Shared>().bench; }
  [[nodiscard]] const Graph& own() const { return bench().graph(graph_); }

  std::int32_t graph_ = 0;
  Column column_;
  bool is_started_ = false;
  Points points_;
};

}  // namespace

roam::Task<roam::Duration> run_objects(roam::Runtime& rt, Bench& bench) {
  rt.local<Shared>().bench = &bench;
  co_await rt.barrier();
  std::vector<Points> all;
  if (rt.rank() == 0) {
    for (const Graph& graph : bench.graphs()) {
      const roam::Index<1> extent{graph.width()};
      all.push_back(co_await rt.create_collection<Point>(extent, roam::Placement::block(),
                                                         std::int32_t{graph.number()}));
    }
  }
  co_await rt.quiescence();
  rt.begin_measurement();
  const roam::Instant begin = rt.now();
  for (const Points& points : all) points.broadcast<&Point::start>(points);
  co_await rt.quiescence();
  const roam::Duration took = rt.now() - begin;
  rt.end_measurement();
  co_return took;
}

}  // namespace task_bench
