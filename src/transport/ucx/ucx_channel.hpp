// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "roam/transport/ucx/ucx_network.hpp"
#include "transport/ucx/process_watch.hpp"
#include "transport/ucx/ucx_library.hpp"

namespace roam::transport {

/// What a network and its endpoint use together: UCX, and the other processes.
class UcxChannel {
 public:
  struct Process {
    std::string address;   // the address of its UCX worker
    std::string host;      // the name of its machine, for reports
    bool watched = false;  // true: it is on this machine, and the process watch notices its end
  };

  /// Exchanges addresses. Collective. Otherwise as the constructor of UcxLibrary.
  UcxChannel(std::unique_ptr<Bootstrap> bootstrap, std::size_t request_bytes,
             std::chrono::seconds peer_timeout);

  [[nodiscard]] Rank rank() const { return rank_; }
  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(processes_.size()); }
  [[nodiscard]] std::int32_t ranks_on_this_machine() const { return ranks_on_this_machine_; }
  /// The number of these ranks that are lower than this process's.
  [[nodiscard]] std::int32_t ranks_before_on_this_machine() const {
    return ranks_before_on_this_machine_;
  }
  [[nodiscard]] const Process& process(Rank rank) const { return processes_[rank.index()]; }
  [[nodiscard]] ucp_worker_h worker() const { return library_->worker(); }
  [[nodiscard]] ucp_context_h context() const { return library_->context(); }
  /// Ends the use of UCX. It calls its callbacks for the last time.
  void release() { library_.reset(); }
  /// Ends the use of UCX without freeing its resources until the process ends.
  void abandon() { static_cast<void>(library_.release()); }
  [[nodiscard]] Bootstrap& bootstrap() { return *bootstrap_; }
  /// A process that has ended, as the bootstrap or the watch reports; each reports it once. At most
  /// two system calls; does not block.
  [[nodiscard]] std::optional<LostProcess> lost();

 private:
  std::unique_ptr<Bootstrap> bootstrap_;
  std::unique_ptr<UcxLibrary> library_;
  ProcessWatch watch_;
  Rank rank_;
  std::vector<Process> processes_;  // by rank
  std::int32_t ranks_on_this_machine_ = 0;
  std::int32_t ranks_before_on_this_machine_ = 0;
};

}  // namespace roam::transport
