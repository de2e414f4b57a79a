// SPDX-License-Identifier: Apache-2.0
// Names used by schedulers that were written when balance still had their registry.
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
