// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "roam/core/detail/owned.hpp"
#include "roam/runtime/options.hpp"
#include "roam/runtime/runtime.hpp"
#include "roam/transport/network.hpp"

namespace roam {

/// One rank of a job inside a program that keeps its own main loop (progress mode `polling`, A8,
/// the execution model of DMCS, section 3.1). Roam has no thread of its own here: all its code
/// (handlers, the program's coroutine, balancing) runs inside poll(), start() and finish(), on the
/// thread that calls them.
///
///   roam::Session session(network);
///   session.start(program);
///   while (my_work_goes_on()) {
///     my_work();
///     session.poll();
///   }
///   session.finish();
///
/// One thread at a time, the one that made it where the network asks for that (MPI below
/// MPI_THREAD_SERIALIZED); but see work(). Several sessions may follow each other in a process, and
/// several may stand side by side, each on a network (a communicator) of its own or on another rank
/// of one in-process network. A rank that does not poll answers nobody: poll often. Signals are the
/// program's: when one asks for the end, runtime().abort("why") ends the job on all ranks, with its
/// records written by finish() or the session's end.
class Session {
 public:
  /// Joins the job as the network's first rank in this process; the other ranks do the same.
  /// `network` must outlive the session. options.progress_mode and options.workers are
  /// not used.
  /// Throws roam::ConfigError for a balancer or scheduler that does not exist or a simulated
  /// machine.
  explicit Session(transport::Network& network, const Options& options = detail::default_options());
  /// Joins the job as the network's rank `rank` in this process. With more than one worker, the
  /// program's own threads call work(), each as another worker. Any of them takes in messages;
  /// below MPI_THREAD_SERIALIZED only the thread that made the session does.
  Session(transport::Network& network, Rank rank,
          const Options& options = detail::default_options(), WorkerIndex workers = 1);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  /// Leaves the job. If finish() has not been called, the job is aborted on all ranks. If after an
  /// error this or another call here does not end within a second, because it is inside a long
  /// handler, the process is ended with the error and status 1 (R2); the program's own code between
  /// the calls may take its time.
  ~Session();

  /// This rank. Outside of handlers the program may send to ranks through it; to call objects, it
  /// sends a function to this rank, which calls them.
  [[nodiscard]] Runtime& runtime();

  /// Queues this rank's main program, which runs in later polls. At most once: throws roam::Error
  /// the second time. Until it (or finish()) has been called, the job does not end and no
  /// quiescence is reached, whatever other ranks do, since this one may still bring work.
  void start(Runtime::Program program);
  /// Takes one turn: receives messages, runs one ready handler. Returns true if something was done.
  /// Blocks only as long as the handler takes.
  bool poll() { return work(0); }
  /// Takes one turn, like poll(), as one of the workers; each worker must be used by one thread at
  /// a time. Worker 0 is the thread that made the session.
  bool work(WorkerIndex worker);
  /// True when the whole job has failed or ended, that is, when the main programs of all ranks have
  /// ended and no work is left. poll() then does nothing.
  [[nodiscard]] bool is_over() const;
  /// Takes turns until the job is over, then leaves it. Collective: blocks until all ranks have
  /// called it (in-process: until the job is over). A rank that has not started a program starts an
  /// empty one here. Throws roam::Error if the job failed, with the first report that arrived: the
  /// error itself, or that another rank has left because of it. Further calls do nothing.
  void finish();

 private:
  struct Parts;
  core::Owned<Parts> parts_;
};

}  // namespace roam
