// SPDX-License-Identifier: Apache-2.0
#include "chosen_plugins.hpp"

#include "roam/balance/load_models.hpp"
#include "roam/balance/plugin_library.hpp"
#include "roam/balance/registry.hpp"
#include "roam/core/error.hpp"
#include "roam/exec/schedulers.hpp"

namespace roam {

namespace {

std::string origin_of(const Options& options, const std::string& name) {
  const std::string origin = options.origin(name);
  return origin == "default" ? "--roam-" + name : origin;
}

}  // namespace

Options with_plugins(Options options, std::optional<std::int32_t> ranks) {
  const std::string scheduler = origin_of(options, "scheduler");
  options.scheduler = balance::load_scheduler(options.scheduler, scheduler);
  exec::check_scheduler(options.scheduler, scheduler);
  const std::string balancer = origin_of(options, "balancer");
  options.balancer = balance::load_balancer(options.balancer, balancer);
  balance::check_policy(options.balancer, ranks, balancer);
  balance::check_phase_length(options.balancer, options.phase_length_seconds,
                              origin_of(options, "phase-length"));
  const std::string load_model = origin_of(options, "load-model");
  options.load_model = balance::load_model_stack(std::move(options.load_model), load_model);
  balance::check_load_models(options.load_model, load_model);
  return options;
}

std::int32_t members_of(const Options& options, std::int32_t ranks) {
  if (options.helpers < ranks) return ranks - options.helpers;
  throw ConfigError(origin_of(options, "helpers") + ": of " + std::to_string(ranks) +
                    (ranks == 1 ? " rank, " : " ranks, ") + std::to_string(options.helpers) +
                    " are to be helpers, and none would run the program; start more");
}

double speed_of(const Options& options, std::size_t index, std::size_t count) {
  const std::vector<double>& speeds = options.speeds;
  if (speeds.size() != 1 && speeds.size() != count) {
    throw ConfigError(origin_of(options, "speed") + ": " + std::to_string(speeds.size()) +
                      " speeds, and this process has " + std::to_string(count) +
                      " ranks; allowed is one for all, or one for each");
  }
  return speeds.size() == 1 ? speeds.front() : speeds[index];
}

}  // namespace roam
