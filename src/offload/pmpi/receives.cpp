// SPDX-License-Identifier: Apache-2.0
// Calls that wait for a message or post its receive.
#include "hook.hpp"

using namespace roam::offload::pmpi;  // NOLINT(google-build-using-namespace)

namespace {

template <class Post>
int posted_receive(MPI_Comm communicator, int source, MPI_Request* request, bool is_persistent,
                   Post&& post) {
  const Hook hook;
  const int result = post();
  if (hook.is_outermost() && result == MPI_SUCCESS && source != MPI_PROC_NULL)
    Recorder::get().post_receive(*request, communicator, source, is_persistent);
  return result;
}

}  // namespace

extern "C" {

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status* status) {
  return timed_receive(comm, source, status, [&](MPI_Status* seen) {
    return PMPI_Recv(buffer, count, type, source, tag, comm, seen);
  });
}

int MPI_Sendrecv(const void* out, int out_count, MPI_Datatype out_type, int to, int out_tag,
                 void* in, int in_count, MPI_Datatype in_type, int source, int in_tag,
                 MPI_Comm comm, MPI_Status* status) {
  return timed_receive(comm, source, status, [&](MPI_Status* seen) {
    return PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, source,
                         in_tag, comm, seen);
  });
}

int MPI_Sendrecv_replace(void* buffer, int count, MPI_Datatype type, int to, int out_tag,
                         int source, int in_tag, MPI_Comm comm, MPI_Status* status) {
  return timed_receive(comm, source, status, [&](MPI_Status* seen) {
    return PMPI_Sendrecv_replace(buffer, count, type, to, out_tag, source, in_tag, comm, seen);
  });
}

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  return timed_receive(comm, source, status,
                       [&](MPI_Status* seen) { return PMPI_Probe(source, tag, comm, seen); });
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  return timed_receive(comm, source, status, [&](MPI_Status* seen) {
    return PMPI_Mprobe(source, tag, comm, message, seen);
  });
}

int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return posted_receive(comm, source, request, false, [&] {
    return PMPI_Irecv(buffer, count, type, source, tag, comm, request);
  });
}

int MPI_Recv_init(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  return posted_receive(comm, source, request, true, [&] {
    return PMPI_Recv_init(buffer, count, type, source, tag, comm, request);
  });
}

}  // extern "C"
