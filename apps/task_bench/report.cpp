// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <cinttypes>
#include <cstdio>

#include "work.hpp"

namespace task_bench {

namespace {

void describe(const Graph& graph) {
  const GraphSettings& settings = graph.settings();
  std::printf("    Task Graph %d:\n", graph.number() + 1);
  std::printf("      Time Steps: %" PRId64 "\n", settings.steps);
  std::printf("      Max Width: %" PRId64 "\n", settings.width);
  std::printf("      Dependence Type: %s\n", name_of(settings.pattern));
  std::printf("      Radix: %" PRId64 "\n", settings.radix);
  std::printf("      Period: %" PRId64 "\n", settings.period);
  std::printf("      Fraction Connected: %f\n", settings.fraction);
  std::printf("      Kernel:\n");
  std::printf("        Type: %s\n", name_of(settings.kernel));
  std::printf("        Iterations: %" PRId64 "\n", settings.iterations);
  std::printf("        Samples: %" PRId64 "\n", settings.samples);
  std::printf("        Imbalance: %f\n", settings.imbalance);
  std::printf("      Output Bytes: %" PRId64 "\n", settings.output_bytes);
  std::printf("      Scratch Bytes: %" PRId64 "\n", settings.scratch_bytes);
}

}  // namespace

void report(const std::vector<Graph>& graphs, std::int64_t ranks, double seconds) {
  std::printf("Running Task Benchmark\n  Configuration:\n");
  std::int64_t tasks = 0;
  std::int64_t dependences = 0;
  std::int64_t nonlocal = 0;
  std::int64_t flops = 0;
  std::int64_t bytes = 0;
  std::int64_t transferred = 0;
  for (const Graph& graph : graphs) {
    describe(graph);
    const std::int64_t between = graph.dependences_between(ranks);
    tasks += graph.tasks();
    dependences += graph.dependences();
    nonlocal += between;
    flops += flops_of(graph);
    bytes += bytes_of(graph);
    transferred += between * graph.settings().output_bytes;
  }
  std::printf("Total Tasks %" PRId64 "\n", tasks);
  std::printf("Total Dependencies %" PRId64 "\n", dependences);
  std::printf("  Local Dependencies %" PRId64 " (estimated)\n", dependences - nonlocal);
  std::printf("  Nonlocal Dependencies %" PRId64 " (estimated)\n", nonlocal);
  std::printf("  Number of Nodes (used for estimate) %" PRId64 "\n", ranks);
  std::printf("Total FLOPs %" PRId64 "\n", flops);
  std::printf("Total Bytes %" PRId64 "\n", bytes);
  std::printf("Elapsed Time %e seconds\n", seconds);
  std::printf("FLOP/s %e\n", static_cast<double>(flops) / seconds);
  std::printf("B/s %e\n", static_cast<double>(bytes) / seconds);
  std::printf("Transfer (estimated):\n");
  std::printf("  Nonlocal Bytes %" PRId64 "\n", transferred);
  std::printf("  Nonlocal Bandwidth %e B/s\n", static_cast<double>(transferred) / seconds);
}

}  // namespace task_bench
