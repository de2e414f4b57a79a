// SPDX-License-Identifier: Apache-2.0
// Refines all subdomains one after the other, without the runtime: for measuring their costs and as
// the reference that parallel runs are compared with.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>

#include "external_program.hpp"
#include "input_error.hpp"
#include "mesh_output.hpp"
#include "pipeline.hpp"
#include "verification.hpp"

namespace {

using namespace mesh_refine;

struct Options {
  std::string input;
  std::string output;
  Parameters parameters = demo_parameters();
  std::size_t ranks = 2;
  bool list = false;
};

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Refines every subdomain; seconds each took.
std::vector<double> refine_all(Problem& problem, const RefineSettings& settings, bool list) {
  std::vector<double> seconds;
  for (Subdomain& s : problem.subdomains) {
    const double estimate = estimated_cost(s, problem.size);
    const double start = seconds_now();
    s.refine(problem.size, settings);
    seconds.push_back(seconds_now() - start);
    if (list) {
      std::printf("%4" PRIu32 "  %6" PRIu64 " -> %7zu tetrahedra, estimate %8.0f, %.4f s\n", s.id,
                  s.coarse_tets, s.tets.size(), estimate, seconds.back());
    }
  }
  return seconds;
}

void print_costs(const std::vector<double>& seconds, std::size_t ranks) {
  std::vector<double> rank_seconds(ranks, 0.0);
  double total = 0.0;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    rank_seconds[block_owner(i, seconds.size(), ranks)] += seconds[i];
    total += seconds[i];
  }
  const auto [least, most] = std::ranges::minmax(seconds);
  const double longest = std::ranges::max(rank_seconds);
  std::printf("refinement         %.2f s\n", total);
  std::printf("subdomain cost     %.4f s to %.4f s: %.0f-fold, largest %.2f %% of all\n", least,
              most, most / least, 100.0 * most / total);
  std::printf("block efficiency   %.3f on %zu ranks\n",
              total / static_cast<double>(ranks) / longest, ranks);
}

void print_report(const MeshReport& report) {
  std::printf("tetrahedra         %" PRIu64 " of %" PRIu64 " coarse ones\n", report.tets,
              report.coarse_tets);
  std::printf("faces              %" PRIu64 " interface, %" PRIu64 " surface\n",
              report.interface_faces, report.surface_faces);
  std::printf("quality            worst %.4f, mean %.4f; dihedral angles %.2f to %.2f degrees\n",
              report.worst_quality, report.mean_quality, report.smallest_dihedral_degrees,
              report.largest_dihedral_degrees);
  std::printf("volume             %.12g, relative error %.1e\n", report.volume,
              report.volume_error);
  std::printf("checksum           %016" PRIx64 "\n", report.checksum);
  for (const std::string& failure : report.failures) std::printf("FAILED: %s\n", failure.c_str());
}

int run(const Options& options) {
  const double start = seconds_now();
  Problem problem = prepare(options.input, options.parameters);
  std::printf(
      "preparation        %.2f s: %zu coarse tetrahedra, %zu subdomains, sizes %.4g to %.4g\n",
      seconds_now() - start, problem.coarse_tets, problem.subdomains.size(), problem.size.smallest,
      problem.size.largest);
  print_costs(refine_all(problem, options.parameters.refine, options.list), options.ranks);

  Verifier verifier;
  MeshJoiner joiner;
  for (const Subdomain& s : problem.subdomains) {
    verifier.add(s.statistics(), s.interface_faces());
    if (options.output.empty()) continue;
    joiner.add(
        s, static_cast<std::int32_t>(block_owner(s.id, problem.subdomains.size(), options.ranks)));
  }
  const MeshReport report = verifier.finish(problem.subdomains.size(), problem.volume);
  print_report(report);
  if (!options.output.empty()) write_vtu(joiner.take(), options.output);
  return report.passed() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"Refines a tetrahedral mesh subdomain by subdomain on one core"};
  Parameters& p = options.parameters;
  bool small = false;
  app.add_option("input", options.input, "surface (.off .stl .ply) or tetrahedra (.node .mesh ...)")
      ->required();
  app.add_option("--output", options.output, "VTU file to write");
  app.add_option("--elements", p.grading.elements, "wanted number of tetrahedra")
      ->check(CLI::Range(1e3, 1e9));
  app.add_option("--ratio", p.grading.ratio, "largest over smallest wanted edge length")
      ->check(CLI::Range(1.0, 100.0));
  app.add_option("--subdomains", p.partition.subdomains)->check(CLI::Range(1, 1'000'000));
  app.add_option("--cost-exponent", p.partition.cost_exponent)->check(CLI::Range(0.0, 1.0));
  app.add_option("--coarse-factor", p.coarse.size_factor)->check(CLI::Range(1.0, 100.0));
  app.add_option("--sweeps", p.refine.improvement_sweeps)->check(CLI::Range(0, 1000));
  app.add_option("--ranks", options.ranks, "ranks of the block assignment")
      ->check(CLI::Range(1, 1'000'000));
  app.add_flag("--list", options.list, "one line per subdomain");
  app.add_flag("--small", small, "the test's parameters");
  CLI11_PARSE(app, argc, argv);
  if (small) p = test_parameters();
  try {
    return run(options);
  } catch (const InputError& error) {
    std::fprintf(stderr, "mesh_refine_serial: %s\n", error.what());
    return 2;
  } catch (const MissingProgram& error) {
    std::fprintf(stderr, "mesh_refine_serial: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mesh_refine_serial: %s\n", error.what());
    return 1;
  }
}
