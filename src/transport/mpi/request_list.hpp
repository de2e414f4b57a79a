// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "transport/mpi/mpi_error.hpp"

namespace roam::transport {

/// MPI requests under way, each with a record of its purpose. The requests are stored one after the
/// other as MPI_Testsome needs them, and a completed one is replaced by the last: their order
/// changes.
template <class Record>
class RequestList {
 public:
  /// A request that has completed; `code` is its own error code.
  struct Completed {
    Record record;
    MPI_Status status;
    int code;
  };

  void add(MPI_Request request, Record record) {
    requests_.push_back(request);
    records_.push_back(std::move(record));
  }
  [[nodiscard]] bool empty() const { return requests_.empty(); }

  /// Calls done(Completed&) for requests that have completed; `done` may add requests. Tests a few
  /// dozen requests, different ones each time, so that thousands of pending requests do not make
  /// every call slow. Throws if MPI refuses to test.
  template <class Done>
  void test(Done&& done) {
    if (requests_.empty()) return;
    collect();
    for (Completed& completed : completed_) done(completed);
    completed_.clear();
  }

  /// For receives alone: cancels those that have received nothing. Waits for nothing but MPI
  /// itself.
  void cancel_all() {
    for (MPI_Request& request : requests_) {
      MPI_Cancel(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    requests_.clear();
    records_.clear();
  }
  /// Gives up all requests. MPI may still use the memory in the records, so they are never freed.
  void abandon() {
    requests_.clear();
    static_cast<void>(new std::vector<Record>(std::move(records_)));
    records_.clear();
  }

 private:
  static constexpr std::size_t window = 64;

  void collect() {
    if (next_ >= requests_.size()) next_ = 0;
    const std::size_t first = next_;
    const std::size_t count = std::min(window, requests_.size() - first);
    std::array<int, window> indices;
    std::array<MPI_Status, window> statuses;
    int found = 0;
    const int code = MPI_Testsome(static_cast<int>(count), requests_.data() + first, &found,
                                  indices.data(), statuses.data());
    if (code != MPI_ERR_IN_STATUS) check_mpi(code, "MPI_Testsome");
    const auto completed =
        found == MPI_UNDEFINED ? std::size_t{0} : static_cast<std::size_t>(found);
    next_ = first + count - completed;
    std::array<std::size_t, window> order;
    for (std::size_t i = 0; i < completed; ++i) order[i] = i;
    // Removed from the back, so that the last request, which fills the gap, is never one that is
    // still to be removed.
    std::sort(order.begin(), order.begin() + completed,
              [&](std::size_t a, std::size_t b) { return indices[a] > indices[b]; });
    for (std::size_t i = 0; i < completed; ++i) {
      const MPI_Status& status = statuses[order[i]];
      const std::size_t place = first + static_cast<std::size_t>(indices[order[i]]);
      completed_.push_back({std::move(records_[place]), status,
                            code == MPI_ERR_IN_STATUS ? status.MPI_ERROR : MPI_SUCCESS});
      remove(place);
    }
  }

  void remove(std::size_t place) {
    if (place + 1 < requests_.size()) {
      requests_[place] = requests_.back();
      records_[place] = std::move(records_.back());
    }
    requests_.pop_back();
    records_.pop_back();
  }

  std::vector<MPI_Request> requests_;
  std::vector<Record> records_;  // parallel to requests_
  std::vector<Completed> completed_;
  std::size_t next_ = 0;  // where the next window begins
};

}  // namespace roam::transport
