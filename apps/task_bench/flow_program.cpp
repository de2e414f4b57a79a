// SPDX-License-Identifier: Apache-2.0
// Task Bench as a flow program. If all points of a step need the same few neighbours, two
// collections contain the outputs of alternate steps, and a step is one for_each. Otherwise outputs
// are single data, a step is a task for each point, and ranks exchange outputs under keys.
#include <array>
#include <memory>
#include <roam/flow/flow.hpp>
#include <unordered_map>
#include <utility>

#include "bench.hpp"

namespace task_bench {

namespace {

namespace flow = roam::flow;

using Row = flow::Collection<Output, 1>;
using Inputs = std::span<const flow::Handle<const Output>* const>;

// Limit of for_each, which also gets the task's own output, index and value.
constexpr std::size_t most_shifts = 9;
// Inputs of one task; further ones are checked by tasks that precede it.
constexpr std::size_t most_inputs = 8;

/// Identifies the task: a value that each task is given. It stays within the process, and may
/// therefore refer to the process's data by address.
struct Call {
  std::uintptr_t bench = 0;
  std::int64_t step = 0;
  std::int64_t point = 0;
  std::int32_t graph = 0;

  [[nodiscard]] Bench& owner() const { return *reinterpret_cast<Bench*>(bench); }
};

/// Results of checking the inputs of a task that has many.
struct Seen {
  std::vector<std::int64_t> stamps;  // step, point, ...
  template <class Archive>
  void serialize(Archive& archive) {
    archive(stamps);
  }
};

template <std::size_t>
using Input = const Output&;

template <std::size_t... I>
void run_with(const Call& call, std::int64_t point, flow::Out<Output> out,
              const std::array<const Output*, sizeof...(I)>& given) {
  Bench& bench = call.owner();
  // An element beyond an edge is an output that nobody has written.
  std::array<const Output*, sizeof...(I)> inputs{};
  std::size_t count = 0;
  for (const Output* input : given) {
    if (input->stamp().step >= 0) inputs[count++] = input;
  }
  bench.run_task(bench.graph(call.graph), call.step, point, std::span(inputs).first(count), *out);
}

template <class Places>
struct TaskWith;

/// The tasks with that many inputs.
template <std::size_t... I>
struct TaskWith<std::index_sequence<I...>> {
  static void of_element(flow::Out<Output> out, roam::Index<1> at, const Call& call,
                         Input<I>... inputs) {
    run_with<I...>(call, at[0], out, {&inputs...});
  }
  static void of_point(const Call& call, flow::Out<Output> out, Input<I>... inputs) {
    run_with<I...>(call, call.point, out, {&inputs...});
  }
  /// Checks inputs of a task that has more than fit.
  static void look(const Call& call, Seen& seen, Input<I>... inputs) {
    const std::array<const Output*, sizeof...(I)> given{&inputs...};
    const std::int64_t bytes = call.owner().graph(call.graph).settings().output_bytes;
    for (const Output* input : given) {
      if (!input->is_whole(bytes)) throw roam::Error("a damaged output");
      seen.stamps.push_back(input->stamp().step);
      seen.stamps.push_back(input->stamp().point);
    }
  }

  static void issue_step(flow::Flow& fl, const Row& from, const Row& to, const Call& call,
                         const Shifts& shifts) {
    [[maybe_unused]] const auto argument = [&](std::size_t k) {
      const auto at = from.at(shifts.by[k]);
      return shifts.is_periodic ? at.periodic() : at;
    };
    fl.for_each({.name = "point"}, flow::fn<&of_element>, to.own(), to.index(), call,
                argument(I)...);
  }
  static void issue_point(flow::Flow& fl, const Call& call, const flow::Handle<Output>& out,
                          [[maybe_unused]] Inputs inputs) {
    fl.work({.name = "point"}, flow::fn<&of_point>, call, out, *inputs[I]...);
  }
  static void issue_look(flow::Flow& fl, const Call& call, const flow::Handle<Seen>& seen,
                         [[maybe_unused]] Inputs inputs) {
    fl.work({.name = "look"}, flow::fn<&look>, call, seen, *inputs[I]...);
  }
};

/// Calls function(TaskWith<count>()).
template <std::size_t... N, class Function>
void with_count(std::size_t count, std::index_sequence<N...> /*possible*/,
                const Function& function) {
  static_cast<void>(
      ((count == N && (function(TaskWith<std::make_index_sequence<N>>()), true)) || ...));
}

/// One graph on one rank.
class Line {
 public:
  virtual ~Line() = default;
  virtual void issue(std::int64_t step) = 0;
};

/// A graph in which all points of a step need the same neighbours.
class CollectionLine final : public Line {
 public:
  CollectionLine(flow::Flow& fl, Bench& bench, const Graph& graph)
      : fl_(fl), bench_(bench), graph_(graph) {
    for (Row& row : rows_) row = fl.collection<Output>(roam::Index<1>{graph.width()});
    rows_[0].named("even outputs");
    rows_[1].named("odd outputs");
  }
  void issue(std::int64_t step) override {
    const Shifts shifts = *graph_.shifts(step);
    const Call call{reinterpret_cast<std::uintptr_t>(&bench_), step, 0, graph_.number()};
    const auto odd = static_cast<std::size_t>(step % 2);
    with_count(shifts.by.size(), std::make_index_sequence<most_shifts + 1>(), [&](auto task) {
      decltype(task)::issue_step(fl_, rows_[1 - odd], rows_[odd], call, shifts);
    });
  }

 private:
  flow::Flow& fl_;
  Bench& bench_;
  const Graph& graph_;
  std::array<Row, 2> rows_;
};

/// Any graph: this rank has a block of its points.
class DataLine final : public Line {
 public:
  DataLine(flow::Flow& fl, Bench& bench, const Graph& graph, int ranks, int rank)
      : fl_(fl),
        bench_(bench),
        graph_(graph),
        ranks_(ranks),
        rank_(rank),
        begin_(block_begin(graph.width(), ranks, rank)),
        end_(block_begin(graph.width(), ranks, rank + 1)) {
    for (std::int64_t point = begin_; point < end_; ++point) {
      for (std::size_t odd = 0; odd < 2; ++odd) {
        rows_[odd].push_back(fl.data<Output>());
        to_read_[odd].emplace_back(rows_[odd].back());
      }
      seen_.push_back(fl.data(Seen()));
    }
  }

  void issue(std::int64_t step) override {
    const auto odd = static_cast<std::size_t>(step % 2);
    arrived_.clear();
    const std::int64_t begin = std::max(begin_, graph_.first(step));
    const std::int64_t end = std::min(end_, graph_.end(step));
    for (std::int64_t point = begin; point < end; ++point) {
      inputs_.clear();
      for (const std::int64_t input : graph_.inputs(step, point))
        inputs_.push_back(&to_read(step - 1, input));
      issue_task(step, point, rows_[odd][place(point)]);
    }
    for (std::int64_t point = begin; point < end; ++point) {
      const flow::Readers readers = ranks_that_read(step, point);
      if (readers > 0)
        fl_.publish(rows_[odd][place(point)], {graph_.number(), step, point}, readers);
    }
  }

 private:
  [[nodiscard]] std::size_t place(std::int64_t point) const {
    return static_cast<std::size_t>(point - begin_);
  }

  [[nodiscard]] const flow::Handle<const Output>& to_read(std::int64_t step, std::int64_t point) {
    if (point >= begin_ && point < end_)
      return to_read_[static_cast<std::size_t>(step % 2)][place(point)];
    const auto [found, is_new] = arrived_.try_emplace(point);
    if (is_new) found->second = fl_.fetch<Output>({graph_.number(), step, point});
    return found->second;
  }

  void issue_task(std::int64_t step, std::int64_t point, const flow::Handle<Output>& out) {
    const Call call{reinterpret_cast<std::uintptr_t>(&bench_), step, point, graph_.number()};
    const Inputs inputs(inputs_);
    constexpr auto counts = std::make_index_sequence<most_inputs + 1>();
    if (inputs.size() <= most_inputs) {
      return with_count(inputs.size(), counts,
                        [&](auto task) { decltype(task)::issue_point(fl_, call, out, inputs); });
    }
    const flow::Handle<Seen>& seen = seen_[place(point)];
    for (std::size_t k = 0; k < inputs.size(); k += most_inputs) {
      const auto some = inputs.subspan(k, std::min(most_inputs, inputs.size() - k));
      with_count(some.size(), counts,
                 [&](auto task) { decltype(task)::issue_look(fl_, call, seen, some); });
    }
    fl_.work({.name = "point"}, flow::fn<&finish>, call, out, seen);
  }

  /// A task whose inputs have been checked already.
  static void finish(const Call& call, flow::Out<Output> out, Seen& seen) {
    const Graph& graph = call.owner().graph(call.graph);
    std::vector<Stamp> stamps;
    for (std::size_t k = 0; k < seen.stamps.size(); k += 2)
      stamps.push_back({seen.stamps[k], seen.stamps[k + 1]});
    seen.stamps.clear();
    check_stamps(graph, call.step, call.point, stamps);
    call.owner().finish_task(graph, call.step, call.point, *out);
  }

  /// Number of ranks that read the output, without this one.
  [[nodiscard]] flow::Readers ranks_that_read(std::int64_t step, std::int64_t point) const {
    flow::Readers count = 0;
    std::int64_t last = -1;
    for (const std::int64_t reader : graph_.readers(step, point)) {  // in ascending order
      const std::int64_t rank = block_of(graph_.width(), ranks_, reader);
      if (rank != rank_ && rank != last) ++count;
      last = rank;
    }
    return count;
  }

  flow::Flow& fl_;
  Bench& bench_;
  const Graph& graph_;
  const int ranks_;
  const int rank_;
  const std::int64_t begin_;
  const std::int64_t end_;
  std::array<std::vector<flow::Handle<Output>>, 2> rows_;
  std::array<std::vector<flow::Handle<const Output>>, 2> to_read_;  // the same data, for reading
  std::vector<flow::Handle<Seen>> seen_;
  // Outputs of the step before, from other ranks.
  std::unordered_map<std::int64_t, flow::Handle<const Output>> arrived_;
  std::vector<const flow::Handle<const Output>*> inputs_;  // of one task
};

std::unique_ptr<Line> make_line(roam::Runtime& rt, flow::Flow& fl, Bench& bench,
                                const Graph& graph) {
  const std::optional<Shifts> shifts = graph.shifts(graph.steps() > 1 ? 1 : 0);
  if (shifts && shifts->by.size() <= most_shifts)
    return std::make_unique<CollectionLine>(fl, bench, graph);
  // If tasks run at once, each rank runs the whole program.
  const std::string& backend = rt.options().of<roam::FlowOptions>().backend;
  if (flow::find_backend(backend, "--roam-flow-backend").runs_at_once)
    return std::make_unique<DataLine>(fl, bench, graph, 1, 0);
  return std::make_unique<DataLine>(fl, bench, graph, rt.size(), rt.rank().value());
}

}  // namespace

roam::Task<roam::Duration> run_flow(roam::Runtime& rt, Bench& bench) {
  flow::Flow fl(rt);
  std::vector<std::unique_ptr<Line>> lines;
  std::int64_t steps = 0;
  for (const Graph& graph : bench.graphs()) {
    lines.push_back(make_line(rt, fl, bench, graph));
    steps = std::max(steps, graph.steps());
  }
  co_await rt.barrier();
  const roam::Instant begin = rt.now();
  for (std::int64_t step = 0; step < steps; ++step) {
    for (std::size_t k = 0; k < lines.size(); ++k) {
      if (step < bench.graphs()[k].steps()) lines[k]->issue(step);
    }
  }
  co_await fl.done();
  co_await rt.barrier();
  co_return rt.now() - begin;
}

}  // namespace task_bench
