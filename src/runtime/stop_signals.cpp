// SPDX-License-Identifier: Apache-2.0
#include "stop_signals.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "roam/core/error.hpp"

namespace roam {

namespace {

// What a process does at a signal belongs to the whole process, and a handler gets nothing but the
// signal's number. Therefore this one variable belongs to the process, too. -1: nobody waits for
// signals.
constinit std::atomic<int> signal_pipe{-1};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may take no lock");

// Only what POSIX allows in a signal handler: a lock-free load, write() and errno as it was.
extern "C" void roam_on_stop_signal(int signal) {
  const int saved = errno;
  const int pipe = signal_pipe.load(std::memory_order_relaxed);
  const auto byte = static_cast<unsigned char>(signal);
  if (pipe >= 0 && ::write(pipe, &byte, 1) < 0) {
    // The pipe is full of unread signals: another one would add nothing.
  }
  errno = saved;
}

bool is_default(int signal) {
  struct sigaction current {};
  return sigaction(signal, nullptr, &current) == 0 && (current.sa_flags & SA_SIGINFO) == 0 &&
         current.sa_handler == SIG_DFL;
}

bool is_ours(int signal) {
  struct sigaction current {};
  return sigaction(signal, nullptr, &current) == 0 && (current.sa_flags & SA_SIGINFO) == 0 &&
         current.sa_handler == &roam_on_stop_signal;
}

void set_handler(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

}  // namespace

StopSignals::StopSignals(bool catches) {
  if (pipe2(pipe_.data(), O_CLOEXEC | O_NONBLOCK) != 0)
    throw Error(std::string("pipe2: ") + std::strerror(errno) +
                "; allow this process more open files (ulimit -n)");
  int nobody = -1;
  has_signals_ = catches && signal_pipe.compare_exchange_strong(nobody, pipe_[1]);
  if (!has_signals_) return;
  for (const int signal : signals) {
    if (is_default(signal)) set_handler(signal, &roam_on_stop_signal);
  }
}

StopSignals::~StopSignals() {
  if (has_signals_) {
    for (const int signal : signals) {
      if (is_ours(signal)) set_handler(signal, SIG_DFL);
    }
    signal_pipe.store(-1);
  }
  for (const int descriptor : pipe_) ::close(descriptor);
}

std::optional<int> StopSignals::wait(int milliseconds) {
  pollfd readable{pipe_[0], POLLIN, 0};
  if (poll(&readable, 1, milliseconds) <= 0) return std::nullopt;
  unsigned char byte = 0;
  if (::read(pipe_[0], &byte, 1) != 1 || byte == 0) return std::nullopt;
  return byte;
}

void StopSignals::write_byte(unsigned char byte) const {
  // If the pipe is full, the waiting thread is awake anyway.
  if (::write(pipe_[1], &byte, 1) < 0) return;
}

std::string StopSignals::name(int signal) {
  return signal == SIGTERM  ? "SIGTERM"
         : signal == SIGINT ? "SIGINT"
                            : "signal " + std::to_string(signal);
}

}  // namespace roam
