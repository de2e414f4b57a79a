// SPDX-License-Identifier: Apache-2.0
// Fortran's names of receives and completions: `mpi_recv_` of mpif.h and `use mpi`, `mpi_recv_f08_`
// of Open MPI's `use mpi_f08`. (MPICH's Fortran functions call those of C.) Arguments are passed
// unchanged to the library's own function, since only Fortran knows the values of MPI_IN_PLACE and
// MPI_BOTTOM.
#include "fortran.hpp"

#include <vector>

using namespace roam::offload::pmpi;  // NOLINT(google-build-using-namespace)

namespace {

constexpr std::size_t status_size = sizeof(MPI_Status) / sizeof(MPI_Fint);  // MPI_STATUS_SIZE

bool is_ignored(const MPI_Fint* status) {
  return status == nullptr || status == MPI_F_STATUS_IGNORE || status == MPI_F_STATUSES_IGNORE;
}

template <class Receive>
void receive(MPI_Fint comm, MPI_Fint source, MPI_Fint* status, Receive&& call) {
  const Hook hook;
  if (!hook.is_outermost()) return call(status);
  MPI_Fint own[status_size] = {};
  if (is_ignored(status) && source == MPI_ANY_SOURCE) status = own;
  Recorder& recorder = Recorder::get();
  const Instant begin = recorder.now();
  call(status);
  const Duration blocked = recorder.now() - begin;
  MPI_Status seen;
  seen.MPI_SOURCE = source;
  if (source == MPI_ANY_SOURCE) MPI_Status_f2c(status, &seen);
  recorder.waited_for_message(MPI_Comm_f2c(comm), seen.MPI_SOURCE, blocked);
}

template <class Post>
void post(MPI_Fint comm, MPI_Fint source, const MPI_Fint* request, bool is_persistent,
          Post&& call) {
  const Hook hook;
  call();
  if (!hook.is_outermost() || source == MPI_PROC_NULL) return;
  Recorder::get().post_receive(MPI_Request_f2c(*request), MPI_Comm_f2c(comm), source,
                               is_persistent);
}

/// Request handles of C, converted from Fortran's for the time of a call and back.
class Handles {
 public:
  Handles(MPI_Fint count, MPI_Fint* fortran) : fortran_(fortran) {
    for (MPI_Fint i = 0; i < count; ++i) handles_.push_back(MPI_Request_f2c(fortran[i]));
  }
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;
  ~Handles() {
    for (std::size_t i = 0; i < handles_.size(); ++i) fortran_[i] = MPI_Request_c2f(handles_[i]);
  }
  [[nodiscard]] MPI_Request* data() { return handles_.data(); }
  [[nodiscard]] int size() const { return static_cast<int>(handles_.size()); }

 private:
  MPI_Fint* const fortran_;
  std::vector<MPI_Request> handles_;
};

/// Statuses of C, which are converted for Fortran unless it ignores them.
class Statuses {
 public:
  Statuses(std::size_t count, MPI_Fint* fortran)
      : fortran_(is_ignored(fortran) ? nullptr : fortran), statuses_(count) {}
  [[nodiscard]] MPI_Status* data() { return statuses_.data(); }
  void hand_over(std::size_t count) {
    for (std::size_t i = 0; i < count && fortran_ != nullptr; ++i)
      MPI_Status_c2f(&statuses_[i], fortran_ + i * status_size);
  }

 private:
  MPI_Fint* const fortran_;
  std::vector<MPI_Status> statuses_;
};

void finish(MPI_Fint* error, int result) {
  if (error != nullptr) *error = result;  // optional in `use mpi_f08`
}

void wait(MPI_Fint* request, MPI_Fint* status, MPI_Fint* error) {
  Statuses statuses(1, status);
  {
    Handles handles(1, request);
    finish(error, MPI_Wait(handles.data(), statuses.data()));
  }
  statuses.hand_over(1);
}

void wait_all(const MPI_Fint* count, MPI_Fint* requests, MPI_Fint* fortran, MPI_Fint* error) {
  const auto size = static_cast<std::size_t>(*count);
  Statuses statuses(size, fortran);
  {
    Handles handles(*count, requests);
    finish(error, MPI_Waitall(handles.size(), handles.data(), statuses.data()));
  }
  statuses.hand_over(size);
}

void wait_any(const MPI_Fint* count, MPI_Fint* requests, MPI_Fint* index, MPI_Fint* status,
              MPI_Fint* error) {
  Statuses statuses(1, status);
  int found = 0;
  {
    Handles handles(*count, requests);
    finish(error, MPI_Waitany(handles.size(), handles.data(), &found, statuses.data()));
  }
  *index = found == MPI_UNDEFINED ? MPI_UNDEFINED : found + 1;
  statuses.hand_over(1);
}

void wait_some(const MPI_Fint* count, MPI_Fint* requests, MPI_Fint* done, MPI_Fint* indices,
               MPI_Fint* fortran, MPI_Fint* error) {
  Statuses statuses(static_cast<std::size_t>(*count), fortran);
  {
    Handles handles(*count, requests);
    finish(error, MPI_Waitsome(handles.size(), handles.data(), done, indices, statuses.data()));
  }
  if (*done == MPI_UNDEFINED) return;
  for (MPI_Fint k = 0; k < *done; ++k) ++indices[k];
  statuses.hand_over(static_cast<std::size_t>(*done));
}

/// `call` tests requests; those that become null are complete.
template <class Test>
void test(MPI_Fint count, const MPI_Fint* requests, Test&& call) {
  const Hook hook;
  Recorder& recorder = Recorder::get();
  if (!hook.is_outermost() || !recorder.has_pending()) return call();
  std::vector<MPI_Request> before;
  for (MPI_Fint i = 0; i < count; ++i) before.push_back(MPI_Request_f2c(requests[i]));
  call();
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (MPI_Request_f2c(requests[i]) != MPI_REQUEST_NULL) continue;
    if (const auto pending = recorder.find(before[i]))
      recorder.complete(before[i], *pending, MPI_ANY_SOURCE, {});
  }
}

template <class Call>
void free_request(const MPI_Fint* request, Call&& call) {
  const Hook hook;
  if (hook.is_outermost()) Recorder::get().forget(MPI_Request_f2c(*request));
  call();
}

}  // namespace

extern "C" {

ROAM_FORTRAN(mpi_recv,
             (void* data, Fint* count, Fint* type, Fint* source, Fint* tag, Fint* comm,
              Fint* status, Fint* error),
             receive(*comm, *source, status,
                     [&](Fint* seen) { next(data, count, type, source, tag, comm, seen, error); }))
ROAM_FORTRAN(mpi_sendrecv,
             (void* out, Fint* out_count, Fint* out_type, Fint* to, Fint* out_tag, void* in,
              Fint* in_count, Fint* in_type, Fint* source, Fint* in_tag, Fint* comm, Fint* status,
              Fint* error),
             receive(*comm, *source, status, [&](Fint* seen) {
               next(out, out_count, out_type, to, out_tag, in, in_count, in_type, source, in_tag,
                    comm, seen, error);
             }))
ROAM_FORTRAN(mpi_sendrecv_replace,
             (void* data, Fint* count, Fint* type, Fint* to, Fint* out_tag, Fint* source,
              Fint* in_tag, Fint* comm, Fint* status, Fint* error),
             receive(*comm, *source, status, [&](Fint* seen) {
               next(data, count, type, to, out_tag, source, in_tag, comm, seen, error);
             }))
ROAM_FORTRAN(mpi_probe, (Fint * source, Fint* tag, Fint* comm, Fint* status, Fint* error),
             receive(*comm, *source, status,
                     [&](Fint* seen) { next(source, tag, comm, seen, error); }))
ROAM_FORTRAN(mpi_mprobe,
             (Fint * source, Fint* tag, Fint* comm, Fint* message, Fint* status, Fint* error),
             receive(*comm, *source, status,
                     [&](Fint* seen) { next(source, tag, comm, message, seen, error); }))
ROAM_FORTRAN(mpi_irecv,
             (void* data, Fint* count, Fint* type, Fint* source, Fint* tag, Fint* comm,
              Fint* request, Fint* error),
             post(*comm, *source, request, false,
                  [&] { next(data, count, type, source, tag, comm, request, error); }))
ROAM_FORTRAN(mpi_recv_init,
             (void* data, Fint* count, Fint* type, Fint* source, Fint* tag, Fint* comm,
              Fint* request, Fint* error),
             post(*comm, *source, request, true,
                  [&] { next(data, count, type, source, tag, comm, request, error); }))

ROAM_FORTRAN_ALONE(mpi_wait, (Fint * request, Fint* status, Fint* error),
                   wait(request, status, error))
ROAM_FORTRAN_ALONE(mpi_waitall, (Fint * count, Fint* requests, Fint* statuses, Fint* error),
                   wait_all(count, requests, statuses, error))
ROAM_FORTRAN_ALONE(mpi_waitany,
                   (Fint * count, Fint* requests, Fint* index, Fint* status, Fint* error),
                   wait_any(count, requests, index, status, error))
ROAM_FORTRAN_ALONE(mpi_waitsome,
                   (Fint * count, Fint* requests, Fint* done, Fint* indices, Fint* statuses,
                    Fint* error),
                   wait_some(count, requests, done, indices, statuses, error))
ROAM_FORTRAN(mpi_test, (Fint * request, Fint* flag, Fint* status, Fint* error),
             test(1, request, [&] { next(request, flag, status, error); }))
ROAM_FORTRAN(mpi_testall, (Fint * count, Fint* requests, Fint* flag, Fint* statuses, Fint* error),
             test(*count, requests, [&] { next(count, requests, flag, statuses, error); }))
ROAM_FORTRAN(mpi_testany,
             (Fint * count, Fint* requests, Fint* index, Fint* flag, Fint* status, Fint* error),
             test(*count, requests, [&] { next(count, requests, index, flag, status, error); }))
ROAM_FORTRAN(mpi_testsome,
             (Fint * count, Fint* requests, Fint* done, Fint* indices, Fint* statuses, Fint* error),
             test(*count, requests, [&] { next(count, requests, done, indices, statuses, error); }))

ROAM_FORTRAN(mpi_request_free, (Fint * request, Fint* error),
             free_request(request, [&] { next(request, error); }))

}  // extern "C"
