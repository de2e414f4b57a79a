// SPDX-License-Identifier: Apache-2.0
#include "roam/balance/balance_options.hpp"

#include "roam/balance/load_models.hpp"
#include "roam/balance/registry.hpp"
#include "roam/core/option_group.hpp"
#include "roam/exec/schedulers.hpp"
#include "roam/placement/strategy.hpp"

namespace roam::balance {

namespace {

/// What there is to say of the kind called `name`; nothing if there is none.
template <class Kind>
std::string about(const std::vector<const Kind*>& kinds, std::string_view name) {
  std::string text;
  for (const Kind* kind : kinds) {
    if (kind->name != name) continue;
    text += kind->description + "\n";
    for (const plugin::Parameter& parameter : kind->parameters) {
      text += "  " + parameter.name + "=" + parameter.default_value + "  " + parameter.description +
              "; " + plugin::allowed_text(parameter) + "\n";
    }
  }
  return text;
}

std::string about_balancer(std::string_view name) {
  return name == "none" ? "No object moves by itself.\n"
                        : about(policies(), name) + about(placement::strategies(), name);
}
std::string about_load_model(std::string_view name) { return about(load_models(), name); }
std::string about_scheduler(std::string_view name) { return about(exec::schedulers(), name); }

std::string seconds_text(const void* values) {
  return std::to_string(static_cast<const BalanceOptions*>(values)->phase_length_seconds);
}

const core::OptionGroup<BalanceOptions> balance_options(
    {"Balancing"}, [](core::OptionGroup<BalanceOptions>& group) {
      group
          .plugin("balancer", &BalanceOptions::balancer,
                  "Load balancing policy or strategy and its parameters, or ./LIBRARY.so that "
                  "brings one")
          .accepts(balancer_names, about_balancer)
          .equal_on_all_ranks();
      group
          .plugin_stack("load-model", &BalanceOptions::load_model,
                        "Models of what objects take in the next phase, or ./LIBRARY.so that "
                        "brings one; A+B: B goes by A")
          .accepts(load_model_names, about_load_model)
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
          .accepts(exec::scheduler_names, about_scheduler);
    });

}  // namespace

}  // namespace roam::balance
