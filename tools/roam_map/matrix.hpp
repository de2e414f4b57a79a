// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "rank_communication.hpp"

namespace roam_map {

/// Reads the communication from a text file with one row of numbers for each rank, as written by
/// profilers of MPI: entry c of row r is the number of bytes that rank r sent to rank c. Numbers
/// are separated by spaces, tabs or commas; text after '#' is a comment. Both directions of a pair
/// are added up, and the diagonal is ignored. Throws roam::ConfigError "FILE:LINE: ...".
[[nodiscard]] RankCommunication communication_of_matrix(const std::string& path);

}  // namespace roam_map
