// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <CLI/CLI.hpp>

#include "roam/core/error.hpp"
#include "support/tree_choice.hpp"

namespace roam_map {

int read_settings(int argc, char** argv, Settings& settings) {
  CLI::App app(
      "From what the ranks of a job told each other, says how they should be placed on a machine, "
      "and what that would save.\n"
      "Each rank gets a core of its own, or another leaf of the machine's tree.",
      "roam-map");
  app.add_option("files", settings.paths,
                 "LB data files of a Roam or vt job (JSON, one per rank), or folders of them");
  app.add_option(
      "-m,--matrix", settings.matrix,
      "in their place, a text file of bytes: a row for each rank, a column for each that "
      "it sends to;\nspaces or commas between numbers, '#' begins a comment");
  app.add_option("-p,--phase", settings.phase, "what was said in this phase alone")
      ->check(CLI::NonNegativeNumber);
  app.add_option("-t,--topology", settings.topology, "the machine, a SOURCE (below)")->required();
  app.add_option("--end-at", settings.end_at,
                 "the level whose groups get one rank each: core, package, node");
  app.add_option("--ranks-on", settings.ranks_on,
                 "the leaves on which ranks 0, 1, ... are now: 0-3,8; without it, the first leaves "
                 "that may be used");
  app.add_option("--hosts", settings.hosts,
                 "names of the hosts: tux[0-3]; without it those that the machine's description "
                 "has,\nor localhost for a single machine");
  app.add_option("--host-level", settings.host_level,
                 "the level whose groups are the hosts; without it \"node\", or the machine if "
                 "there is no such level");
  app.add_option(
      "--rankfile", settings.rankfile,
      "write a rankfile for mpirun --rankfile of Open MPI, with logical numbers of "
      "packages and cores,\nas Open MPI reads them unless rmaps_rank_file_physical is 1");
  app.add_option("--slurm", settings.slurm,
                 "write a file for SLURM_HOSTFILE and srun --distribution=arbitrary: the host of "
                 "each rank");
  app.add_option("--mpich", settings.mpich,
                 "write a host file for mpiexec -f of MPICH: hosts in the order of ranks, with "
                 "numbers of ranks");
  app.add_option("--order", settings.order,
                 "write the new rank of each present one, a line each: keys for splitting the "
                 "communicator of all.\nRanks then exchange their places and take no others");
  app.footer(roam_tools::help_on_sources());
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error);
    return status == 0 ? 0 : 2;
  }
  if (settings.paths.empty() == settings.matrix.empty()) {
    throw roam::ConfigError(settings.matrix.empty()
                                ? "give files of recorded loads, or a matrix by --matrix"
                                : "--matrix: allowed instead of files of recorded loads, not both");
  }
  if (settings.phase && !settings.matrix.empty())
    throw roam::ConfigError("--phase: a matrix has no phases");
  return -1;
}

}  // namespace roam_map
