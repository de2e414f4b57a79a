// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "run/wave.hpp"

namespace sw4 {

/// What each rank knows of the run. Constant while blocks step.
struct World {
  std::unique_ptr<const Wave> wave;
  double point_seconds = 0.0;
};

/// What rank 0 collects. Thread-safe.
class Recorder {
 public:
  void note(std::int32_t receiver, Trace trace) {
    const std::lock_guard guard(mutex_);
    const auto place = static_cast<std::size_t>(receiver);
    if (traces_.size() <= place) traces_.resize(place + 1);
    traces_[place] = std::move(trace);
  }
  /// Of all receivers, when all have come.
  [[nodiscard]] std::vector<Trace> take() {
    const std::lock_guard guard(mutex_);
    return std::exchange(traces_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<Trace> traces_;
};

}  // namespace sw4
