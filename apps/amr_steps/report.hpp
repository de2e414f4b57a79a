// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "program.hpp"
#include "settings.hpp"

namespace amr_steps {

/// The median of the steps after the warm-up, seconds.
[[nodiscard]] double usual_step_seconds(const Settings& settings, const Result& result);
void print_report(const Settings& settings, const Result& result, std::int32_t ranks,
                  std::uint32_t workers);
/// These functions throw roam::Error if the file cannot be written.
void write_csv(const Settings& settings, const Result& result);
void write_json(const Settings& settings, const Result& result, std::int32_t ranks,
                std::uint32_t workers);

}  // namespace amr_steps
