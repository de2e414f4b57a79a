// SPDX-License-Identifier: Apache-2.0
// Prints and draws the tree of a machine: roam topology SOURCE [--html FILE]
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "job.hpp"
#include "outline.hpp"
#include "page.hpp"
#include "ranks.hpp"
#include "roam/core/error.hpp"
#include "roam/topology/detail/source.hpp"
#include "support/program.hpp"
#include "support/text_file.hpp"
#include "support/tree_choice.hpp"

namespace roam_topology {

namespace {

struct Settings {
  std::string source = "here";
  std::string end_at;
  std::string ranks;
  std::string job;
  std::string html;
  bool as_notation = false;
};

/// Returns the exit status, or a negative number to continue.
int read_settings(int argc, char** argv, Settings& settings) {
  CLI::App app("Prints how the cores of a machine sit together.\n" + roam_tools::help_on_sources());
  app.add_option("SOURCE", settings.source, "what to print")->capture_default_str();
  app.add_option("--end-at", settings.end_at, "the level whose groups become the leaves: core");
  app.add_option("--ranks", settings.ranks, "the leaves on which ranks 0, 1, ... are: 0-3,8");
  app.add_option("--job", settings.job,
                 "the trace of a job (--roam-trace), whose ranks are shown where they ran")
      ->excludes("--ranks");
  app.add_option("--html", settings.html, "page to write, with a drawing");
  app.add_flag("--notation", settings.as_notation, "prints the compact notation alone");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error);
    return status == 0 ? 0 : 2;
  }
  return -1;
}

/// The level whose groups become the leaves.
std::size_t last_level(const Settings& settings, const roam::MachineTree& tree) {
  if (settings.end_at.empty()) return tree.depth();
  return roam_tools::level_named(tree, settings.end_at, 1, "--end-at");
}

/// The ranks on the leaves of `shown`, which is `tree` up to some level.
RanksOnLeaves ranks_to_show(const Settings& settings, const roam::MachineTree& tree,
                            const roam::MachineTree& shown) {
  if (!settings.ranks.empty()) return {settings.ranks, shown};
  if (settings.job.empty()) return {};
  const std::vector<JobRank> ranks = read_job(settings.job);
  std::vector<std::vector<std::int32_t>> leaves = leaves_of(ranks, tree, settings.job);
  for (std::vector<std::int32_t>& of_rank : leaves) {
    for (std::int32_t& leaf : of_rank) leaf = tree.ancestor(leaf, shown.depth());
  }
  if (!std::ranges::all_of(ranks, [](const JobRank& r) { return r.is_bound || r.host.empty(); }))
    std::fprintf(stderr, "roam-topology: ranks that are not bound are on all cores they may use\n");
  return {leaves, shown};
}

int run(int argc, char** argv) {
  Settings settings;
  if (const int status = read_settings(argc, argv, settings); status >= 0) return status;
  const roam::MachineTree whole = roam::topology::read_tree(settings.source, "SOURCE");
  const std::size_t last = last_level(settings, whole);
  const roam::MachineTree tree = last == whole.depth() ? whole : whole.ending_at(last);
  const RanksOnLeaves ranks = ranks_to_show(settings, whole, tree);
  if (settings.as_notation) {
    std::printf("%s\n", roam::to_text(tree).c_str());
  } else {
    std::printf("%s\n%s", table_text(tree).c_str(), outline_text(tree, ranks).c_str());
  }
  if (settings.html.empty()) return 0;
  const std::string source = settings.source == "here" ? "This machine" : settings.source;
  roam_tools::write_text_file(settings.html, page(tree, ranks, source), "--html");
  return 0;
}

}  // namespace
}  // namespace roam_topology

int main(int argc, char** argv) {
  return roam_tools::run_program("roam-topology", roam_topology::run, argc, argv);
}
