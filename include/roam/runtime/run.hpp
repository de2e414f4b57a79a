// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "roam/runtime/options.hpp"
#include "roam/runtime/runtime.hpp"
#include "roam/transport/network.hpp"

namespace roam {

/// Runs a program on all ranks of a job and returns its exit status: 0, or 1 after an error
/// (reported once on standard error), or 2 for wrong options, or 128 + the signal's number if
/// SIGTERM or SIGINT ended the job (Options::catch_signals). A job that fails leaves its trace and
/// its recorded loads up to then. Takes Roam's options (--roam-...) out of argc and argv while it
/// runs, and puts them back before it returns: a second run with the same arguments behaves like
/// the first. If a launcher (mpirun) started this process for a job, that job is run; else one of
/// `--roam-ranks` ranks inside this process; with --roam-simulate a simulated machine in virtual
/// time (in the first process only, should a launcher have started several; the others return 0).
/// Blocks until the job is over: all main programs have ended and no work is left. May be called
/// again afterwards. `defaults`: the program's own values of Roam's options, used where neither
/// arguments nor environment nor a file of options set them; --roam-help shows them.
int run(int& argc, char** argv, const Runtime::Program& program,
        const Options& defaults = detail::default_options());

/// Runs a program with options that were not read from arguments, as run() above. Throws
/// roam::ConfigError for options that do not fit together.
int run(const Options& options, const Runtime::Program& program);

/// Runs a program over a network that the program has made (on an MPI communicator of its own, for
/// example), as run() above.
int run(transport::Network& network, const Options& options, const Runtime::Program& program);

}  // namespace roam
