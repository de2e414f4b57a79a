// SPDX-License-Identifier: Apache-2.0
#include "roam/balance/plugin_library.hpp"

#include <span>

namespace roam::balance {

namespace {

PluginChoice loaded(PluginChoice choice, std::string_view origin, const char* what,
                    const char* PluginLibrary::*named,
                    std::span<const plugin::AskedFamily> families) {
  if (!choice.is_path()) return choice;
  return plugin::blaming(origin, [&] {
    const plugin::LoadedLibrary library = plugin::load_library(choice.name);
    // The library's stamp is the first member of the struct.
    const auto& says = *reinterpret_cast<const PluginLibrary*>(library.stamp);
    choice.name = plugin::brought_by(library, what, families, says.*named);
    return choice;
  });
}

}  // namespace

PluginChoice load_balancer(PluginChoice choice, std::string_view origin) {
  const plugin::AskedFamily families[] = {plugin::asked<PolicyKind>(),
                                          plugin::asked<placement::StrategyKind>()};
  return loaded(std::move(choice), origin, "balancer", &PluginLibrary::balancer, families);
}

PluginChoice load_scheduler(PluginChoice choice, std::string_view origin) {
  const plugin::AskedFamily family = plugin::asked<exec::SchedulerKind>();
  return loaded(std::move(choice), origin, "scheduler", &PluginLibrary::scheduler, {&family, 1});
}

std::vector<PluginChoice> load_model_stack(std::vector<PluginChoice> stack,
                                           std::string_view origin) {
  const plugin::AskedFamily family = plugin::asked<LoadModelKind>();
  for (PluginChoice& choice : stack) {
    choice =
        loaded(std::move(choice), origin, "load model", &PluginLibrary::load_model, {&family, 1});
  }
  return stack;
}

}  // namespace roam::balance
