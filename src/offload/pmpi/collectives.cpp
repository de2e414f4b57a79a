// SPDX-License-Identifier: Apache-2.0
// Collective calls, blocking and non-blocking. All members wait for the last one, except in Bcast
// and Scatter, where they wait for the root.
#include "hook.hpp"

using namespace roam::offload::pmpi;  // NOLINT(google-build-using-namespace)

// Defines a blocking call and its non-blocking variant, which differ in the request alone; without
// this, the same text would be repeated 34 times.
#define ROAM_COLLECTIVE(NAME, REQUESTED, LATECOMERS, ROOT, PARAMETERS, ARGUMENTS)             \
  int MPI_##NAME(ROAM_LIST PARAMETERS) {                                                      \
    return timed_collective(comm, Latecomers::LATECOMERS, ROOT,                               \
                            [&] { return PMPI_##NAME(ROAM_LIST ARGUMENTS); });                \
  }                                                                                           \
  int MPI_##REQUESTED(ROAM_LIST PARAMETERS, MPI_Request* request) {                           \
    return posted_collective(comm, Latecomers::LATECOMERS, ROOT, request,                     \
                             [&] { return PMPI_##REQUESTED(ROAM_LIST ARGUMENTS, request); }); \
  }

extern "C" {

// clang-format off
ROAM_COLLECTIVE(Barrier, Ibarrier, any, 0, (MPI_Comm comm), (comm))
ROAM_COLLECTIVE(Bcast, Ibcast, root, root,
  (void* data, int count, MPI_Datatype type, int root, MPI_Comm comm), (data, count, type, root, comm))
ROAM_COLLECTIVE(Reduce, Ireduce, any, root,
  (const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
  (in, out, count, type, op, root, comm))
ROAM_COLLECTIVE(Allreduce, Iallreduce, any, 0,
  (const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
  (in, out, count, type, op, comm))
ROAM_COLLECTIVE(Scan, Iscan, any, 0,
  (const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
  (in, out, count, type, op, comm))
ROAM_COLLECTIVE(Exscan, Iexscan, any, 0,
  (const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
  (in, out, count, type, op, comm))
ROAM_COLLECTIVE(Reduce_scatter, Ireduce_scatter, any, 0,
  (const void* in, void* out, const int* counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
  (in, out, counts, type, op, comm))
ROAM_COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, any, 0,
  (const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
  (in, out, count, type, op, comm))
ROAM_COLLECTIVE(Gather, Igather, any, root,
  (const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type,
   int root, MPI_Comm comm),
  (in, in_count, in_type, out, out_count, out_type, root, comm))
ROAM_COLLECTIVE(Gatherv, Igatherv, any, root,
  (const void* in, int in_count, MPI_Datatype in_type, void* out, const int* out_counts, const int* places,
   MPI_Datatype out_type, int root, MPI_Comm comm),
  (in, in_count, in_type, out, out_counts, places, out_type, root, comm))
ROAM_COLLECTIVE(Scatter, Iscatter, root, root,
  (const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type,
   int root, MPI_Comm comm),
  (in, in_count, in_type, out, out_count, out_type, root, comm))
ROAM_COLLECTIVE(Scatterv, Iscatterv, root, root,
  (const void* in, const int* in_counts, const int* places, MPI_Datatype in_type, void* out, int out_count,
   MPI_Datatype out_type, int root, MPI_Comm comm),
  (in, in_counts, places, in_type, out, out_count, out_type, root, comm))
ROAM_COLLECTIVE(Allgather, Iallgather, any, 0,
  (const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type,
   MPI_Comm comm),
  (in, in_count, in_type, out, out_count, out_type, comm))
ROAM_COLLECTIVE(Allgatherv, Iallgatherv, any, 0,
  (const void* in, int in_count, MPI_Datatype in_type, void* out, const int* out_counts, const int* places,
   MPI_Datatype out_type, MPI_Comm comm),
  (in, in_count, in_type, out, out_counts, places, out_type, comm))
ROAM_COLLECTIVE(Alltoall, Ialltoall, any, 0,
  (const void* in, int in_count, MPI_Datatype in_type, void* out, int out_count, MPI_Datatype out_type,
   MPI_Comm comm),
  (in, in_count, in_type, out, out_count, out_type, comm))
ROAM_COLLECTIVE(Alltoallv, Ialltoallv, any, 0,
  (const void* in, const int* in_counts, const int* in_places, MPI_Datatype in_type, void* out,
   const int* out_counts, const int* out_places, MPI_Datatype out_type, MPI_Comm comm),
  (in, in_counts, in_places, in_type, out, out_counts, out_places, out_type, comm))
ROAM_COLLECTIVE(Alltoallw, Ialltoallw, any, 0,
  (const void* in, const int* in_counts, const int* in_places, const MPI_Datatype* in_types, void* out,
   const int* out_counts, const int* out_places, const MPI_Datatype* out_types, MPI_Comm comm),
  (in, in_counts, in_places, in_types, out, out_counts, out_places, out_types, comm))
// clang-format on

}  // extern "C"
