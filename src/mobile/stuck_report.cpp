// SPDX-License-Identifier: Apache-2.0
#include "roam/mobile/detail/stuck_report.hpp"

#include <algorithm>
#include <utility>

#include "roam/core/object_id.hpp"
#include "stuck_graph.hpp"

namespace roam::mobile {

namespace {

// Limits, so that reports remain readable however much is stuck.
constexpr std::size_t most_lines = 48;
constexpr std::uint64_t most_circles = 4;

std::string name(std::uint64_t multicast) { return to_string(ObjectId(multicast)); }

std::string at_rank(std::int32_t rank) { return "  rank " + std::to_string(rank) + ": "; }

std::string counted(std::uint64_t number, const char* one, const char* several) {
  return std::to_string(number) + " " + (number == 1 ? one : several);
}

const StuckObject* find(const StuckFacts& facts, std::uint64_t id) {
  const auto found = std::find_if(facts.objects.begin(), facts.objects.end(),
                                  [id](const StuckObject& object) { return object.id == id; });
  return id == 0 || found == facts.objects.end() ? nullptr : &*found;
}

// Says where an object is, and what holds it.
std::string state_of(const StuckFacts& facts, const StuckObject& object) {
  std::string text = " (on rank " + std::to_string(object.rank);
  for (const StuckWait& wait : facts.waits) {
    if (wait.subject == object.id && wait.rank == object.rank) text += ", held by " + wait.who;
  }
  if (object.holder != 0) text += ", held by multicast " + name(object.holder);
  if (object.queued > 0) text += ", " + counted(object.queued, "call", "calls") + " queued";
  if (object.set_aside_count > 0)
    text += ", " + counted(object.set_aside_count, "call", "calls") + " set aside";
  return text + ")";
}

/// The lines of a report, up to a limit.
class Lines {
 public:
  void add(const std::string& line) {
    if (kept_++ < most_lines) text_ += line + "\n";
  }
  void leave_out(std::uint64_t number) { left_out_ += number; }
  [[nodiscard]] std::string take() {
    if (kept_ > most_lines) left_out_ += kept_ - most_lines;
    if (left_out_ > 0) text_ += "  and " + std::to_string(left_out_) + " more\n";
    return std::move(text_);
  }

 private:
  std::string text_;
  std::size_t kept_ = 0;
  std::uint64_t left_out_ = 0;
};

std::string waits(const StuckFacts& facts) {
  Lines lines;
  for (const StuckWait& wait : facts.waits) {
    std::string line = at_rank(wait.rank) + wait.who + " waits for " + wait.waits_for;
    if (const StuckObject* object = find(facts, wait.awaited_object))
      line += state_of(facts, *object);
    lines.add(line);
  }
  lines.leave_out(facts.waits_left_out);
  return lines.take();
}

// The ranks as text: "rank 0", "ranks 0, 2, 3 and 5 more".
std::string ranks_of(StuckAtEnd waiting) {
  std::sort(waiting.ranks.begin(), waiting.ranks.end());
  std::string text = waiting.count == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < waiting.ranks.size(); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(waiting.ranks[i]);
  if (waiting.count > waiting.ranks.size())
    text += " and " + std::to_string(waiting.count - waiting.ranks.size()) + " more";
  return text;
}

std::string waits_for_the_end(const StuckFacts& facts) {
  Lines lines;
  for (const StuckAtEnd& waiting : facts.at_end) {
    lines.add("  " + ranks_of(waiting) + ": " + waiting.who + " waits in " + waiting.called +
              " for the end of all other work");
  }
  lines.leave_out(facts.at_end_left_out);
  return lines.take();
}

std::string missing_calls(const StuckFacts& facts) {
  Lines lines;
  for (const StuckObject& object : facts.objects) {
    for (const StuckCall& call : object.set_aside) {
      lines.add(at_rank(object.rank) + facts.name_of(object.id) + ": call " + call.handler +
                " number " + std::to_string(call.sequence) + " from rank " +
                std::to_string(call.origin) + " waits for number " + std::to_string(call.expected));
    }
    lines.leave_out(object.set_aside_count - object.set_aside.size());
  }
  return lines.take();
}

std::string held_objects(const StuckFacts& facts) {
  Lines lines;
  for (const StuckObject& object : facts.objects) {
    if (object.holder != 0)
      lines.add(at_rank(object.rank) + facts.name_of(object.id) + " is held by multicast " +
                name(object.holder));
  }
  return lines.take();
}

std::string epochs(const StuckFacts& facts) {
  Lines lines;
  for (const StuckEpoch& epoch : facts.epochs) {
    lines.add(at_rank(epoch.rank) + "epoch " + name(epoch.epoch) +
              " is not over: " + (epoch.is_open ? "it was not closed, " : "") +
              counted(epoch.unfinished, "handler or call", "handlers or calls") + " of it here");
  }
  lines.leave_out(facts.epochs_left_out);
  return lines.take();
}

// The names as text: "A, B, C and 5 more".
std::string listed(const std::vector<std::string>& names, std::uint64_t count) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  if (count > names.size()) text += " and " + std::to_string(count - names.size()) + " more";
  return text;
}

std::string phases(const StuckFacts& facts) {
  Lines lines;
  for (const StuckPhase& phase : facts.phases) {
    const std::string name = "phase " + std::to_string(phase.number);
    if (phase.missing_count > 0)
      lines.add(at_rank(phase.rank) + name + " of the collection of " + phase.class_name + " (" +
                phase.values + ") waits for the contributions of " +
                std::to_string(phase.missing_count) + " of the " +
                counted(phase.elements, "element", "elements") +
                " that this rank is the home of: " + listed(phase.missing, phase.missing_count));
    for (const StuckPhase::Other& other : phase.others)
      lines.add(at_rank(phase.rank) + other.element + " contributed a value of another type to " +
                name + ": " + other.values);
    for (const std::string& element : phase.came_again)
      lines.add(at_rank(phase.rank) + element + " contributed to " + name + " a second time");
  }
  lines.leave_out(facts.phases_left_out);
  return lines.take();
}

std::string notes(const StuckFacts& facts) {
  Lines lines;
  for (const std::string& line : facts.notes) lines.add(line);
  lines.leave_out(facts.notes_left_out);
  return lines.take();
}

std::string circles(const StuckGraph& graph) {
  std::string text;
  for (std::uint64_t circle = 1; circle <= std::min(graph.circles(), most_circles); ++circle) {
    const auto way = graph.way_round(circle);
    if (way.empty()) continue;
    text +=
        "these wait for each other in a circle:\n  " + graph.nodes()[way.front().from].label + "\n";
    for (const StuckGraph::Edge& edge : way)
      text += "    " + std::string(edge.label) + " " + graph.nodes()[edge.to].label + "\n";
  }
  if (graph.circles() > most_circles)
    text += "and " + std::to_string(graph.circles() - most_circles) + " more circles\n";
  return text;
}

// Says what usually helps. The sentences name the page and the words under which more can be found.
std::string remedies(const StuckFacts& facts, const StuckGraph& graph) {
  using Kind = StuckGraph::Kind;
  bool is_object = false;
  bool is_multicast = false;
  for (const StuckGraph::Node& node : graph.nodes()) {
    if (node.circle == 0) continue;
    is_object = is_object || node.kind == Kind::object;
    is_multicast = is_multicast || node.kind == Kind::multicast;
  }
  const bool is_collective = std::any_of(
      facts.waits.begin(), facts.waits.end(),
      [](const StuckWait& wait) { return wait.waits_for.starts_with("collective call "); });
  std::string text;
  if (is_multicast) {
    text +=
        "a multicast's function uses its objects through its argument and does not call them; a "
        "multicast of its own says .inside = gathered.holder() (docs/guide.md, Several objects at "
        "once)\n";
  } else if (is_object) {
    text +=
        "a method keeps its object while it waits: let others in meanwhile by co_await "
        "roam::without_access(...), or await outside of the method (docs/guide.md, What a handler "
        "may do)\n";
  }
  if (is_collective) {
    text +=
        "collectives, quiescence() and phase() are for all ranks, which call them in the same "
        "order\n";
  }
  return text;
}

// Adds an entry if there are fewer than `most`; else counts it.
template <class T>
void add_up_to(std::vector<T>& all, T one, std::size_t most, std::uint64_t& left_out) {
  if (all.size() < most) {
    all.push_back(std::move(one));
  } else {
    ++left_out;
  }
}

// Replaces a number by a name, but not where the number is the beginning of a longer one.
void replace_name(std::string& text, const std::string& number, const std::string& name) {
  for (std::size_t at = text.find(number); at != std::string::npos;) {
    const std::size_t end = at + number.size();
    const bool is_longer = end < text.size() && text[end] >= '0' && text[end] <= '9';
    if (!is_longer) text.replace(at, number.size(), name);
    at = text.find(number, is_longer ? end : at + name.size());
  }
}

}  // namespace

void StuckFacts::add(StuckWait wait) {
  add_up_to(waits, std::move(wait), most_waits, waits_left_out);
}
void StuckFacts::add(StuckObject object) {
  add_up_to(objects, std::move(object), most_objects, objects_left_out);
}
void StuckFacts::add(StuckAtEnd waiting) {
  const auto same = std::find_if(at_end.begin(), at_end.end(), [&](const StuckAtEnd& other) {
    return other.who == waiting.who && other.called == waiting.called;
  });
  if (same == at_end.end())
    return add_up_to(at_end, std::move(waiting), most_at_end, at_end_left_out);
  same->count += waiting.count;
  for (const std::int32_t rank : waiting.ranks) {
    if (same->ranks.size() < StuckAtEnd::most_ranks) same->ranks.push_back(rank);
  }
}
void StuckFacts::add(StuckName name) {
  const std::string number = "object " + to_string(ObjectId(name.id));
  for (StuckWait& wait : waits) {
    replace_name(wait.who, number, name.name);
    replace_name(wait.waits_for, number, name.name);
  }
  if (!has_name(name.id) && names.size() < most_names) names.push_back(std::move(name));
}
std::vector<std::uint64_t> StuckFacts::objects_told_of() const {
  std::vector<std::uint64_t> ids;
  for (const StuckWait& wait : waits) {
    ids.push_back(wait.subject);
    ids.push_back(wait.awaited_object);
  }
  for (const StuckObject& object : objects) ids.push_back(object.id);
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}
bool StuckFacts::has_name(std::uint64_t object) const {
  return std::any_of(names.begin(), names.end(),
                     [object](const StuckName& name) { return name.id == object; });
}
std::string StuckFacts::name_of(std::uint64_t object) const {
  const auto found = std::find_if(names.begin(), names.end(),
                                  [object](const StuckName& name) { return name.id == object; });
  return found == names.end() ? "object " + to_string(ObjectId(object)) : found->name;
}
void StuckFacts::add(StuckEpoch epoch) {
  add_up_to(epochs, std::move(epoch), most_epochs, epochs_left_out);
}
void StuckFacts::add(StuckPhase phase) {
  add_up_to(phases, std::move(phase), most_phases, phases_left_out);
}
void StuckFacts::add_note(std::string line) {
  add_up_to(notes, std::move(line), most_notes, notes_left_out);
}
void StuckFacts::add(StuckFacts other) {
  for (StuckWait& wait : other.waits) add(std::move(wait));
  for (StuckObject& object : other.objects) add(std::move(object));
  for (StuckAtEnd& waiting : other.at_end) add(std::move(waiting));
  for (StuckName& name : other.names) add(std::move(name));
  for (StuckEpoch& epoch : other.epochs) add(std::move(epoch));
  for (StuckPhase& phase : other.phases) add(std::move(phase));
  for (std::string& line : other.notes) add_note(std::move(line));
  waits_left_out += other.waits_left_out;
  at_end_left_out += other.at_end_left_out;
  objects_left_out += other.objects_left_out;
  epochs_left_out += other.epochs_left_out;
  phases_left_out += other.phases_left_out;
  notes_left_out += other.notes_left_out;
}

std::string describe(const StuckFacts& facts) {
  const StuckGraph graph(facts);
  return "no progress is possible: nothing runs and no message is under way, but\n" + waits(facts) +
         waits_for_the_end(facts) + missing_calls(facts) + held_objects(facts) + phases(facts) +
         epochs(facts) + notes(facts) + circles(graph) + remedies(facts, graph);
}

}  // namespace roam::mobile
