// SPDX-License-Identifier: Apache-2.0
// The policies made of Diffusion.
#include "diffusion.hpp"
#include "roam/balance/registry.hpp"

namespace roam::balance {

namespace {

std::vector<Parameter> common_parameters() {
  return {{.name = "neighbours",
           .description = "ranks in a neighbourhood",
           .default_value = "8",
           .minimum = 1,
           .maximum = 64,
           .is_integer = true},
          {.name = "selection",
           .description = "which: random ones, or the nearest in the ring of ranks",
           .default_value = "random",
           .words = {"random", "ring"}},
          {.name = "replace",
           .description =
               "neighbours replaced after a round: those without work, or all if none had any",
           .default_value = "exhausted",
           .words = {"exhausted", "all"}},
          {.name = "low_seconds",
           .description = "work per worker below which a rank asks; 0: from measured latencies",
           .default_value = "0",
           .minimum = 0,
           .maximum = 1e6},
          {.name = "longest_pause",
           .description = "seconds between fruitless rounds at most",
           .default_value = "1",
           .minimum = 1e-6,
           .maximum = 1e6}};
}

std::vector<Parameter> diffusion_parameters() {
  std::vector<Parameter> parameters = common_parameters();
  parameters.push_back({.name = "initiation",
                        .description = "who begins: ranks short of work, ranks with work, or both",
                        .default_value = "receiver",
                        .words = {"receiver", "sender", "both"}});
  return parameters;
}

DiffusionSettings common_settings(const Parameters& parameters) {
  DiffusionSettings settings;
  settings.neighbours = parameters.integer("neighbours");
  settings.is_ring = parameters.word("selection") == "ring";
  settings.replace_all = parameters.word("replace") == "all";
  settings.low_seconds = parameters.number("low_seconds");
  settings.longest_pause = parameters.number("longest_pause");
  return settings;
}

const PolicyRegistrar diffusion{
    {.name = "diffusion",
     .description = "ranks short of work ask a neighbourhood of other ranks",
     .parameters = diffusion_parameters(),
     .create = [](const Parameters& parameters, PolicyHost& host) -> std::unique_ptr<Policy> {
       DiffusionSettings settings = common_settings(parameters);
       settings.asks = parameters.word("initiation") != "sender";
       settings.gives = parameters.word("initiation") != "receiver";
       return std::make_unique<Diffusion>(settings, host);
     }}};

const PolicyRegistrar predictive{
    {.name = "predictive",
     .description = "diffusion from both sides, before anyone is short of work, by its trend",
     .parameters = common_parameters(),
     .create = [](const Parameters& parameters, PolicyHost& host) -> std::unique_ptr<Policy> {
       DiffusionSettings settings = common_settings(parameters);
       settings.name = "predictive";
       settings.gives = settings.predicts = true;
       return std::make_unique<Diffusion>(settings, host);
     }}};

}  // namespace
}  // namespace roam::balance
