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
/// runtime, since it does not see how these wait for each other, and under the address sanitizer of
/// "starpu" and "openmp": StarPU 1.3.10 itself loses 48 bytes for each datum on which tasks
/// commute, and in one run of three Clang's libomp 14 does not free two of its own tasks, whose
/// cause is not known.
inline std::vector<std::string> backends_to_test() {
  std::vector<std::string> names = backend_names();
  if (tests::has_thread_sanitizer) std::erase_if(names, has_own_threads);
  if (tests::has_address_sanitizer)
    std::erase_if(names,
                  [](const std::string& name) { return name == "starpu" || name == "openmp"; });
  return names;
}

}  // namespace roam::flow
