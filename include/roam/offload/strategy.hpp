// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "roam/core/plugin/registrar.hpp"
#include "roam/offload/step_view.hpp"

namespace roam::offload {

/// A rank that is given no tasks at present, and why.
struct Blacklisted {
  std::int32_t rank = -1;                                  ///< the rank
  EmergencyReason reason = EmergencyReason::late_results;  ///< of its latest emergency
  friend bool operator==(const Blacklisted&, const Blacklisted&) = default;
};

/// Decides how many tasks each rank may have computed by others. One object per job, on rank 0,
/// called for one step after the other by one thread at a time; it must not block.
class Strategy {
 public:
  Strategy() = default;
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;
  virtual ~Strategy() = default;

  /// Returns the quotas from now on, which replace all earlier ones: one entry per pair, none of 0
  /// tasks, none from a rank to itself.
  [[nodiscard]] virtual std::vector<Quota> decide(const StepView& step) = 0;
  /// How many tasks each rank may give, in each step and beside quotas, to each rank that asks for
  /// them because it is running out of tasks while the other has more than it can do as soon; after
  /// the last decision. 0: nobody asks. Ranks that are blacklisted() do not ask.
  [[nodiscard]] virtual std::uint32_t tasks_on_request() const { return 0; }
  /// The relaxation of the last decision, for reports; 1 where there is none.
  [[nodiscard]] virtual double relaxation() const { return 1; }
  /// Ranks that are given no tasks at present because of emergencies, for reports.
  [[nodiscard]] virtual std::vector<Blacklisted> blacklisted() const { return {}; }
};

/// A strategy as --roam-offload names it. Registered by one line next to its implementation:
///
///   const StrategyRegistrar registrar{{.name = "diffusion", ...}};
struct StrategyKind {
  std::string name;                           ///< for --roam-offload
  std::string description;                    ///< one line
  std::vector<plugin::Parameter> parameters;  ///< the parameters allowed in NAME:key=value
  /// Creates the strategy; nullptr: nothing is ever offloaded. Throws ConfigError for combinations
  /// of parameters that are not allowed.
  std::function<std::unique_ptr<Strategy>(const plugin::Parameters& parameters, std::int32_t ranks)>
      create;
};

}  // namespace roam::offload

template <>
struct roam::plugin::Family<roam::offload::StrategyKind> {
  static constexpr const char* name = "offloader";
  static constexpr std::uint32_t interface = 4;
  static constexpr std::uint64_t layout =
      layout_of<offload::StrategyKind, offload::RankStep, offload::StepView, offload::Quota,
                offload::Emergency>();
};

namespace roam::offload {

/// Registers a strategy as long as it exists: a static constant beside the strategy's
/// implementation.
using StrategyRegistrar = plugin::Registrar<StrategyKind>;

/// The names of the strategies linked into this program, for --roam-help.
[[nodiscard]] inline std::vector<std::string> strategy_names() {
  return plugin::names<StrategyKind>();
}

/// Makes the chosen strategy; nullptr: it offloads nothing. Loads the library if the choice is the
/// path of one. Throws ConfigError, whose message starts with `origin` and says what was given,
/// what is allowed and what may have been meant.
[[nodiscard]] std::unique_ptr<Strategy> make_strategy(const PluginChoice& choice,
                                                      std::int32_t ranks,
                                                      std::string_view origin = "--roam-offload");

}  // namespace roam::offload
