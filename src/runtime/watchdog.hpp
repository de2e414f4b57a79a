// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "roam/transport/network.hpp"

namespace roam {

/// For a session: terminates the whole job if its rank has to stop and does not end soon, because
/// it is inside a long handler (R2: within a second). Has a thread of its own from start() to
/// call_off().
class Watchdog {
 public:
  /// `last_act` is called before the job is brought down.
  Watchdog(transport::Network& network, std::function<void()> last_act)
      : network_(network), last_act_(std::move(last_act)) {}
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog() { call_off(); }

  /// Starts watching; `last_words` are printed before the end, if there are any. May be called
  /// again after call_off(); one thread at a time. If no thread can be made nobody watches, and the
  /// job ends as soon as its ranks do.
  void start(const std::string& last_words = {}) {
    called_off_ = false;
    try {
      thread_ = std::thread([this, last_words] { watch(last_words); });
    } catch (const std::system_error&) {
      std::fputs("roam: no thread can be started that ends the job should a handler run on\n",
                 stderr);
    }
  }
  void call_off() {
    {
      const std::lock_guard guard(mutex_);
      called_off_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

 private:
  static constexpr auto patience = std::chrono::milliseconds(800);
  void watch(const std::string& last_words) {
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, patience, [this] { return called_off_; })) return;
    if (!last_words.empty()) std::fprintf(stderr, "roam: %s\n", last_words.c_str());
    last_act_();
    network_.abort(1);
  }
  transport::Network& network_;
  const std::function<void()> last_act_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool called_off_ = false;  // under mutex_, as long as there is a thread
  std::thread thread_;
};

}  // namespace roam
