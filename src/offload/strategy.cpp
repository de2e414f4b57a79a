// SPDX-License-Identifier: Apache-2.0
#include "roam/offload/strategy.hpp"

#include "roam/core/plugin/library.hpp"

namespace roam::offload {

std::unique_ptr<Strategy> make_strategy(const PluginChoice& choice, std::int32_t ranks,
                                        std::string_view origin) {
  const PluginChoice loaded = plugin::loaded<StrategyKind>(choice, origin);
  return plugin::make<StrategyKind>(loaded, origin, ranks);
}

namespace {

const StrategyRegistrar none{
    {.name = "none",
     .description = "Tasks stay on the rank that spawns them",
     .parameters = {},
     .create = [](const plugin::Parameters&, std::int32_t) -> std::unique_ptr<Strategy> {
       return nullptr;
     }}};

}  // namespace

}  // namespace roam::offload
