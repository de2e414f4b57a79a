// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <csignal>
#include <thread>

namespace roam {

/// Starts a thread on which no signal is handled, so that the program's handlers run on its own
/// threads. Throws std::system_error if no thread can be made.
template <class Function>
[[nodiscard]] std::thread quiet_thread(Function function) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  struct Restore {
    ~Restore() { pthread_sigmask(SIG_SETMASK, &mask, nullptr); }
    const sigset_t& mask;
  } const restore{before};
  return std::thread(function);
}

}  // namespace roam
