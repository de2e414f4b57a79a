// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <utility>

#include "recorder.hpp"

namespace roam::offload::pmpi {

/// Marks an intercepted call of MPI as long as it exists. MPI libraries call their own functions,
/// and Fortran's functions call those of C: only the outermost call counts.
class Hook {
 public:
  Hook() : is_outermost_(depth++ == 0) {
    if (is_outermost_) Recorder::own_record().count_call();
  }
  Hook(const Hook&) = delete;
  Hook& operator=(const Hook&) = delete;
  ~Hook() { --depth; }
  [[nodiscard]] bool is_outermost() const { return is_outermost_; }

 private:
  // This model needs no function call for access; it requires that the library is loaded at the
  // program's start.
  [[gnu::tls_model("initial-exec")]] static inline constinit thread_local int depth = 0;
  const bool is_outermost_;
};

/// `receive(status)` blocks until a message has come; the wait is attributed to its sender.
template <class Receive>
int timed_receive(MPI_Comm communicator, int source, MPI_Status* status, Receive&& receive) {
  const Hook hook;
  if (!hook.is_outermost()) return receive(status);
  const Recorder& recorder = Recorder::get();
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE && source == MPI_ANY_SOURCE) status = &own;
  const Instant begin = recorder.now();
  const int result = receive(status);
  const Duration blocked = recorder.now() - begin;
  const int sender = source == MPI_ANY_SOURCE ? status->MPI_SOURCE : source;
  if (result == MPI_SUCCESS) Recorder::get().waited_for_message(communicator, sender, blocked);
  return result;
}

/// A blocking collective call.
template <class Call>
int timed_collective(MPI_Comm communicator, Latecomers latecomers, int root, Call&& call) {
  const Hook hook;
  Recorder& recorder = Recorder::get();
  if (!hook.is_outermost() || !recorder.has_begun()) return call();
  const Instant came = recorder.now();
  const int result = call();
  const Duration blocked = recorder.now() - came;
  if (result == MPI_SUCCESS)
    recorder.waited_in_collective(communicator, latecomers, root, came, blocked);
  return result;
}

/// A non-blocking collective call.
template <class Call>
int posted_collective(MPI_Comm communicator, Latecomers latecomers, int root, MPI_Request* request,
                      Call&& call) {
  const Hook hook;
  const int result = call();
  if (hook.is_outermost() && Recorder::get().has_begun() && result == MPI_SUCCESS)
    Recorder::get().post_collective(*request, communicator, latecomers, root);
  return result;
}

}  // namespace roam::offload::pmpi

/// Turns (a, b) into a, b, for macros that take whole lists of parameters.
#define ROAM_LIST(...) __VA_ARGS__
