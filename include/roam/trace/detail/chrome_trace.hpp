// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "roam/trace/run_trace.hpp"

namespace roam::trace {

/// Writes the run as a file in the JSON object form of Chrome's trace event format, which Perfetto
/// and chrome://tracing show and roam report draws. The run's figures are in an object "roam" in it
/// (format 1, see tools/roam_report/load.py). Times are in microseconds with three decimals;
/// process = rank, thread = worker. Equal traces give equal bytes (R1).
///
/// The file appears under its name only when it is complete; it then replaces an existing one.
/// Blocks. Throws roam::Error that says why if the file cannot be written, or if the trace is
/// inconsistent (a label index out of range, a number that is not finite); then nothing is left
/// behind.
void write_chrome_trace(const std::string& path, const RunTrace& run);

}  // namespace roam::trace
