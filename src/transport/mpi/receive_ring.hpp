// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "transport/mpi/mpi_error.hpp"

namespace roam::transport {

/// Persistent receives from any rank, posted in the order of the ring. MPI matches a message with
/// the oldest posted receive that fits, so that looking at the oldest receive alone yields the
/// messages of each sender in the order sent; a look costs one MPI_Test whatever the length of the
/// ring. Slots are posted again when there is nothing to receive, or when half of them are used:
/// not between a message and the answer to it.
class ReceiveRing {
 public:
  ReceiveRing(MPI_Comm communicator, std::size_t slots, std::size_t slot_bytes)
      : stride_(slot_bytes / sizeof(Line) + 2), memory_(slots * stride_) {
    requests_.reserve(slots);
    for (std::size_t i = 0; i < slots; ++i) {
      MPI_Request request = MPI_REQUEST_NULL;
      check_mpi(MPI_Recv_init(&memory_[i * stride_], static_cast<int>(slot_bytes), MPI_BYTE,
                              MPI_ANY_SOURCE, MPI_ANY_TAG, communicator, &request),
                "MPI_Recv_init");
      requests_.push_back(request);
      check_mpi(MPI_Start(&requests_.back()), "MPI_Start");
    }
  }
  ReceiveRing(const ReceiveRing&) = delete;
  ReceiveRing& operator=(const ReceiveRing&) = delete;

  /// True if the oldest receive has ended: then `code` and `status` say how, data() is what has
  /// arrived, and next() must be called before the next poll.
  [[nodiscard]] bool poll(MPI_Status& status, int& code) {
    if (used_ * 2 >= requests_.size()) post_used();
    int ended = 0;
    code = MPI_Test(&requests_[oldest_], &ended, &status);
    if (ended != 0 || code != MPI_SUCCESS) return true;
    if (used_ > 0) post_used();
    return false;
  }
  [[nodiscard]] const void* data() const { return &memory_[oldest_ * stride_]; }
  /// Says that the data is not needed any more.
  void next() {
    ++used_;
    if (++oldest_ == requests_.size()) oldest_ = 0;
  }

  void cancel() {
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      MPI_Request& request = requests_[(oldest_ + i) % requests_.size()];
      if (i < requests_.size() - used_) {
        MPI_Cancel(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      }
      MPI_Request_free(&request);
    }
    requests_.clear();
  }
  /// Gives up the receives without calling MPI, which may still write into the memory: it is never
  /// freed.
  void abandon() {
    static_cast<void>(new std::vector<Line>(std::move(memory_)));
    requests_.clear();
  }

 private:
  void post_used() {
    std::size_t slot = oldest_ >= used_ ? oldest_ - used_ : oldest_ + requests_.size() - used_;
    for (; used_ > 0; --used_) {
      check_mpi(MPI_Start(&requests_[slot]), "MPI_Start");
      if (++slot == requests_.size()) slot = 0;
    }
  }

  struct alignas(64) Line {
    std::array<std::byte, 64> bytes;
  };
  // In units of Line. One more than a slot needs: otherwise short messages would share a few sets
  // of the cache.
  const std::size_t stride_;
  std::vector<Line> memory_;
  std::vector<MPI_Request> requests_;
  std::size_t oldest_ = 0;
  std::size_t used_ = 0;  // the number of slots before oldest_ that are not posted
};

}  // namespace roam::transport
