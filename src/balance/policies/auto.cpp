// SPDX-License-Identifier: Apache-2.0
// What to take if nothing is known of a program.
#include "diffusion.hpp"
#include "roam/balance/registry.hpp"

namespace roam::balance {
namespace {

// Objects of a job, up to which one rank places them all: refine then takes a few milliseconds at
// most (bench_strategies).
constexpr std::uint64_t most_objects_of_one_rank = 4096;

const PolicyRegistrar registrar{
    {.name = "auto",
     .description = "diffusion; at the ends of phases also refine, for large jobs hybrid",
     .parameters = {},
     .create = [](const Parameters&, PolicyHost& host) -> std::unique_ptr<Policy> {
       DiffusionSettings settings;
       settings.name = "auto";
       return std::make_unique<Diffusion>(settings, host);
     },
     .at_phases = {{{"refine", {}}, most_objects_of_one_rank},
                   {{"hybrid", {{"inside", "refine"}}}}}}};

}  // namespace
}  // namespace roam::balance
