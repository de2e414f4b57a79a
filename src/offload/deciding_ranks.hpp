// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "helper_ranks.hpp"
#include "machine_groups.hpp"
#include "roam/offload/step_view.hpp"
#include "roam/offload/strategy.hpp"

namespace roam::offload {

/// The ranks among which a strategy decides: those of the job, and the helpers of which something
/// is known. Strategies number ranks without gaps, from 0; where helpers are missing, the numbers
/// of later ones differ from their ranks. A strategy that sees other ranks than before begins anew.
/// One thread at a time.
class DecidingRanks {
 public:
  using MakeStrategy = std::function<std::unique_ptr<Strategy>(std::int32_t ranks)>;
  /// `size`: the number of ranks of the job. `groups`: of all ranks of a simulated machine, helpers
  /// included; of others, see set_hosts().
  DecidingRanks(MakeStrategy make, std::int32_t size, MachineGroups groups);

  /// The hosts of the ranks of the job, in any order.
  void set_hosts(std::vector<RankHost> hosts);
  /// The helpers of the next decision, by rank.
  void set_helpers(const std::vector<HelperRanks::Measured>& helpers);

  [[nodiscard]] Strategy& strategy() { return *strategy_; }
  [[nodiscard]] const MachineGroups& groups() const { return groups_; }
  /// The rank of the one that the strategy calls by this number.
  [[nodiscard]] std::int32_t rank_of(std::int32_t number) const;
  /// Its number; nullopt: it takes no part.
  [[nodiscard]] std::optional<std::int32_t> number_of(std::int32_t rank) const;
  /// Numbers the ranks in what members have reported; what is about others is removed.
  void number(std::vector<Emergency>& emergencies) const;
  void number(std::vector<Flow>& flows) const;

 private:
  void find_groups();

  const MakeStrategy make_;
  const std::int32_t size_;
  const MachineGroups of_machine_;
  std::vector<RankHost> hosts_;
  std::vector<RankHost> helpers_;  // by rank
  std::unique_ptr<Strategy> strategy_;
  MachineGroups groups_;
};

}  // namespace roam::offload
