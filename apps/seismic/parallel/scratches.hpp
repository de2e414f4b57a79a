// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

#include "solve/aligned_array.hpp"

namespace seismic {

/// Scratch memory for kernels on one rank, one piece for each worker that computes at the same
/// time; reused. Thread-safe.
class Scratches {
 public:
  /// Memory that is returned at the end of its life.
  class Lease {
   public:
    Lease(Scratches& from, AlignedArray memory) : from_(from), memory_(std::move(memory)) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() {
      const std::lock_guard guard(from_.mutex_);
      from_.free_.push_back(std::move(memory_));
    }
    [[nodiscard]] double* data() { return memory_.data(); }

   private:
    Scratches& from_;
    AlignedArray memory_;
  };

  /// Lends at least `size` doubles with undefined contents.
  [[nodiscard]] Lease lend(std::size_t size) {
    AlignedArray memory;
    {
      const std::lock_guard guard(mutex_);
      if (!free_.empty()) {
        memory = std::move(free_.back());
        free_.pop_back();
      }
    }
    if (memory.size() < size) memory = AlignedArray(size);
    return {*this, std::move(memory)};
  }

 private:
  std::mutex mutex_;
  std::vector<AlignedArray> free_;
};

}  // namespace seismic
