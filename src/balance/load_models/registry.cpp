// SPDX-License-Identifier: Apache-2.0
#include "roam/balance/load_models.hpp"
#include "roam/core/error.hpp"

namespace roam::balance {

std::vector<const LoadModelKind*> load_models() { return LoadModelRegistrar::all(); }

std::vector<std::string> load_model_names() {
  std::vector<std::string> names;
  for (const LoadModelKind* kind : load_models()) names.push_back(kind->name);
  return names;
}

std::vector<std::unique_ptr<PhaseModel>> make_load_models(const std::vector<PluginChoice>& stack,
                                                          std::string_view origin) {
  try {
    std::vector<std::unique_ptr<PhaseModel>> models;
    for (const PluginChoice& choice : stack) {
      const auto& kind = plugin::find_kind<LoadModelKind>("load model", choice.name);
      models.push_back(kind.create({"load model " + kind.name, kind.parameters, choice}));
    }
    return models;
  } catch (const ConfigError& error) {
    throw ConfigError(std::string(origin) + ": " + error.what());
  }
}

void check_load_models(const std::vector<PluginChoice>& stack, std::string_view origin) {
  (void)make_load_models(stack, origin);
}

}  // namespace roam::balance
