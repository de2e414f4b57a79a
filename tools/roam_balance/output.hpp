// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "roam/core/detail/machine_tree.hpp"
#include "roam/placement/detail/lb_data.hpp"

namespace roam_balance {

/// The columns of a table.
struct Layout {
  int strategy_width = 8;
  bool has_memory = false;
  std::optional<roam::MachineTree> tree;  ///< of the ranks' machine, if it is known
};

void print_phase(const roam::placement::LbData::Phase& phase,
                 const roam::placement::Quality& before);
void print_header(const Layout& layout);
void print_row(const std::string& strategy, const Layout& layout,
               const roam::placement::Quality& quality, double decision_seconds);
/// If the machine is known: prints on which levels of its tree communication takes place with this
/// placement, and bytes x links.
void print_levels(const Layout& layout, const roam::placement::LoadGraph& graph,
                  const roam::placement::Placement& placement);
/// Prints a message in place of a row.
void print_failure(const std::string& strategy, const Layout& layout, const std::string& reason);

/// Prints what a row does not show: that most objects move for a very small gain, or that a rank
/// needs more memory than allowed. `modest`: what refining to a hundredth reaches, for strategies
/// that refine.
void print_notes(const std::string& strategy, const roam::placement::LoadGraph& graph,
                 const roam::placement::Quality& before, const roam::placement::Quality& after,
                 const std::optional<roam::placement::Quality>& modest);

}  // namespace roam_balance
