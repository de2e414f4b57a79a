// SPDX-License-Identifier: Apache-2.0
// Strategies that programs in C have registered.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "c_text.hpp"
#include "roam/core/error.hpp"
#include "roam/offload/mpi/offload.h"
#include "roam/offload/mpi/strategy.h"
#include "roam/offload/strategy.hpp"

/// Collects the quotas of one decision.
struct roam_quotas {  // NOLINT(readability-identifier-naming): C's name
  std::int32_t ranks = 0;
  std::vector<roam::offload::Quota> quotas;
};

namespace roam::offload {

namespace {

roam_rank_step for_c(const RankStep& rank) {
  return {.rank = rank.rank,
          .workers = rank.workers,
          .seconds = double{rank.seconds},
          .idle_seconds = double{rank.idle_seconds},
          .busy_seconds = double{rank.busy_seconds},
          .guest_seconds = double{rank.guest_seconds},
          .own_load_seconds = rank.own_load_seconds(),
          .task_seconds = double{rank.task_seconds},
          .ship_seconds = double{rank.ship_seconds},
          .tasks = rank.tasks,
          .computed = rank.computed,
          .away = rank.away,
          .guests = rank.guests,
          .keeps = rank.keeps,
          .recomputed = rank.recomputed,
          .in_vain = rank.in_vain};
}
roam_rank_wait for_c(const Wait& wait) { return {wait.from, wait.to, double{wait.seconds}}; }
roam_emergency for_c(const Emergency& one) {
  return {one.victim, one.times, to_string(one.reason), one.from};
}
roam_task_flow for_c(const Flow& flow) {
  return {flow.from, flow.to, flow.offloaded, flow.allowed, flow.on_request};
}

template <class InC, class T>
void copy(std::span<const T> from, std::vector<InC>& to) {
  to.clear();
  for (const T& one : from) to.push_back(for_c(one));
}

/// A strategy whose functions are the program's. Objects that are only made to check an option
/// never call them.
class CStrategy final : public Strategy {
 public:
  CStrategy(const roam_strategy& functions, std::int32_t ranks)
      : functions_(functions), state_(functions.context), ranks_(ranks) {}
  ~CStrategy() override {
    if (has_begun_ && functions_.end != nullptr) functions_.end(state_);
  }

  [[nodiscard]] std::vector<Quota> decide(const StepView& step) override {
    if (!std::exchange(has_begun_, true) && functions_.begin != nullptr)
      state_ = functions_.begin(functions_.context, ranks_);
    copy(step.ranks, rank_steps_);
    copy(step.waits, waits_);
    copy(step.emergencies, emergencies_);
    copy(step.flows, flows_);
    const roam_step_view view{.step = step.step,
                              .ranks = rank_steps_.data(),
                              .rank_count = rank_steps_.size(),
                              .waits = waits_.data(),
                              .wait_count = waits_.size(),
                              .emergencies = emergencies_.data(),
                              .emergency_count = emergencies_.size(),
                              .flows = flows_.data(),
                              .flow_count = flows_.size()};
    roam_quotas decided{.ranks = static_cast<std::int32_t>(step.ranks.size()), .quotas = {}};
    functions_.decide(state_, &view, &decided);
    on_request_ = functions_.tasks_on_request == nullptr ? 0 : functions_.tasks_on_request(state_);
    return std::move(decided.quotas);
  }
  [[nodiscard]] std::uint32_t tasks_on_request() const override { return on_request_; }

 private:
  const roam_strategy functions_;
  void* state_;
  const std::int32_t ranks_;
  bool has_begun_ = false;
  std::uint32_t on_request_ = 0;
  // Of the step that is being decided.
  std::vector<roam_rank_step> rank_steps_;
  std::vector<roam_rank_wait> waits_;
  std::vector<roam_emergency> emergencies_;
  std::vector<roam_task_flow> flows_;
};

void add_strategy(const char* name, const roam_strategy* strategy) {
  if (name == nullptr || *name == '\0') throw Error("a strategy without a name");
  if (strategy == nullptr || strategy->decide == nullptr)
    throw Error("strategy \"" + std::string(name) + "\" has no function decide");
  if (plugin::find<StrategyKind>(name) != nullptr)
    throw Error("there is a strategy \"" + std::string(name) + "\" already");
  const char* const description = strategy->description;
  // Like all that are registered, it is there as long as the program.
  [[maybe_unused]] const auto* const registrar = new StrategyRegistrar(
      {.name = name,
       .description = description == nullptr ? "a strategy of the program's" : description,
       .parameters = {},
       .create = [functions = *strategy](const plugin::Parameters&, std::int32_t ranks)
           -> std::unique_ptr<Strategy> { return std::make_unique<CStrategy>(functions, ranks); }});
}

}  // namespace

}  // namespace roam::offload

int roam_offload_add_quota(roam_quotas* quotas, int from, int to, uint32_t tasks) {
  if (quotas == nullptr) return ROAM_FAILURE;
  const auto is_rank = [quotas](int rank) { return rank >= 0 && rank < quotas->ranks; };
  if (!is_rank(from) || !is_rank(to) || from == to) return ROAM_FAILURE;
  if (tasks == 0) return ROAM_SUCCESS;
  std::vector<roam::offload::Quota>& all = quotas->quotas;
  const auto known = std::ranges::find_if(
      all, [&](const roam::offload::Quota& one) { return one.from == from && one.to == to; });
  if (known == all.end()) {
    all.push_back({from, to, tasks});
  } else {
    known->tasks += tasks;
  }
  return ROAM_SUCCESS;
}

int roam_offload_register_strategy(const char* name, const roam_strategy* strategy, char* message,
                                   size_t length) {
  try {
    roam::offload::add_strategy(name, strategy);
    return ROAM_SUCCESS;
  } catch (const std::exception& error) {
    roam::offload::put_text(error.what(), message, length);
  }
  return ROAM_FAILURE;
}
