// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "roam/balance/phase_model.hpp"
#include "roam/core/plugin/registrar.hpp"

namespace roam::balance {

// As policies and load models of programs know them.
using plugin::Parameter;
using plugin::Parameters;

/// One load model, as --roam-load-model names it. Registered by one line next to its
/// implementation:
///
///   const LoadModelRegistrar registrar{{.name = "smooth", ...}};
struct LoadModelKind {
  std::string name;                   ///< for --roam-load-model
  std::string description;            ///< one line
  std::vector<Parameter> parameters;  ///< the parameters allowed in NAME:key=value
  /// Makes the model of one rank.
  std::unique_ptr<PhaseModel> (*create)(const Parameters& parameters);
};

}  // namespace roam::balance

template <>
struct roam::plugin::Family<roam::balance::LoadModelKind> {
  static constexpr const char* name = "load model";
  static constexpr std::uint32_t interface = 1;
  static constexpr std::uint64_t layout =
      layout_of<balance::LoadModelKind, mobile::ResidentView, mobile::Record>();
};

namespace roam::balance {

/// Registers a load model as long as it exists: a static constant beside the model's
/// implementation.
using LoadModelRegistrar = plugin::Registrar<LoadModelKind>;

/// The load models linked into this program, sorted by name.
[[nodiscard]] inline std::vector<const LoadModelKind*> load_models() {
  return plugin::all<LoadModelKind>();
}
/// The names of these load models, for --roam-help.
[[nodiscard]] inline std::vector<std::string> load_model_names() {
  return plugin::names<LoadModelKind>();
}

/// Makes the load models of a stack, in its order. Throws ConfigError, whose message starts with
/// `origin` and says what was given, what is allowed and what may have been meant.
[[nodiscard]] std::vector<std::unique_ptr<PhaseModel>> make_load_models(
    const std::vector<PluginChoice>& stack, std::string_view origin = "--roam-load-model");

/// Checks a stack before the program starts. Throws like make_load_models.
void check_load_models(const std::vector<PluginChoice>& stack,
                       std::string_view origin = "--roam-load-model");

}  // namespace roam::balance
