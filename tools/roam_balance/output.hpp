// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "roam/balance/lb_data.hpp"

namespace roam_balance {

/// The columns of a table.
struct Layout {
  int strategy_width = 8;
  bool has_memory = false;
};

void print_phase(const roam::balance::LbData::Phase& phase, const roam::balance::Quality& before);
void print_header(const Layout& layout);
void print_row(const std::string& strategy, const Layout& layout,
               const roam::balance::Quality& quality, double decision_seconds);
/// In place of a row.
void print_failure(const std::string& strategy, const Layout& layout, const std::string& reason);

/// What a row alone does not say: that most objects move for next to nothing, or that a rank needs
/// more memory than it may. `modest`: what refining to a hundredth reaches, for strategies that
/// refine.
void print_notes(const std::string& strategy, const roam::balance::LoadGraph& graph,
                 const roam::balance::Quality& before, const roam::balance::Quality& after,
                 const std::optional<roam::balance::Quality>& modest);

}  // namespace roam_balance
