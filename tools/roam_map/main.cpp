// SPDX-License-Identifier: Apache-2.0
// Finds out where ranks should be on a machine, given their communication: roam map DATA --topology
// SOURCE
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hosts.hpp"
#include "job_files.hpp"
#include "matrix.hpp"
#include "plan.hpp"
#include "rank_communication.hpp"
#include "roam/core/error.hpp"
#include "roam/topology/detail/source.hpp"
#include "settings.hpp"
#include "summary.hpp"
#include "support/program.hpp"
#include "support/text_file.hpp"
#include "support/tree_choice.hpp"

namespace roam_map {

namespace {

struct File {
  std::string option;
  std::string path;
  std::string text;
};

std::optional<Hosts> hosts_for(const Settings& settings, const roam::MachineTree& tree,
                               std::size_t end) {
  HostChoice choice{std::nullopt, settings.hosts};
  if (!settings.host_level.empty())
    choice.level = roam_tools::level_named(tree, settings.host_level, 0, "--host-level");
  if (!settings.names_hosts() && settings.hosts.empty()) return std::nullopt;
  return Hosts(tree, end, choice);
}

std::vector<File> files_for(const Settings& settings, const Plan& plan,
                            const std::optional<Hosts>& hosts) {
  std::vector<File> files;
  const auto add = [&files](const char* option, const std::string& path, auto text) {
    if (!path.empty()) files.push_back({option, path, text()});
  };
  add("--rankfile", settings.rankfile, [&] { return rankfile_text(plan.proposed, *hosts); });
  add("--slurm", settings.slurm, [&] { return slurm_text(plan.proposed, *hosts); });
  add("--mpich", settings.mpich, [&] { return mpich_text(plan.proposed, *hosts); });
  add("--order", settings.order, [&] { return order_text(plan); });
  return files;
}

int run(int argc, char** argv) {
  Settings settings;
  if (const int status = read_settings(argc, argv, settings); status >= 0) return status;
  const roam::MachineTree whole = roam::topology::read_tree(settings.topology, "--topology");
  const std::size_t end = settings.end_at.empty()
                              ? whole.depth()
                              : roam_tools::level_named(whole, settings.end_at, 1, "--end-at");
  const std::optional<Hosts> hosts = hosts_for(settings, whole, end);
  const RankCommunication communication =
      settings.matrix.empty() ? communication_of_lb_data(settings.paths, settings.phase)
                              : communication_of_matrix(settings.matrix);
  const roam::MachineTree tree = whole.ending_at(end);
  const Plan plan = make_plan(communication, tree,
                              present_placement(settings.ranks_on, communication.ranks, tree),
                              settings.order.empty() ? Places::all : Places::present);
  const std::vector<File> files = files_for(settings, plan, hosts);
  std::printf("%s", summary_text(communication, tree, plan).c_str());
  for (const File& file : files) roam_tools::write_text_file(file.path, file.text, file.option);
  if (!settings.mpich.empty() && has_scattered_host(plan.proposed, *hosts)) {
    std::printf(
        "%s lists hosts more than once: MPICH takes them for different ones, between which ranks "
        "share no memory. --order avoids that.\n",
        settings.mpich.c_str());
  }
  return 0;
}

}  // namespace
}  // namespace roam_map

int main(int argc, char** argv) {
  return roam_tools::run_program("roam-map", roam_map::run, argc, argv);
}
