// SPDX-License-Identifier: Apache-2.0
#include "transport/ucx/ucx_library.hpp"

#include <ucs/config/global_opts.h>

#include <algorithm>
#include <cstdlib>

#include "roam/core/error.hpp"
#include "transport/ucx/ucx_error.hpp"

namespace roam::transport {

namespace {

// True if the environment sets this option of UCX, which UCX has then read by itself.
bool is_set(const char* option) {
  return std::getenv((std::string("UCX_") + option).c_str()) != nullptr;
}

class Configuration {
 public:
  explicit Configuration(std::chrono::seconds peer_timeout) {
    check_ucx(ucp_config_read(nullptr, nullptr, &config_), "ucp_config_read");
    // How soon the silence of a process on another machine is noticed.
    set_default("KEEPALIVE_INTERVAL", "1s");
    keep_alive_for(peer_timeout);
  }
  Configuration(const Configuration&) = delete;
  Configuration& operator=(const Configuration&) = delete;
  ~Configuration() { ucp_config_release(config_); }
  [[nodiscard]] const ucp_config_t* get() const { return config_; }

 private:
  // Without this, UCX gives up an idle TCP connection after 13 s of silence.
  void keep_alive_for(std::chrono::seconds limit) {
    const std::string between =
        limit.count() == 0 ? "inf" : std::to_string(std::max(limit.count() / 4, 1L)) + "s";
    if (is_set("TCP_KEEPIDLE")) return;
    set_default("TCP_KEEPIDLE", between.c_str());
    set_default("TCP_KEEPINTVL", between.c_str());
    set_default("TCP_KEEPCNT", "5");
  }
  void set_default(const char* option, const char* value) {
    if (!is_set(option)) check_ucx(ucp_config_modify(config_, option, value), "ucp_config_modify");
  }
  ucp_config_t* config_ = nullptr;
};

}  // namespace

void check_ucx(ucs_status_t status, const char* call) {
  if (status != UCS_OK) throw Error(std::string(call) + ": " + ucs_status_string(status));
}

UcxLibrary::UcxLibrary(std::size_t request_bytes, std::chrono::seconds peer_timeout) {
  // Every error comes back as a status, and in containers UCX would print warnings of missing
  // devices.
  if (!is_set("LOG_LEVEL"))
    check_ucx(ucs_global_opts_set_value("LOG_LEVEL", "fatal"), "ucs_global_opts_set_value");
  const Configuration configuration(peer_timeout);
  ucp_params_t wanted{};
  wanted.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_REQUEST_SIZE;
  wanted.features = UCP_FEATURE_AM | UCP_FEATURE_TAG;
  wanted.request_size = request_bytes;
  check_ucx(ucp_init(&wanted, configuration.get(), &context_), "ucp_init");
  ucp_worker_params_t parameters{};
  parameters.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  parameters.thread_mode = UCS_THREAD_MODE_SERIALIZED;
  const ucs_status_t status = ucp_worker_create(context_, &parameters, &worker_);
  if (status != UCS_OK) {
    ucp_cleanup(context_);
    check_ucx(status, "ucp_worker_create");
  }
}

UcxLibrary::~UcxLibrary() {
  ucp_worker_destroy(worker_);
  ucp_cleanup(context_);
}

std::string UcxLibrary::address() const {
  ucp_address_t* address = nullptr;
  std::size_t bytes = 0;
  check_ucx(ucp_worker_get_address(worker_, &address, &bytes), "ucp_worker_get_address");
  std::string copy(reinterpret_cast<const char*>(address), bytes);
  ucp_worker_release_address(worker_, address);
  return copy;
}

}  // namespace roam::transport
