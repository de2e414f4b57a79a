// SPDX-License-Identifier: Apache-2.0
// The names that schedulers written for Roam while balance had their registry know.
#pragma once

#include "roam/exec/schedulers.hpp"

namespace roam::balance {

using exec::check_scheduler;
using exec::make_scheduler;
using exec::scheduler_names;
using exec::SchedulerKind;
using exec::SchedulerRegistrar;
using exec::schedulers;
using plugin::Parameter;
using plugin::Parameters;

}  // namespace roam::balance
