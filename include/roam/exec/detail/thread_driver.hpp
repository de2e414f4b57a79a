// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "roam/exec/detail/parking.hpp"
#include "roam/exec/engine.hpp"

namespace roam::exec {

struct ThreadDriverOptions {
  /// The processor to which each worker is bound, by the operating system's numbers; empty: none
  /// is.
  std::vector<std::int32_t> processors = {};
  /// Longest sleep of an idle worker whose network cannot wake it.
  Duration longest_sleep = std::chrono::microseconds(500);
  /// Longest sleep of an idle worker whom arrivals wake.
  Duration longest_wakeable_sleep = std::chrono::milliseconds(20);
  bool network_wakes = false;
  /// Called with +1 for a worker that is about to look for work for the last time before it sleeps,
  /// and with -1 when it is awake again; for networks that wake. Any thread of the driver. May be
  /// empty.
  std::function<void(int)> count_sleepers = {};
  /// How long a worker polls without a pause, after its last work, before it sleeps.
  Duration spin = std::chrono::microseconds(30);
  /// The bytes that this rank has sent and that have not left yet. A worker that waits for them
  /// polls as long as they may take, without sleeping in between. Empty: not known.
  std::function<std::size_t()> unsent_bytes = {};
  /// In shared progress, how long all workers may be inside handlers before the helper thread makes
  /// progress in their place. While it finds nothing to do, its pauses double up to four periods.
  Duration helper_period = std::chrono::milliseconds(1);
  /// Only the calling thread may make progress (MPI_THREAD_FUNNELED and below): no helper is
  /// started, and with dedicated progress it is the calling thread that communicates.
  bool main_thread_only = false;
};

/// Turns one engine with OS threads (in progress mode `polling` with the calling thread alone).
/// Worker 0 is the thread that calls run(); the driver starts threads for the others and for
/// communication (but see main_thread_only). Idle workers back off exponentially to a bounded sleep
/// (PREMA 4.1.1), so that an idle rank uses no core and oversubscribed machines make progress.
class ThreadDriver {
 public:
  ThreadDriver(Engine& engine, const ThreadDriverOptions& options);
  ThreadDriver(const ThreadDriver&) = delete;
  ThreadDriver& operator=(const ThreadDriver&) = delete;
  ~ThreadDriver();

  /// Starts the threads and works until the engine stops. Blocks. Called once.
  void run();
  /// Wakes a sleeping worker; for the network's waker. Any thread.
  void wake() { parking_.wake(); }

 private:
  template <class Turning>
  void guard(Turning turning);
  void work(WorkerIndex worker);
  void communicate();
  void help();

  Engine& engine_;
  const ThreadDriverOptions options_;
  Parking parking_;
  Parking helper_parking_;
  std::vector<std::thread> threads_;
};

}  // namespace roam::exec
