// SPDX-License-Identifier: Apache-2.0
#include "roam/transport/mpi/mpi_network.hpp"

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>

#include "roam/core/error.hpp"
#include "roam/transport/detail/launcher.hpp"
#include "roam/transport/registry.hpp"
#include "transport/mpi/mpi_endpoint.hpp"

namespace roam::transport {

MpiChannel::MpiChannel(MPI_Comm communicator, const MpiOptions& options) {
  check_mpi(MPI_Comm_dup(communicator, &messages), "MPI_Comm_dup");
  check_mpi(MPI_Comm_dup(communicator, &data), "MPI_Comm_dup");
  check_mpi(MPI_Comm_set_errhandler(messages, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check_mpi(MPI_Comm_set_errhandler(data, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check_mpi(MPI_Comm_rank(messages, &rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(messages, &size), "MPI_Comm_size");
  int* bound = nullptr;
  int found = 0;
  check_mpi(MPI_Comm_get_attr(messages, MPI_TAG_UB, static_cast<void*>(&bound), &found),
            "MPI_Comm_get_attr");
  // One less, so that a bulk tag plus one is always a valid tag. The standard guarantees 32767.
  largest_tag = (found != 0 ? *bound : 32767) - 1;
  boxes = std::make_unique<MpiBoxes>(messages, options.fast_boxes);
}

void MpiChannel::free() {
  boxes->free();
  for (MPI_Comm* communicator : {&messages, &data}) {
    if (*communicator != MPI_COMM_NULL) MPI_Comm_free(communicator);
  }
}

void MpiChannel::abandon() {
  boxes->abandon();
  messages = MPI_COMM_NULL;
  data = MPI_COMM_NULL;
  mpi.do_not_finalise();
}

namespace {

constexpr const char* network_name = "mpi";

class MpiNetwork final : public Network {
 public:
  MpiNetwork(MPI_Comm communicator, const MpiOptions& options)
      : channel_(communicator, options), options_(options) {}

  std::int32_t size() const override { return channel_.size; }
  std::vector<Rank> local_ranks() const override { return {Rank(channel_.rank)}; }
  std::int32_t ranks_on_this_machine() const override { return channel_.boxes->ranks_here(); }
  std::int32_t ranks_before_on_this_machine() const override {
    return channel_.boxes->ranks_before();
  }
  const char* single_thread_reason() const override {
    return channel_.mpi.thread_level() > MPI_THREAD_SINGLE
               ? nullptr
               : "MPI was initialised with MPI_THREAD_SINGLE; call MPI_Init_thread and ask for "
                 "MPI_THREAD_FUNNELED or more";
  }
  std::unique_ptr<Endpoint> endpoint(Rank rank) override {
    channel_.mpi.check_thread();
    if (rank != channel_.rank) {
      throw Error("no endpoint for rank " + std::to_string(rank.value()) +
                  ": this process is rank " + std::to_string(channel_.rank));
    }
    if (std::exchange(taken_out_, true)) {
      throw Error("the endpoint of rank " + std::to_string(rank.value()) +
                  " has been handed out already");
    }
    return std::make_unique<MpiEndpoint>(channel_, options_);
  }
  const char* name() const override { return network_name; }
  [[noreturn]] void abort(int status) override { abort_job(MPI_COMM_WORLD, status); }

 private:
  MpiChannel channel_;
  const MpiOptions options_;
  bool taken_out_ = false;
};

std::unique_ptr<Network> create(const NetworkRequest& request) {
  auto network = make_mpi_network(MPI_COMM_WORLD);
  if (request.ranks && *request.ranks != network->size()) {
    throw ConfigError(std::to_string(*request.ranks) + " ranks were asked for, but MPI has " +
                      std::to_string(network->size()) +
                      ": the transport mpi holds one rank per process, so start " +
                      std::to_string(*request.ranks) + " processes with mpirun or mpiexec");
  }
  return network;
}

const NetworkRegistrar registrar{{
    .name = network_name,
    .description = "one rank per process, started by mpirun or mpiexec",
    .create = create,
    .detected = [] { return detect_launcher().has_value(); },
}};

}  // namespace

std::unique_ptr<Network> make_mpi_network(MPI_Comm communicator, const MpiOptions& options) {
  return std::make_unique<MpiNetwork>(communicator, options);
}

void abort_job(MPI_Comm communicator, int status) {
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  MPI_Abort(communicator, status);
  std::_Exit(status);  // MPI_Abort() does not return, but is not declared so
}

}  // namespace roam::transport
