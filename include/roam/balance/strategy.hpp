// SPDX-License-Identifier: Apache-2.0
// Names used by strategies that were written before the room placement existed.
#pragma once

#include "roam/placement/distributed.hpp"
#include "roam/placement/strategy.hpp"

namespace roam::balance {

using placement::assess;
using placement::capacities;
using placement::capacity;
using placement::check;
using placement::DistributedStrategy;
using placement::Link;
using placement::LoadGraph;
using placement::LoadTotals;
using placement::make_strategy;
using placement::MemoryNeeds;
using placement::ObjectNote;
using placement::Placement;
using placement::Quality;
using placement::RankShare;
using placement::StepHost;
using placement::StepMessage;
using placement::strategies;
using placement::Strategy;
using placement::StrategyKind;
using placement::StrategyRegistrar;
using plugin::Parameter;
using plugin::Parameters;

}  // namespace roam::balance
