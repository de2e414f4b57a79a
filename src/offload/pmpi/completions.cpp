// SPDX-License-Identifier: Apache-2.0
// Calls that complete requests. Each first tests whether there is anything to wait for, so that a
// call that does not wait reads no clock.
#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "hook.hpp"

using namespace roam::offload::pmpi;  // NOLINT(google-build-using-namespace)

namespace {

/// What is known about the requests in an array, whose handles MPI overwrites as they complete.
class Requests {
 public:
  using Handling = Recorder::Handling;
  /// Handling::take: if all are to complete.
  Requests(int count, const MPI_Request* handles, Handling handling) : handling_(handling) {
    Recorder& recorder = Recorder::get();
    if (!recorder.has_pending() || handles == nullptr) return;
    const std::span all(handles, static_cast<std::size_t>(count));
    known_ = recorder.look_up(all, handling);
    if (!known_.empty() && handling == Handling::find) handles_.assign(all.begin(), all.end());
  }
  [[nodiscard]] bool are_unknown() const { return known_.empty(); }
  [[nodiscard]] bool knows(int index) const {
    const auto i = static_cast<std::size_t>(index);
    return i < known_.size() && known_[i].has_value();
  }
  void complete(int index, int source, Duration blocked) {
    if (!knows(index)) return;
    const auto i = static_cast<std::size_t>(index);
    if (handling_ == Handling::take) {
      Recorder::get().complete(*known_[i], source, blocked);
      known_[i].reset();
    } else {
      Recorder::get().complete(handles_[i], *known_[i], source, blocked);
    }
  }
  /// Completes all of them, without a wait.
  void complete_all() {
    for (std::size_t i = 0; i < known_.size(); ++i)
      complete(static_cast<int>(i), MPI_ANY_SOURCE, {});
  }

 private:
  const Handling handling_;
  std::vector<std::optional<Pending>> known_;  // by index; empty if there is none
  std::vector<MPI_Request> handles_;           // if found
};

bool is_ignored(const MPI_Status* statuses) {
  return statuses == MPI_STATUSES_IGNORE || statuses == MPI_STATUS_IGNORE;
}

int wait_for_some(Requests& known, int count, MPI_Request* requests, int* done, int* indices,
                  MPI_Status* statuses) {
  const Instant begin = Recorder::get().now();
  const int result = PMPI_Waitsome(count, requests, done, indices, statuses);
  if (*done == MPI_UNDEFINED || *done <= 0) return result;
  const Duration blocked = Recorder::get().now() - begin;
  const auto ours = std::count_if(indices, indices + *done, [&](int i) { return known.knows(i); });
  for (int k = 0; k < *done && ours > 0; ++k)
    known.complete(indices[k], statuses[k].MPI_SOURCE, blocked / ours);
  return result;
}

// Requests that are null or not started have an empty status, which waiting for them gives.
int wait_for_all(Requests& known, int count, MPI_Request* requests, MPI_Status* statuses) {
  const auto size = static_cast<std::size_t>(count);
  std::vector<int> indices(size);
  std::vector<MPI_Status> some(size);
  std::vector<char> is_done(size, 0);
  int result = MPI_SUCCESS;
  while (true) {
    int done = 0;
    const int now = wait_for_some(known, count, requests, &done, indices.data(), some.data());
    if (now != MPI_SUCCESS && now != MPI_ERR_IN_STATUS) return now;
    if (done == MPI_UNDEFINED || done <= 0) break;
    if (now != MPI_SUCCESS) result = now;
    for (int k = 0; k < done; ++k) {
      const auto index = static_cast<std::size_t>(indices[static_cast<std::size_t>(k)]);
      is_done[index] = 1;
      if (is_ignored(statuses)) continue;
      statuses[index] = some[static_cast<std::size_t>(k)];
      if (now == MPI_SUCCESS) statuses[index].MPI_ERROR = MPI_SUCCESS;
    }
  }
  for (std::size_t i = 0; i < size && !is_ignored(statuses); ++i)
    if (is_done[i] == 0) PMPI_Wait(&requests[i], &statuses[i]);
  return result;
}

}  // namespace

extern "C" {

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  const Hook hook;
  Recorder& recorder = Recorder::get();
  if (!hook.is_outermost() || !recorder.has_pending()) return PMPI_Wait(request, status);
  const auto pending = recorder.take(*request);
  if (!pending) return PMPI_Wait(request, status);
  int is_complete = 0;
  int result = PMPI_Test(request, &is_complete, status);
  if (result != MPI_SUCCESS || is_complete != 0) {
    recorder.complete(*pending, MPI_ANY_SOURCE, {});
    return result;
  }
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE) status = &own;
  const Instant begin = Recorder::get().now();
  result = PMPI_Wait(request, status);
  recorder.complete(*pending, status->MPI_SOURCE, Recorder::get().now() - begin);
  return result;
}

int MPI_Waitany(int count, MPI_Request* requests, int* index, MPI_Status* status) {
  const Hook hook;
  if (!hook.is_outermost()) return PMPI_Waitany(count, requests, index, status);
  Requests known(count, requests, Recorder::Handling::find);
  if (known.are_unknown()) return PMPI_Waitany(count, requests, index, status);
  int is_complete = 0;
  int result = PMPI_Testany(count, requests, index, &is_complete, status);
  if (result != MPI_SUCCESS || is_complete != 0) {
    if (*index != MPI_UNDEFINED) known.complete(*index, MPI_ANY_SOURCE, {});
    return result;
  }
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE) status = &own;
  const Instant begin = Recorder::get().now();
  result = PMPI_Waitany(count, requests, index, status);
  if (*index != MPI_UNDEFINED)
    known.complete(*index, status->MPI_SOURCE, Recorder::get().now() - begin);
  return result;
}

int MPI_Waitsome(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses) {
  const Hook hook;
  if (!hook.is_outermost()) return PMPI_Waitsome(count, requests, done, indices, statuses);
  Requests known(count, requests, Recorder::Handling::find);
  if (known.are_unknown()) return PMPI_Waitsome(count, requests, done, indices, statuses);
  std::vector<MPI_Status> own;
  if (is_ignored(statuses)) {
    own.resize(static_cast<std::size_t>(count));
    statuses = own.data();
  }
  return wait_for_some(known, count, requests, done, indices, statuses);
}

int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  const Hook hook;
  if (!hook.is_outermost()) return PMPI_Waitall(count, requests, statuses);
  Requests known(count, requests, Recorder::Handling::take);
  if (known.are_unknown()) return PMPI_Waitall(count, requests, statuses);
  int are_complete = 0;
  const int result = PMPI_Testall(count, requests, &are_complete, statuses);
  if (result != MPI_SUCCESS || are_complete != 0) {
    known.complete_all();
    return result;
  }
  const int waited = wait_for_all(known, count, requests, statuses);
  known.complete_all();  // after an error, what is left
  return waited;
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  const Hook hook;
  Recorder& recorder = Recorder::get();
  if (!hook.is_outermost() || !recorder.has_pending()) return PMPI_Test(request, flag, status);
  MPI_Request handle = *request;
  const auto pending = recorder.find(handle);
  const int result = PMPI_Test(request, flag, status);
  if (pending && (result != MPI_SUCCESS || *flag != 0))
    recorder.complete(handle, *pending, MPI_ANY_SOURCE, {});
  return result;
}

int MPI_Testany(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  const Hook hook;
  if (!hook.is_outermost()) return PMPI_Testany(count, requests, index, flag, status);
  Requests known(count, requests, Recorder::Handling::find);
  const int result = PMPI_Testany(count, requests, index, flag, status);
  if (*flag != 0 && *index != MPI_UNDEFINED) known.complete(*index, MPI_ANY_SOURCE, {});
  return result;
}

int MPI_Testsome(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses) {
  const Hook hook;
  if (!hook.is_outermost()) return PMPI_Testsome(count, requests, done, indices, statuses);
  Requests known(count, requests, Recorder::Handling::find);
  const int result = PMPI_Testsome(count, requests, done, indices, statuses);
  for (int k = 0; *done != MPI_UNDEFINED && k < *done; ++k)
    known.complete(indices[k], MPI_ANY_SOURCE, {});
  return result;
}

int MPI_Testall(int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  const Hook hook;
  if (!hook.is_outermost()) return PMPI_Testall(count, requests, flag, statuses);
  Requests known(count, requests, Recorder::Handling::find);
  const int result = PMPI_Testall(count, requests, flag, statuses);
  if (result != MPI_SUCCESS || *flag != 0) known.complete_all();
  return result;
}

int MPI_Request_free(MPI_Request* request) {
  const Hook hook;
  if (hook.is_outermost()) Recorder::get().forget(*request);
  return PMPI_Request_free(request);
}

}  // extern "C"
