// SPDX-License-Identifier: Apache-2.0
// What to take if nothing is known of a program.
#include "diffusion.hpp"
#include "roam/balance/registry.hpp"

namespace roam::balance {
namespace {

// Up to here, looking at all objects on one rank takes a few milliseconds at most.
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
