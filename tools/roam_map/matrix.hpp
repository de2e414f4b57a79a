// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "rank_talk.hpp"

namespace roam_map {

/// From a text file with one row of numbers for each rank, as profilers of MPI write them: entry c
/// of row r is what rank r sent to rank c, in bytes. Numbers are separated by spaces, tabs or
/// commas; what follows '#' is a comment. Both directions of a pair add up, and the diagonal does
/// not count. Throws roam::ConfigError "FILE:LINE: ...".
[[nodiscard]] RankTalk talk_of_matrix(const std::string& path);

}  // namespace roam_map
