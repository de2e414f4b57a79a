// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

namespace bench {

/// The processor time of this thread, in seconds: time in which other programs run does not count.
inline double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace bench
