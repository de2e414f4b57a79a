// SPDX-License-Identifier: Apache-2.0
#include "roam/balance/balance_options.hpp"

#include "roam/balance/load_models.hpp"
#include "roam/balance/registry.hpp"
#include "roam/core/option_group.hpp"
#include "roam/exec/schedulers.hpp"
#include "roam/placement/strategy.hpp"

namespace roam::balance {

namespace {

std::string seconds_text(const void* values) {
  return std::to_string(static_cast<const BalanceOptions*>(values)->phase_length_seconds);
}

const core::OptionGroup<BalanceOptions> balance_options(
    {"Balancing"}, [](core::OptionGroup<BalanceOptions>& group) {
      group
          .plugin("balancer", &BalanceOptions::balancer,
                  "Load balancing policy or strategy and its parameters, or ./LIBRARY.so that "
                  "brings one")
          .accepts(balancer_names, plugin::help_of<PolicyKind, placement::StrategyKind>)
          .equal_on_all_ranks();
      group
          .plugin_stack("load-model", &BalanceOptions::load_model,
                        "Models of what objects take in the next phase, or ./LIBRARY.so that "
                        "brings one; A+B: B goes by A")
          .accepts(load_model_names, plugin::help_of<LoadModelKind>)
          .equal_on_all_ranks();
      group
          .real("phase-length", "SECONDS", &BalanceOptions::phase_length_seconds, 1e6, "seconds",
                "A strategy acts every so many seconds, in a program that declares no phases")
          .compared = seconds_text;
      group.output_folder("lb-data", &BalanceOptions::lb_data,
                          "Write what each object took in each phase to FOLDER, a file per rank in "
                          "vt's format (for roam balance and vt's tools)");
      group
          .plugin("scheduler", &BalanceOptions::scheduler,
                  "Order in which a rank's workers run what is ready, or ./LIBRARY.so that brings "
                  "one")
          .accepts(exec::scheduler_names, plugin::help_of<exec::SchedulerKind>);
    });

}  // namespace

std::vector<PluginChoice> detail::default_load_model() { return {{"persistence", {}}}; }

}  // namespace roam::balance
