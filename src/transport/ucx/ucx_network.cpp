// SPDX-License-Identifier: Apache-2.0
#include "roam/transport/ucx/ucx_network.hpp"

#include <string>
#include <utility>

#include "roam/core/error.hpp"
#include "roam/transport/detail/launcher.hpp"
#include "roam/transport/registry.hpp"
#include "transport/ucx/environment.hpp"
#include "transport/ucx/ucx_endpoint.hpp"

namespace roam::transport {

namespace {

constexpr const char* network_name = "ucx";

class UcxNetwork final : public Network {
 public:
  UcxNetwork(std::unique_ptr<Bootstrap> bootstrap, const UcxOptions& options)
      : channel_(std::move(bootstrap), UcxEndpoint::request_bytes, options.peer_timeout),
        options_(options) {}

  std::int32_t size() const override { return channel_.size(); }
  std::vector<Rank> local_ranks() const override { return {channel_.rank()}; }
  std::int32_t ranks_on_this_machine() const override { return channel_.ranks_on_this_machine(); }
  std::int32_t ranks_before_on_this_machine() const override {
    return channel_.ranks_before_on_this_machine();
  }
  std::unique_ptr<Endpoint> endpoint(Rank rank) override {
    if (rank != channel_.rank()) {
      throw Error("no endpoint for rank " + std::to_string(rank.value()) +
                  ": this process is rank " + std::to_string(channel_.rank().value()));
    }
    if (std::exchange(taken_out_, true)) {
      throw Error("the endpoint of rank " + std::to_string(rank.value()) +
                  " has been handed out already");
    }
    return std::make_unique<UcxEndpoint>(channel_, options_);
  }
  const char* name() const override { return network_name; }
  void abort(int status) override { channel_.bootstrap().abort(status); }

 private:
  UcxChannel channel_;
  const UcxOptions options_;
  bool taken_out_ = false;
};

std::unique_ptr<Network> create(const NetworkRequest& request) {
  std::unique_ptr<Bootstrap> bootstrap = make_bootstrap(request.peer_timeout);
  const std::int32_t size = bootstrap->size();
  if (request.ranks && *request.ranks != size) {
    throw ConfigError(std::to_string(*request.ranks) + " ranks were asked for, but there are " +
                      std::to_string(size) +
                      " processes: the transport ucx holds one rank per process, so start " +
                      std::to_string(*request.ranks) + " processes");
  }
  return make_ucx_network(std::move(bootstrap),
                          {.peer_timeout = request.peer_timeout, .helpers = request.helpers});
}

const NetworkRegistrar registrar{{
    .name = network_name,
    .description = "one rank per process, over shared memory, TCP and RDMA as UCX finds them",
    .create = create,
    .detected = [] { return detect_launcher().has_value(); },
    .is_asked_for = names_ucx_meeting,
}};

}  // namespace

std::unique_ptr<Network> make_ucx_network(std::unique_ptr<Bootstrap> bootstrap,
                                          const UcxOptions& options) {
  return std::make_unique<UcxNetwork>(std::move(bootstrap), options);
}

}  // namespace roam::transport
