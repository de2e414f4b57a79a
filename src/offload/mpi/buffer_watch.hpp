// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "roam/offload/mpi/offload.h"

namespace roam::offload {

/// Says which buffer of which task an error is about: `buffer 1 of task "sum" of rank 0 (ROAM_IN,
/// 4096 bytes)`.
[[nodiscard]] std::string describe_buffer(const std::string& task, std::size_t number, int rank,
                                          const roam_buffer& buffer);

/// Finds out whether the program has freed or changed the buffers of a task that was not complete
/// (--roam-offload-check-buffers): compares their checksums, and looks whether they are still in
/// memory that the process has. What is freed and has the same bytes again is not noticed. One
/// thread at a time.
class BufferWatch {
 public:
  /// What is wrong with a buffer.
  struct Finding {
    std::size_t buffer = 0;
    const char* what = nullptr;  ///< nullptr: nothing is wrong. In static storage
  };
  /// Remembers what is in the buffers now. A buffer that is in no memory counts as changed.
  void remember(const std::vector<roam_buffer>& buffers);
  /// Compares them with that; the first that differs. Nothing is found before remember().
  [[nodiscard]] Finding compare(const std::vector<roam_buffer>& buffers) const;
  /// The same for buffers that the task only reads.
  [[nodiscard]] Finding compare_inputs(const std::vector<roam_buffer>& buffers) const;

 private:
  template <class Counts>
  [[nodiscard]] Finding compare_if(const std::vector<roam_buffer>& buffers, Counts counts) const;

  std::vector<std::uint64_t> checksums_;  // by buffer; empty: not watched
};

/// The inputs that were lent in this step, which the program leaves as they are until its end. Any
/// thread.
class LentWatch {
 public:
  /// Adds the lent buffers of a task.
  void add(const std::string& task, int rank, const std::vector<roam_buffer>& buffers);
  /// Ends the step. Returns a sentence on the first buffer that has been changed, "" if none has.
  [[nodiscard]] std::string end_step();

 private:
  struct Lent {
    std::string description;
    std::vector<roam_buffer> buffer;
    BufferWatch watch;
  };
  std::mutex mutex_;
  std::vector<Lent> lent_;  // under mutex_
};

}  // namespace roam::offload
