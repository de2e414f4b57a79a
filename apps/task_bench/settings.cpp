// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <functional>
#include <map>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "graph.hpp"

namespace task_bench {

namespace {

constexpr const char* help =
    "Task Bench: graphs of tasks in steps (Slaughter et al., SC20).\n"
    "Usage: task_bench [options of a graph] [-and options of another]... [options of the run]\n"
    "Of each graph:\n"
    "  -steps N        steps (4)\n"
    "  -width N        tasks of a step (4)\n"
    "  -type PATTERN   trivial, no_comm, stencil_1d, stencil_1d_periodic, dom, tree, fft,\n"
    "                  all_to_all, nearest, spread, random_nearest (trivial)\n"
    "  -radix N        inputs of a task: nearest, spread, random_nearest (3)\n"
    "  -period N       steps after which spread, random_nearest repeat (3)\n"
    "  -fraction X     part of its inputs that random_nearest has (0.25)\n"
    "  -kernel KERNEL  empty, compute_bound, memory_bound, load_imbalance (empty)\n"
    "  -iter N         iterations of the kernel (0)\n"
    "  -output BYTES   that a task hands on (16)\n"
    "  -scratch BYTES  that memory_bound works on (0)\n"
    "  -sample N       parts of them, one of which an iteration copies (16)\n"
    "  -imbalance X    tasks of load_imbalance take 1 - X/2 to 1 + X/2 (0)\n"
    "  -persistent-imbalance   the same in all steps\n"
    "  -and            another graph, beside this one\n"
    "Of the run:\n"
    "  -plant STEP     wires the tasks of this step one point too far: to see that it is found\n";

template <class T>
T number_of(std::string_view option, std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw std::invalid_argument(std::string(option) + ": " + std::string(text) + " is no number");
  return value;
}

template <class Enum>
Enum named(std::string_view option, std::string_view text, int count) {
  for (int i = 0; i < count; ++i) {
    if (text == name_of(static_cast<Enum>(i))) return static_cast<Enum>(i);
  }
  throw std::invalid_argument(std::string(option) + ": there is no " + std::string(text));
}

using Set = std::function<void(std::string_view option, std::string_view text)>;

template <class T>
Set number(T& target) {
  return [&target](std::string_view option, std::string_view text) {
    target = number_of<T>(option, text);
  };
}

std::map<std::string_view, Set> options_of(GraphSettings& graph) {
  return {
      {"-steps", number(graph.steps)},
      {"-width", number(graph.width)},
      {"-radix", number(graph.radix)},
      {"-period", number(graph.period)},
      {"-fraction", number(graph.fraction)},
      {"-iter", number(graph.iterations)},
      {"-output", number(graph.output_bytes)},
      {"-scratch", number(graph.scratch_bytes)},
      {"-sample", number(graph.samples)},
      {"-imbalance", number(graph.imbalance)},
      {"-type",
       [&graph](auto option, auto text) {
         graph.pattern = named<Pattern>(option, text, pattern_count);
       }},
      {"-kernel",
       [&graph](auto option, auto text) {
         graph.kernel = named<Kernel>(option, text, kernel_count);
       }},
  };
}

void read(int argc, char** argv, const std::vector<std::string>& models, Settings& settings) {
  GraphSettings graph;
  auto options = options_of(graph);
  options.emplace("-plant", number(settings.planted));
  if (models.empty()) {
    options.emplace("-threads", number(settings.threads));
  } else {
    options.emplace("-iteration-seconds", number(settings.iteration_seconds));
    options.emplace("-model", [&](std::string_view option, std::string_view text) {
      if (std::find(models.begin(), models.end(), text) == models.end())
        throw std::invalid_argument(std::string(option) + ": there is no " + std::string(text));
      settings.model = text;
    });
  }
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "-and") {
      settings.graphs.push_back(graph);
    } else if (option == "-persistent-imbalance") {
      graph.is_persistent = true;
    } else {
      const auto found = options.find(option);
      if (found == options.end())
        throw std::invalid_argument("unknown option " + std::string(option) + " (see -h)");
      if (i + 1 == argc) throw std::invalid_argument(std::string(option) + " needs a value");
      found->second(option, argv[++i]);
    }
  }
  settings.graphs.push_back(graph);
  for (GraphSettings& one : settings.graphs) {
    one.radix = std::min(one.radix, one.width);
    check(one);
  }
}

}  // namespace

int read_settings(int argc, char** argv, const std::vector<std::string>& models,
                  Settings& settings) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option != "-h" && option != "-help" && option != "--help") continue;
    std::fputs(help, stdout);
    if (models.empty()) {
      std::puts("  -threads N      of OpenMP, of StarPU");
      return 0;
    }
    std::fputs("  -model MODEL    how the program is written:", stdout);
    for (const std::string& model : models) std::printf(" %s", model.c_str());
    std::printf(" (%s)\n", settings.model.c_str());
    std::puts(
        "  -iteration-seconds S  on simulated machines: what an iteration takes, in place of it\n"
        "Roam's own options are listed by --roam-help.");
    return 0;
  }
  try {
    read(argc, argv, models, settings);
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "task_bench: %s\n", error.what());
    return 2;
  }
  return -1;
}

}  // namespace task_bench
