// SPDX-License-Identifier: Apache-2.0
// Fortran's names of collective calls, of the start of MPI and of functions that free
// communicators; see fortran.cpp.
#include "fortran.hpp"

using namespace roam::offload::pmpi;  // NOLINT(google-build-using-namespace)

namespace {

template <class Call>
void collective(MPI_Fint comm, Latecomers latecomers, MPI_Fint root, Call&& call) {
  timed_collective(MPI_Comm_f2c(comm), latecomers, root, [&] {
    call();
    return MPI_SUCCESS;
  });
}

template <class Call>
void posted(MPI_Fint comm, Latecomers latecomers, MPI_Fint root, const MPI_Fint* request,
            Call&& call) {
  MPI_Request handle = MPI_REQUEST_NULL;
  posted_collective(MPI_Comm_f2c(comm), latecomers, root, &handle, [&] {
    call();
    handle = MPI_Request_f2c(*request);
    return MPI_SUCCESS;
  });
}

template <class Call>
void begin(Call&& call) {
  const Hook hook;
  call();
  if (hook.is_outermost()) Recorder::get().exchange();
}

template <class Call>
void end(MPI_Fint comm, Call&& call) {
  const Hook hook;
  if (hook.is_outermost()) Recorder::get().release(MPI_Comm_f2c(comm));
  call();
}

}  // namespace

#define ROAM_FORTRAN_COLLECTIVE(NAME, REQUESTED, LATECOMERS, ROOT, PARAMETERS, ARGUMENTS)         \
  ROAM_FORTRAN(                                                                                   \
      NAME, (ROAM_LIST PARAMETERS, Fint * error),                                                 \
      collective(*comm, Latecomers::LATECOMERS, ROOT, [&] { next(ROAM_LIST ARGUMENTS, error); })) \
  ROAM_FORTRAN(REQUESTED, (ROAM_LIST PARAMETERS, Fint * request, Fint * error),                   \
               posted(*comm, Latecomers::LATECOMERS, ROOT, request,                               \
                      [&] { next(ROAM_LIST ARGUMENTS, request, error); }))

extern "C" {

// clang-format off
ROAM_FORTRAN_COLLECTIVE(mpi_barrier, mpi_ibarrier, any, 0, (Fint* comm), (comm))
ROAM_FORTRAN_COLLECTIVE(mpi_bcast, mpi_ibcast, root, *root,
  (void* data, Fint* count, Fint* type, Fint* root, Fint* comm), (data, count, type, root, comm))
ROAM_FORTRAN_COLLECTIVE(mpi_reduce, mpi_ireduce, any, *root,
  (void* in, void* out, Fint* count, Fint* type, Fint* op, Fint* root, Fint* comm), (in, out, count, type, op, root, comm))
ROAM_FORTRAN_COLLECTIVE(mpi_allreduce, mpi_iallreduce, any, 0,
  (void* in, void* out, Fint* count, Fint* type, Fint* op, Fint* comm), (in, out, count, type, op, comm))
ROAM_FORTRAN_COLLECTIVE(mpi_scan, mpi_iscan, any, 0,
  (void* in, void* out, Fint* count, Fint* type, Fint* op, Fint* comm), (in, out, count, type, op, comm))
ROAM_FORTRAN_COLLECTIVE(mpi_exscan, mpi_iexscan, any, 0,
  (void* in, void* out, Fint* count, Fint* type, Fint* op, Fint* comm), (in, out, count, type, op, comm))
ROAM_FORTRAN_COLLECTIVE(mpi_reduce_scatter, mpi_ireduce_scatter, any, 0,
  (void* in, void* out, Fint* counts, Fint* type, Fint* op, Fint* comm), (in, out, counts, type, op, comm))
ROAM_FORTRAN_COLLECTIVE(mpi_reduce_scatter_block, mpi_ireduce_scatter_block, any, 0,
  (void* in, void* out, Fint* count, Fint* type, Fint* op, Fint* comm), (in, out, count, type, op, comm))
ROAM_FORTRAN_COLLECTIVE(mpi_gather, mpi_igather, any, *root,
  (void* in, Fint* in_count, Fint* in_type, void* out, Fint* out_count, Fint* out_type, Fint* root, Fint* comm),
  (in, in_count, in_type, out, out_count, out_type, root, comm))
ROAM_FORTRAN_COLLECTIVE(mpi_gatherv, mpi_igatherv, any, *root,
  (void* in, Fint* in_count, Fint* in_type, void* out, Fint* out_counts, Fint* places, Fint* out_type, Fint* root,
   Fint* comm),
  (in, in_count, in_type, out, out_counts, places, out_type, root, comm))
ROAM_FORTRAN_COLLECTIVE(mpi_scatter, mpi_iscatter, root, *root,
  (void* in, Fint* in_count, Fint* in_type, void* out, Fint* out_count, Fint* out_type, Fint* root, Fint* comm),
  (in, in_count, in_type, out, out_count, out_type, root, comm))
ROAM_FORTRAN_COLLECTIVE(mpi_scatterv, mpi_iscatterv, root, *root,
  (void* in, Fint* in_counts, Fint* places, Fint* in_type, void* out, Fint* out_count, Fint* out_type, Fint* root,
   Fint* comm),
  (in, in_counts, places, in_type, out, out_count, out_type, root, comm))
ROAM_FORTRAN_COLLECTIVE(mpi_allgather, mpi_iallgather, any, 0,
  (void* in, Fint* in_count, Fint* in_type, void* out, Fint* out_count, Fint* out_type, Fint* comm),
  (in, in_count, in_type, out, out_count, out_type, comm))
ROAM_FORTRAN_COLLECTIVE(mpi_allgatherv, mpi_iallgatherv, any, 0,
  (void* in, Fint* in_count, Fint* in_type, void* out, Fint* out_counts, Fint* places, Fint* out_type, Fint* comm),
  (in, in_count, in_type, out, out_counts, places, out_type, comm))
ROAM_FORTRAN_COLLECTIVE(mpi_alltoall, mpi_ialltoall, any, 0,
  (void* in, Fint* in_count, Fint* in_type, void* out, Fint* out_count, Fint* out_type, Fint* comm),
  (in, in_count, in_type, out, out_count, out_type, comm))
ROAM_FORTRAN_COLLECTIVE(mpi_alltoallv, mpi_ialltoallv, any, 0,
  (void* in, Fint* in_counts, Fint* in_places, Fint* in_type, void* out, Fint* out_counts, Fint* out_places,
   Fint* out_type, Fint* comm),
  (in, in_counts, in_places, in_type, out, out_counts, out_places, out_type, comm))
ROAM_FORTRAN_COLLECTIVE(mpi_alltoallw, mpi_ialltoallw, any, 0,
  (void* in, Fint* in_counts, Fint* in_places, Fint* in_types, void* out, Fint* out_counts, Fint* out_places,
   Fint* out_types, Fint* comm),
  (in, in_counts, in_places, in_types, out, out_counts, out_places, out_types, comm))
// clang-format on

ROAM_FORTRAN(mpi_init, (Fint * error), begin([&] { next(error); }))
ROAM_FORTRAN(mpi_init_thread, (Fint * required, Fint* provided, Fint* error),
             begin([&] { next(required, provided, error); }))
ROAM_FORTRAN(mpi_comm_free, (Fint * comm, Fint* error), end(*comm, [&] { next(comm, error); }))
ROAM_FORTRAN(mpi_comm_disconnect, (Fint * comm, Fint* error),
             end(*comm, [&] { next(comm, error); }))

}  // extern "C"
