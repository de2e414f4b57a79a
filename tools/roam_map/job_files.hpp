// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "hosts.hpp"
#include "plan.hpp"

namespace roam_map {

/// Open MPI's rankfile (mpirun --rankfile): a line "rank 0=tux0 slot=0:3" for each rank, with
/// logical numbers, which Open MPI expects since 1.7 unless rmaps_rank_file_physical is set.
[[nodiscard]] std::string rankfile_text(std::span<const std::int32_t> placement,
                                        const Hosts& hosts);

/// Slurm's host file (SLURM_HOSTFILE, srun --distribution=arbitrary): the host of each rank.
[[nodiscard]] std::string slurm_text(std::span<const std::int32_t> placement, const Hosts& hosts);

/// The host file of MPICH's Hydra (mpiexec -f): "tux0:4" for consecutive ranks on one host. Hydra
/// gives ranks to hosts in this order.
[[nodiscard]] std::string mpich_text(std::span<const std::int32_t> placement, const Hosts& hosts);

/// True if the ranks of some host are not consecutive. Hydra then takes each line for a host of its
/// own.
[[nodiscard]] bool has_scattered_host(std::span<const std::int32_t> placement, const Hosts& hosts);

/// The rank that each process should take, one line for each present rank: keys for MPI_Comm_split.
/// Both placements use the same leaves.
[[nodiscard]] std::string order_text(const Plan& plan);

}  // namespace roam_map
