// SPDX-License-Identifier: Apache-2.0
#include "topology_steps.hpp"

#include <array>
#include <utility>

#include "exchange_planner.hpp"
#include "group_candidates.hpp"
#include "group_exchange.hpp"
#include "group_orders.hpp"
#include "job_groups.hpp"
#include "led_group.hpp"
#include "partner_search.hpp"
#include "step_messages.hpp"

namespace roam::placement {

namespace {

/// Who does what in which step.
class TopologySteps final : public DistributedStrategy {
 public:
  TopologySteps(const TopologyStepsSettings& settings, RankShare share)
      : share_(std::move(share)),
        job_(share_, settings.most_ranks),
        group_(job_),
        partners_(job_, group_),
        exchange_(job_, group_),
        planner_(job_, share_.totals, settings.imbalance),
        candidates_(group_, {.imbalance = settings.imbalance,
                             .seconds_per_object = settings.seconds_per_object,
                             .seconds_per_link = settings.seconds_per_link}) {}

  [[nodiscard]] bool step(StepHost& host, Received received) override {
    using Self = TopologySteps;
    static constexpr std::array steps = {
        &Self::tell_leader, &Self::ask,    &Self::answer, &Self::tell_ties,  // who communicates
        &Self::learn_ties,  &Self::plan,   &Self::give,   &Self::take,       // work
        &Self::settle,      &Self::plan,   &Self::give,   &Self::take,
        &Self::sizes,       &Self::mix,    &Self::give,   &Self::take,  // large for small objects
        &Self::sizes,       &Self::mix,    &Self::give,   &Self::take,
        &Self::settle,      &Self::plan,   &Self::give,   &Self::take,  // what is left of work
        &Self::decide,      &Self::choose, &Self::order,  &Self::learn};
    (this->*steps[next_++])(host, received);
    return next_ < steps.size();
  }

  [[nodiscard]] Result result() override { return std::move(result_); }

 private:
  void tell_leader(StepHost& host, Received) { partners_.tell_leader(host, share_); }
  void ask(StepHost& host, Received received) { partners_.ask(host, received, share_.size); }
  void answer(StepHost& host, Received received) { partners_.answer(host, received); }
  void tell_ties(StepHost& host, Received received) { partners_.tell_ties(host, received); }
  void learn_ties(StepHost& host, Received received) {
    partners_.learn_ties(received);
    if (!job_.leads()) return;
    candidates_.begin();
    exchange_.report(host);
  }

  void plan(StepHost& host, Received received) {
    if (job_.leads_all()) planner_.plan(host, received);
  }
  void give(StepHost& host, Received received) { exchange_.give(host, received); }
  void take(StepHost& host, Received received) { exchange_.take(host, received, share_.size); }
  void settle(StepHost& host, Received received) {
    exchange_.settle(received);
    if (job_.leads()) exchange_.report(host);
  }
  void sizes(StepHost& host, Received received) {
    exchange_.settle(received);
    if (job_.leads()) exchange_.report_sizes(host);
  }
  void mix(StepHost& host, Received received) {
    if (job_.leads_all()) planner_.plan_sizes(host, received);
  }

  void decide(StepHost& host, Received received) {
    exchange_.settle(received);
    if (job_.leads())
      candidates_.decide(host, job_, exchange_.has_exchanged(), exchange_.limit_seconds());
  }
  void choose(StepHost& host, Received received) {
    if (job_.leads_all()) choose_candidate(host, received, job_, exchange_.limit_seconds());
  }
  void order(StepHost& host, Received received) {
    if (job_.leads()) send_orders(host, received, job_, group_, candidates_);
  }
  void learn(StepHost&, Received received) { result_ = learn_orders(received, job_, share_); }

  const RankShare share_;
  const JobGroups job_;
  LedGroup group_;  // of leaders, as are the following
  PartnerSearch partners_;
  GroupExchange exchange_;
  ExchangePlanner planner_;  // of the first leader
  GroupCandidates candidates_;
  std::size_t next_ = 0;
  Result result_;
};

}  // namespace

std::unique_ptr<DistributedStrategy> make_topology_steps(const TopologyStepsSettings& settings,
                                                         RankShare share) {
  return std::make_unique<TopologySteps>(settings, std::move(share));
}

}  // namespace roam::placement
