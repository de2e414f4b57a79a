// SPDX-License-Identifier: Apache-2.0
// The default choice for programs of which nothing is known.
#include "diffusion.hpp"
#include "roam/balance/registry.hpp"

namespace roam::balance {
namespace {

// Where ranks wait for less of a phase than this, communication is not worth looking at. Chosen:
// what can be gained is a part of it, and even without communication a phase has some such time.
constexpr double least_waits = 0.1;
// The largest number of objects that one rank places for the whole job: refine then takes some
// tenths of a second at most, much of it to save moves.
constexpr std::uint64_t most_objects_of_one_rank = 4096;

const PolicyRegistrar registrar{
    {.name = "auto",
     .description =
         "diffusion; at the ends of phases also refine (large jobs: hybrid), or topology "
         "where ranks wait for messages",
     .parameters = {},
     .create = [](const Parameters&, PolicyHost& host) -> std::unique_ptr<Policy> {
       DiffusionSettings settings;
       settings.name = "auto";
       return std::make_unique<Diffusion>(settings, host);
     },
     .at_phases = {{{"topology", {}}, most_objects_of_one_rank, least_waits},
                   {{"refine", {}}, most_objects_of_one_rank},
                   {{"hybrid", {{"inside", "refine"}}}}}}};

}  // namespace
}  // namespace roam::balance
