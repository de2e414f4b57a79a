// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace roam::core {

/// The entry of `names` that `given` most likely stands for, or "" if none is near. Near means:
/// equal but for case and '-' or '_'; few typing errors apart (insertion, deletion, replacement,
/// swap of neighbours: at most one per three letters); or one a beginning of the other. The first
/// of equally near names wins.
[[nodiscard]] std::string closest_name(std::string_view given, std::span<const std::string> names);

/// A text for the end of an error message: "; did you mean PREFIXname?", or "" if no name is near.
[[nodiscard]] std::string did_you_mean(std::string_view given, std::span<const std::string> names,
                                       std::string_view prefix = "");

/// The names separated by commas: "a, b, c".
[[nodiscard]] std::string join_names(std::span<const std::string> names);

}  // namespace roam::core
