// SPDX-License-Identifier: Apache-2.0
#include "stuck_graph.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "roam/core/object_id.hpp"

namespace roam::mobile {

namespace {

/// Finds strongly connected components (R. Tarjan, Depth-first search and linear graph algorithms,
/// SIAM J. Comput. 1, 1972), without recursion, because a chain of waits may be long.
class Components {
 public:
  Components(const std::vector<StuckGraph::Edge>& edges,
             const std::vector<std::vector<std::size_t>>& out)
      : edges_(edges), out_(out), marks_(out.size()) {}

  template <class Found>
  void for_each(Found&& found) {
    for (std::size_t node = 0; node < out_.size(); ++node) {
      if (marks_[node].number == 0) search(node, found);
    }
  }

 private:
  struct Mark {
    std::size_t number = 0;
    std::size_t low = 0;
    bool is_on_stack = false;
  };
  void enter(std::size_t node) {
    marks_[node] = {++numbers_, numbers_, true};
    stack_.push_back(node);
    path_.emplace_back(node, 0);
  }
  template <class Found>
  void search(std::size_t root, Found& found) {
    enter(root);
    while (!path_.empty()) {
      const std::size_t node = path_.back().first;
      if (path_.back().second < out_[node].size()) {
        const std::size_t next = edges_[out_[node][path_.back().second++]].to;
        if (marks_[next].number == 0) {
          enter(next);
        } else if (marks_[next].is_on_stack) {
          marks_[node].low = std::min(marks_[node].low, marks_[next].number);
        }
        continue;
      }
      path_.pop_back();
      if (!path_.empty()) {
        Mark& before = marks_[path_.back().first];
        before.low = std::min(before.low, marks_[node].low);
      }
      if (marks_[node].low == marks_[node].number) leave(node, found);
    }
  }
  template <class Found>
  void leave(std::size_t node, Found& found) {
    std::vector<std::size_t> part;
    do {
      part.push_back(stack_.back());
      marks_[stack_.back()].is_on_stack = false;
      stack_.pop_back();
    } while (part.back() != node);
    found(part);
  }

  const std::vector<StuckGraph::Edge>& edges_;
  const std::vector<std::vector<std::size_t>>& out_;
  std::vector<Mark> marks_;
  std::vector<std::size_t> stack_;
  std::vector<std::pair<std::size_t, std::size_t>> path_;  // a node, and the next of its edges
  std::size_t numbers_ = 0;
};

// The rank that asked, and the request's number there.
using Request = std::pair<std::int32_t, std::uint64_t>;

}  // namespace

StuckGraph::StuckGraph(const StuckFacts& facts) {
  for (const StuckWait& wait : facts.waits) add(Kind::execution, wait.rank, wait.who);
  add_objects(facts);
  add_multicasts(facts);
  add_waits(facts);
  find_circles();
}

std::size_t StuckGraph::add(Kind kind, std::int32_t rank, std::string label) {
  nodes_.push_back({kind, rank, std::move(label)});
  out_.emplace_back();
  return nodes_.size() - 1;
}

void StuckGraph::connect(std::size_t from, std::size_t to, const char* label) {
  out_[from].push_back(edges_.size());
  edges_.push_back({from, to, label});
}

std::size_t StuckGraph::object_node(const StuckFacts& facts, std::uint64_t id) {
  const auto [entry, is_new] = objects_.try_emplace(id);
  if (is_new) entry->second = add(Kind::object, -1, facts.name_of(id));
  return entry->second;
}

std::size_t StuckGraph::multicast_node(std::uint64_t holder, std::int32_t rank) {
  const auto [entry, is_new] = multicasts_.try_emplace(holder);
  if (is_new)
    entry->second = add(Kind::multicast, rank, "multicast " + to_string(ObjectId(holder)));
  return entry->second;
}

void StuckGraph::add_objects(const StuckFacts& facts) {
  for (const StuckObject& object : facts.objects) {
    const std::size_t node = object_node(facts, object.id);
    nodes_[node].rank = object.rank;
    if (!facts.has_name(object.id)) nodes_[node].label += " (" + object.type + ")";
    for (std::size_t i = 0; i < facts.waits.size(); ++i) {
      if (facts.waits[i].subject == object.id && facts.waits[i].rank == object.rank)
        connect(node, i, "held by");
    }
    for (const StuckCall& call : object.set_aside) {
      const std::size_t missing =
          add(Kind::missing_call, call.origin,
              "call " + std::to_string(call.expected) + " of rank " + std::to_string(call.origin) +
                  " to " + facts.name_of(object.id) + ", which has not come");
      connect(node, missing, "waits for");
    }
  }
}

// A multicast is represented by its handler, if that runs; else by the coroutine that gathers its
// objects.
void StuckGraph::add_multicasts(const StuckFacts& facts) {
  std::map<Request, std::size_t> asks;
  for (std::size_t i = 0; i < facts.waits.size(); ++i)
    asks.emplace(Request(facts.waits[i].rank, facts.waits[i].awaited_answer), i);
  for (const StuckObject& object : facts.objects) {
    if (object.holder != 0) {
      const std::size_t holder = multicast_node(object.holder, object.rank);
      connect(objects_.at(object.id), holder, "held by");
      for (std::size_t i = 0; i < facts.waits.size(); ++i) {
        if (object.holder_execution != 0 && facts.waits[i].rank == object.rank &&
            facts.waits[i].execution == object.holder_execution)
          connect(holder, i, "runs");
      }
    }
    for (const StuckCall& call : object.queue) {
      const auto asking = asks.find(Request(call.origin, call.request));
      if (call.holder != 0 && asking != asks.end())
        connect(multicast_node(call.holder, call.origin), asking->second, "is gathered by");
    }
  }
}

void StuckGraph::add_waits(const StuckFacts& facts) {
  std::map<Request, std::size_t> answers;
  for (std::size_t i = 0; i < facts.waits.size(); ++i) {
    if (facts.waits[i].answers_number != 0)
      answers.emplace(Request(facts.waits[i].answers_rank, facts.waits[i].answers_number), i);
  }
  for (std::size_t i = 0; i < facts.waits.size(); ++i) {
    const StuckWait& wait = facts.waits[i];
    const auto answer = answers.find(Request(wait.rank, wait.awaited_answer));
    if (wait.awaited_answer != 0 && answer != answers.end()) {
      connect(i, answer->second, "waits for");
    } else if (wait.awaited_object != 0) {
      connect(i, object_node(facts, wait.awaited_object), "waits for");
    }
  }
}

void StuckGraph::find_circles() {
  Components(edges_, out_).for_each([this](const std::vector<std::size_t>& part) {
    const bool waits_for_itself =
        std::any_of(out_[part.front()].begin(), out_[part.front()].end(),
                    [&](std::size_t edge) { return edges_[edge].to == part.front(); });
    if (part.size() == 1 && !waits_for_itself) return;
    ++circles_;
    for (const std::size_t node : part) nodes_[node].circle = circles_;
  });
}

std::vector<StuckGraph::Edge> StuckGraph::way_round(std::uint64_t circle) const {
  std::vector<Edge> shortest;
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    if (nodes_[node].circle != circle || nodes_[node].kind != Kind::execution) continue;
    std::vector<Edge> way = way_back(node);
    if (!way.empty() && (shortest.empty() || way.size() < shortest.size()))
      shortest = std::move(way);
  }
  return shortest;
}

// A shortest path from a node to itself, found breadth first.
std::vector<StuckGraph::Edge> StuckGraph::way_back(std::size_t start) const {
  std::unordered_map<std::size_t, std::size_t> came_by;  // the edge by which each node was reached
  std::deque<std::size_t> next{start};
  while (!next.empty() && !came_by.contains(start)) {
    const std::size_t node = next.front();
    next.pop_front();
    for (const std::size_t edge : out_[node]) {
      if (came_by.try_emplace(edges_[edge].to, edge).second) next.push_back(edges_[edge].to);
    }
  }
  std::vector<Edge> way;
  if (!came_by.contains(start)) return way;
  std::size_t node = start;
  do {
    way.push_back(edges_[came_by.at(node)]);
    node = way.back().from;
  } while (node != start);
  std::reverse(way.begin(), way.end());
  return way;
}

}  // namespace roam::mobile
