// SPDX-License-Identifier: Apache-2.0
#include "mobile/chaos_scenario.hpp"

#include <functional>

namespace chaos {

namespace {

using roam::core::Random;

World& world() { return roam::testing::state<World>(); }

/// Moves those objects that are here and idle to one rank, small ones in one message.
void move_together(Random& random) {
  std::vector<roam::ObjectId> ids;
  for (const auto& node : world().nodes) {
    if (node) ids.push_back(node.id());
  }
  const auto ranks = static_cast<std::uint64_t>(roam::here().size());
  const roam::Rank target(static_cast<std::int32_t>(random.below(ranks)));
  static_cast<void>(roam::here().objects().migrate_idle(ids, target));
}

/// One sender issues a few calls to a few objects, some of them repeatedly.
void burst(std::uint64_t seed, std::uint32_t calls, std::uint32_t depth) {
  World& w = world();
  Random random(seed);
  const std::uint64_t stream = ++w.streams;
  std::map<std::uint32_t, std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < calls; ++i) {
    const auto target = static_cast<std::uint32_t>(random.below(w.nodes.size()));
    const std::uint32_t repeats = 1 + static_cast<std::uint32_t>(random.below(3));
    for (std::uint32_t k = 0; k < repeats; ++k) {
      // The object may move between two calls.
      if (random.below(4) == 0) roam::here().compute(roam::Duration(random.below(4000)));
      const Stamp stamp{stream, numbers[target]++, depth, random()};
      if (random.below(3) == 0) {
        w.nodes[target].send<&Node::look>(stamp);
      } else {
        w.nodes[target].send<&Node::work>(stamp);
      }
    }
    if (random.below(6) == 0) {
      const auto ranks = static_cast<std::uint64_t>(roam::here().size());
      w.nodes[target].migrate(static_cast<std::int32_t>(random.below(ranks)));
    }
    if (random.below(8) == 0) move_together(random);
  }
}

void go_on(const Stamp& stamp) {
  Random random(stamp.seed);
  if (random.below(2) == 0) roam::here().compute(roam::Duration(random.below(3000)));
  if (stamp.depth > 0 && random.below(4) != 0)
    burst(random(), 1 + static_cast<std::uint32_t>(random.below(2)), stamp.depth - 1);
}

void create_nodes(roam::Runtime& rt) {
  World& w = world();
  for (std::uint32_t i = 0; i < w.nodes.size(); ++i) {
    if (static_cast<std::int32_t>(i) % rt.size() != rt.rank().value()) continue;
    w.nodes[i] = rt.create<Node>();
    // A call of its own, so that it knows its number wherever it is.
    w.nodes[i].send<&Node::work>(Stamp{0, 0, 0, i});
  }
}

/// Awaits go up in index, so that they cannot wait for each other.
void let_some_ask(Random& random, int count) {
  World& w = world();
  for (int i = 0; i < count; ++i) {
    const auto from = static_cast<std::uint32_t>(random.below(w.nodes.size() - 1));
    const auto to = from + 1 + static_cast<std::uint32_t>(random.below(w.nodes.size() - 1 - from));
    w.nodes[from].send<&Node::ask>(Stamp{++w.streams, 0, 0, random()}, to);
  }
}

/// Has exclusive access to all of them (M9).
void visit_together(roam::Gathered<Node>& nodes, std::uint64_t seed) {
  for (Node& node : nodes) {
    roam::testing::check(node.runs == world().runs[node.index], "M9: somebody else was here");
  }
  roam::here().compute(roam::Duration(Random(seed).below(3000)));
  for (Node& node : nodes) node.runs = ++world().runs[node.index];
}

/// Two or three objects, none of them twice.
std::vector<roam::mobile_ptr<Node>> choose_some(Random& random) {
  const std::vector<roam::mobile_ptr<Node>>& nodes = world().nodes;
  const std::size_t first = random.below(nodes.size());
  std::vector<roam::mobile_ptr<Node>> some;
  for (std::size_t i = 0; i < std::min<std::size_t>(2 + random.below(2), nodes.size()); ++i)
    some.push_back(nodes[(first + i) % nodes.size()]);
  return some;
}

void destroy_some(Random& random, std::uint32_t count) {
  World& w = world();
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t victim = random.below(w.nodes.size());
    w.ended[victim] = true;  // first: others may find out before destroy() returns
    w.nodes[victim].destroy();
    if (random.below(2) == 0) {  // its end may be sent with it
      const auto ranks = static_cast<std::uint64_t>(roam::here().size());
      w.nodes[victim].migrate(static_cast<std::int32_t>(random.below(ranks)));
    }
  }
}

roam::Task<> run_main(roam::Runtime& rt, Size size) {
  rt.on_dead_letter([](const std::string&) {});
  Random random(world().seed + static_cast<std::uint64_t>(rt.rank().value()));
  create_nodes(rt);
  co_await rt.quiescence();
  burst(random(), size.calls, size.depth);
  if (random.below(4) == 0) {
    const std::vector<roam::mobile_ptr<Node>> some = choose_some(random);
    rt.multicast<&visit_together>(some, random());
  }
  co_await rt.quiescence();
  // Not concurrently with the multicasts: a coroutine that holds an object and waits for another
  // one could meet a second such coroutine.
  let_some_ask(random, 1);
  const auto destroyer = static_cast<std::int32_t>(world().seed % static_cast<unsigned>(rt.size()));
  if (rt.rank() == destroyer) destroy_some(random, size.destroyed);
  burst(random(), size.calls, size.depth > 0 ? size.depth - 1 : 0);
  // Concurrently with all that, a reduction must get the share of every element once.
  const std::uint64_t share = random();
  world().sum += share;
  const std::uint64_t sum = co_await rt.allreduce<std::plus<>>(share);
  roam::testing::check(sum == world().sum, "a reduction without all shares");
  const std::uint64_t question = random.below(1000);
  const std::uint64_t whom = random.below(world().nodes.size());
  try {
    const std::uint64_t reply = co_await world().nodes[whom].call<&Node::answer>(question);
    roam::testing::check(reply == question + whom, "M2: a wrong answer");
  } catch (const roam::ObjectGone&) {
    roam::testing::check(world().ended[whom], "M8: a living object is said to be gone");
  }
  co_await rt.quiescence();
}

}  // namespace

void Node::work(Stamp stamp) {
  World& w = world();
  if (stamp.stream == 0) index = static_cast<std::uint32_t>(stamp.seed);
  roam::testing::check(++runs == ++w.runs[index], "M5: an object has lost or gained state");
  // Shared calls start in order, but two workers may come to this line in any order.
  Seen& of_stream = seen[stamp.stream];
  roam::testing::check(stamp.number >= of_stream.exclusive,
                       "M3: a call runs after a later one of its sender");
  of_stream.exclusive = stamp.number + 1;
  ++of_stream.calls;
  if (stamp.seed % 16 == 1) ballast.resize(ballast.size() + 40, stamp.seed);
  go_on(stamp);
}

void Node::look(Stamp stamp) const {
  const auto of_stream = seen.find(stamp.stream);
  roam::testing::check(of_stream == seen.end() || stamp.number >= of_stream->second.exclusive,
                       "M3: a call runs after a later one of its sender");
  go_on(stamp);
}

roam::Task<> Node::ask(Stamp stamp, std::uint32_t whom) {
  work(stamp);
  const std::uint64_t question = stamp.seed % 1000;
  try {
    const std::uint64_t reply = co_await world().nodes[whom].call<&Node::answer>(question);
    roam::testing::check(reply == question + whom, "M2: a wrong answer");
  } catch (const roam::ObjectGone&) {
    roam::testing::check(world().ended[whom], "M8: a living object is said to be gone");
  }
}

Size draw_size(roam::testing::Schedule& schedule) {
  Random& random = schedule.random;
  Size size;
  size.objects = 2 + static_cast<std::uint32_t>(random.below(5));
  size.calls = 1 + static_cast<std::uint32_t>(random.below(3));
  size.depth = 1 + static_cast<std::uint32_t>(random.below(2));
  size.destroyed = static_cast<std::uint32_t>(random.below(3));
  return size;
}

roam::testing::Scenario make_scenario(roam::testing::Schedule& schedule, const Size& size) {
  roam::testing::Scenario scenario;
  scenario.state = std::make_shared<World>(schedule.random(), size.objects);
  scenario.program = [size](roam::Runtime& rt) { return run_main(rt, size); };
  return scenario;
}

}  // namespace chaos
