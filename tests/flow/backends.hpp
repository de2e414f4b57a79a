// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "roam/flow/backend.hpp"
#include "sanitizers.hpp"

namespace roam::flow {

/// True if the back end runs tasks on threads of another runtime, beside Roam's.
inline bool has_own_threads(const std::string& backend) {
  return backend == "tbb" || backend == "openmp" || backend == "starpu";
}

/// The names of all back ends, except under the thread sanitizer of those with threads of another
/// runtime: it does not see how these wait for each other.
inline std::vector<std::string> backends_to_test() {
  std::vector<std::string> names = backend_names();
  if (tests::has_thread_sanitizer) std::erase_if(names, has_own_threads);
  return names;
}

}  // namespace roam::flow
