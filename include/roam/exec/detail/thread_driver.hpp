// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "roam/exec/detail/parking.hpp"
#include "roam/exec/engine.hpp"

namespace roam::exec {

struct ThreadDriverOptions {
  /// Bind worker w of the rank to hardware thread (first_cpu + w) modulo the number available; -1:
  /// leave to the system.
  int first_cpu = -1;
  /// Longest sleep of an idle worker whose network cannot wake it.
  Duration longest_sleep = std::chrono::microseconds(500);
  /// Longest sleep when arrivals wake it.
  Duration longest_wakeable_sleep = std::chrono::milliseconds(20);
  bool network_wakes = false;
  /// Is called for a worker that is about to look for work for the last time before it sleeps (+1),
  /// and when it is awake again (-1), for networks that wake. Any thread of the driver's; may be
  /// empty.
  std::function<void(int)> count_sleepers = {};
  /// Polling without a pause after the last work, before sleeping.
  Duration spin = std::chrono::microseconds(30);
  /// Bytes that this rank has sent and that have not left yet; a worker that waits for them polls
  /// as long as they may take, without sleeping in between. Empty: not known.
  std::function<std::size_t()> unsent_bytes = {};
  /// Shared progress: how long all workers may be inside handlers before the helper takes the turn.
  Duration helper_period = std::chrono::milliseconds(1);
  /// Only the calling thread makes progress (MPI_THREAD_FUNNELED and below): no helper is started,
  /// and with dedicated progress it is the calling thread that communicates.
  bool main_thread_only = false;
};

/// Turns one engine with OS threads (in progress mode `polling` with the calling thread alone):
/// worker 0 is the thread that calls run(), the others and the communication thread are its own
/// (but see main_thread_only).
/// Idle workers back off exponentially to a bounded sleep (PREMA 4.1.1), so that an idle rank burns
/// no core and oversubscribed machines work.
class ThreadDriver {
 public:
  ThreadDriver(Engine& engine, const ThreadDriverOptions& options);
  ThreadDriver(const ThreadDriver&) = delete;
  ThreadDriver& operator=(const ThreadDriver&) = delete;
  ~ThreadDriver();

  /// Starts the threads and works until the engine stops. Blocks. Once.
  void run();
  /// Rouses a sleeping worker; for the network's waker. Any thread.
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
