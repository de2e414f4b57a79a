// SPDX-License-Identifier: Apache-2.0
#include "parallel/parallel_run.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "coarse/preparation_error.hpp"
#include "parallel/mobile_subdomain.hpp"
#include "parallel/run_figures.hpp"
#include "parallel/serial_run.hpp"
#include "read/input_error.hpp"
#include "show/mesh_output.hpp"

namespace mesh_refine {
namespace {

/// What rank 0 knows of the problem while its subdomains are on other ranks.
struct Plan {
  SizeField size;
  double volume = 0.0;
  double preparation_seconds = 0.0;
  double tetgen_seconds = 0.0;
  std::uint64_t tetgen_bytes = 0;
  double thin_triangles = 0.0;
  std::vector<roam::mobile_ptr<MobileSubdomain>> subdomains;  ///< by id
  std::vector<double> weights;                                ///< expected costs, by id
  std::vector<std::size_t> bytes;  ///< packed size by id, if it is wanted
  std::vector<Subdomain> copies;   ///< for the serial run
};

/// Throws if the file cannot be written, before anything is computed.
void check_writable(const std::filesystem::path& file) {
  if (file.empty()) return;
  const bool existed = std::filesystem::exists(file);
  if (!std::ofstream(file, std::ios::app)) {
    throw InputError(file, 0, "a file that cannot be written", "a writable one");
  }
  if (!existed) std::filesystem::remove(file);
}

/// Prints a line about a step of the preparation, for users who ask for progress.
void show_step(const std::string& step) { std::fprintf(stderr, "mesh_refine: %s\n", step.c_str()); }

std::optional<Problem> prepare_or_report(const ProgramSettings& settings, bool progress) {
  std::string reason;
  try {
    check_writable(settings.vtu);
    check_writable(settings.json);
    check_writable(settings.costs);
    Problem problem = progress ? prepare(settings.input, settings.parameters, show_step)
                               : prepare(settings.input, settings.parameters);
    if (!problem.note.empty() && !settings.quiet) show_step(problem.note);
    return problem;
  } catch (const InputError& error) {
    reason = error.what();
  } catch (const PreparationError& error) {
    reason = error.what();
  }
  std::fprintf(stderr, "mesh_refine: %s\n", reason.c_str());
  return std::nullopt;
}

std::size_t packed_bytes(const Subdomain& subdomain) {
  roam::core::Packer packer{roam::core::Buffer()};
  roam::core::pack(packer, subdomain);
  return packer.size();
}

/// Makes a mobile object of each subdomain and sends it to the rank that the block assignment
/// determines.
Plan disperse(roam::Runtime& rt, Problem&& problem, const ProgramSettings& settings) {
  Plan plan;
  plan.size = problem.size;
  plan.volume = problem.volume;
  plan.tetgen_seconds = problem.tetgen_seconds;
  plan.tetgen_bytes = problem.tetgen_bytes;
  plan.thin_triangles = problem.thin_triangles;
  if (settings.verify) plan.copies = problem.subdomains;
  const std::size_t count = problem.subdomains.size();
  for (std::size_t i = 0; i < count; ++i) {
    plan.weights.push_back(estimated_cost(problem.subdomains[i], plan.size));
    if (!settings.costs.empty()) plan.bytes.push_back(packed_bytes(problem.subdomains[i]));
    const auto object =
        rt.create<MobileSubdomain>(MobileSubdomain{.subdomain = std::move(problem.subdomains[i])});
    const auto ranks = static_cast<std::size_t>(rt.size());
    object.migrate(static_cast<std::int32_t>(block_owner(i, count, ranks)));
    plan.subdomains.push_back(object);
  }
  return plan;
}

/// Collects the reports of all subdomains, by id; they compute them concurrently.
roam::Task<std::vector<SubdomainReport>> collect(const Plan& plan) {
  std::vector<roam::Reply<SubdomainReport>> replies;
  for (const auto& subdomain : plan.subdomains) {
    replies.push_back(subdomain.call<&MobileSubdomain::report>());
  }
  std::vector<SubdomainReport> reports;
  for (auto& reply : replies) reports.push_back(co_await std::move(reply));
  co_return reports;
}

roam::Task<> write_mesh(const Plan& plan, const std::vector<SubdomainReport>& reports,
                        const std::filesystem::path& file) {
  MeshJoiner joiner;
  for (std::size_t i = 0; i < plan.subdomains.size(); ++i) {
    joiner.add(co_await plan.subdomains[i].call<&MobileSubdomain::mesh>(), reports[i].rank);
  }
  write_vtu(joiner.take(), file);
}

void add_costs(const std::vector<SubdomainReport>& reports, std::size_t ranks,
               RunFigures& figures) {
  const auto [least, most] = std::ranges::minmax(reports, {}, &SubdomainReport::seconds);
  figures.cheapest_seconds = least.seconds;
  figures.costliest_seconds = most.seconds;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    figures.refinement_seconds += reports[i].seconds;
    const auto at_first = static_cast<std::int32_t>(block_owner(i, reports.size(), ranks));
    if (reports[i].rank != at_first) ++figures.away;
  }
}

void write_costs(const Plan& plan, const std::vector<SubdomainReport>& reports,
                 const std::filesystem::path& file) {
  std::ofstream stream(file);
  stream << "seconds,weight,bytes\n";
  for (std::size_t i = 0; i < reports.size(); ++i) {
    stream << reports[i].seconds << ',' << plan.weights[i] << ',' << plan.bytes[i] << '\n';
  }
  if (!stream.flush()) throw std::runtime_error(file.string() + ": cannot be written");
}

MeshReport verify(const Plan& plan, const std::vector<SubdomainReport>& reports) {
  Verifier verifier;
  for (const SubdomainReport& report : reports) verifier.add(report.statistics, report.faces);
  return verifier.finish(plan.subdomains.size(), plan.volume);
}

void compare_with_serial(Plan& plan, const std::vector<SubdomainReport>& reports,
                         const ProgramSettings& settings, RunFigures& figures) {
  std::vector<SubdomainStatistics> parallel;
  for (const SubdomainReport& report : reports) parallel.push_back(report.statistics);
  const SerialRun serial =
      compare_with_serial(std::move(plan.copies), plan.size, settings.parameters.refine, parallel);
  figures.serial_seconds = serial.seconds;
  auto& failures = figures.mesh.failures;
  failures.insert(failures.end(), serial.failures.begin(), serial.failures.end());
}

/// Checks and reports on rank 0, after refinement.
roam::Task<int> conclude(roam::Runtime& rt, Plan plan, std::vector<roam::RankStatistics> ranks,
                         const ProgramSettings& settings) {
  const std::vector<SubdomainReport> reports = co_await collect(plan);
  RunFigures figures;
  figures.input = settings.input.filename().string();
  figures.balancer = rt.options().balancer.name;
  figures.transport = rt.options().transport;
  figures.preparation_seconds = plan.preparation_seconds;
  figures.tetgen_seconds = plan.tetgen_seconds;
  figures.tetgen_bytes = plan.tetgen_bytes;
  figures.thin_triangles = plan.thin_triangles;
  figures.ranks = std::move(ranks);
  figures.mesh = verify(plan, reports);
  add_costs(reports, figures.ranks.size(), figures);
  if (settings.verify) compare_with_serial(plan, reports, settings, figures);
  if (!settings.quiet) print_figures(figures);
  for (const std::string& failure : figures.mesh.failures) {
    std::fprintf(stderr, "mesh_refine: check failed: %s\n", failure.c_str());
  }
  if (!settings.json.empty()) write_figures(figures, settings.json);
  if (!settings.costs.empty()) write_costs(plan, reports, settings.costs);
  if (!settings.vtu.empty()) co_await write_mesh(plan, reports, settings.vtu);
  co_return figures.mesh.passed() ? 0 : 1;
}

}  // namespace

roam::Task<> refine_in_parallel(roam::Runtime& rt, const ProgramSettings& settings,
                                int& exit_status) {
  Plan plan;
  rt.enable_balancing(false);
  if (rt.rank() == 0) {
    const auto start = std::chrono::steady_clock::now();
    // Without a problem there are no objects, and all ranks go straight to the end.
    if (auto problem = prepare_or_report(settings, rt.options().progress)) {
      plan = disperse(rt, std::move(*problem), settings);
      plan.preparation_seconds = roam::seconds(std::chrono::steady_clock::now() - start);
    } else {
      exit_status = 2;
    }
  }
  co_await rt.quiescence();  // the subdomains are dispersed
  rt.enable_balancing(true);
  rt.begin_measurement();
  co_await rt.quiescence();  // all ranks measure
  for (std::size_t i = 0; i < plan.subdomains.size(); ++i) {
    plan.subdomains[i].send_with<&MobileSubdomain::refine>({.weight = plan.weights[i]}, plan.size,
                                                           settings.parameters.refine);
  }
  co_await rt.quiescence();
  rt.end_measurement();
  rt.enable_balancing(false);
  auto statistics = co_await rt.gather_statistics();
  if (plan.subdomains.empty()) co_return;
  exit_status = co_await conclude(rt, std::move(plan), std::move(statistics), settings);
}

}  // namespace mesh_refine
