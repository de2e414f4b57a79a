// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ucp/api/ucp.h>

#include <chrono>
#include <string>

namespace roam::transport {

/// A UCX context with one worker, for active messages and tagged data.
class UcxLibrary {
 public:
  /// Each request of UCX has `request_bytes` bytes of the caller in front of it. `peer_timeout` as
  /// in UcxOptions. Throws roam::Error.
  UcxLibrary(std::size_t request_bytes, std::chrono::seconds peer_timeout);
  UcxLibrary(const UcxLibrary&) = delete;
  UcxLibrary& operator=(const UcxLibrary&) = delete;
  ~UcxLibrary();

  [[nodiscard]] ucp_worker_h worker() const { return worker_; }
  [[nodiscard]] ucp_context_h context() const { return context_; }
  /// The address at which others reach the worker.
  [[nodiscard]] std::string address() const;

 private:
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
};

}  // namespace roam::transport
