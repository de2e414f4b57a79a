// SPDX-License-Identifier: Apache-2.0
#include "roam/balance/load_models.hpp"

namespace roam::balance {

std::vector<std::unique_ptr<PhaseModel>> make_load_models(const std::vector<PluginChoice>& stack,
                                                          std::string_view origin) {
  std::vector<std::unique_ptr<PhaseModel>> models;
  for (const PluginChoice& choice : stack) {
    models.push_back(plugin::make<LoadModelKind>(choice, origin));
  }
  return models;
}

void check_load_models(const std::vector<PluginChoice>& stack, std::string_view origin) {
  (void)make_load_models(stack, origin);
}

}  // namespace roam::balance
