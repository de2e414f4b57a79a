// SPDX-License-Identifier: Apache-2.0
#include "roam/flow/backend.hpp"

#include "roam/core/error.hpp"

namespace roam::flow {

namespace {

/// A back end that is built only if something else is there.
struct Optional {
  const char* name;
  const char* needs;
};
constexpr Optional optional[] = {
    {"tbb", "oneTBB (Debian: libtbb-dev)"},
    {"openmp", "OpenMP 5.0 for the compiler (GCC has it; Debian's Clang: libomp-dev)"},
    {"starpu", "StarPU 1.3 (Debian: libstarpu-dev)"},
};

}  // namespace

std::vector<std::string> backend_names() { return plugin::names<BackendKind>(); }

const BackendKind& find_backend(const std::string& name, std::string_view origin) {
  return *plugin::blaming(origin, [&] {
    for (const Optional& one : optional) {
      if (name != one.name || plugin::find<BackendKind>(name) != nullptr) continue;
      throw ConfigError("the back end " + name + " is not part of this Roam: install " + one.needs +
                        ", and build it again");
    }
    const BackendKind* const kind = &plugin::require<BackendKind>(name);
    return kind;
  });
}

namespace {

const BackendRegistrar serial{
    {.name = "serial",
     .description = "Each task runs to its end where it is issued, in the order of the program",
     .runs_at_once = true,
     .create = nullptr}};

}  // namespace

}  // namespace roam::flow
