// SPDX-License-Identifier: Apache-2.0
#include "roam/flow/backend.hpp"

#include "roam/core/error.hpp"

namespace roam::flow {

std::vector<std::string> backend_names() { return plugin::names<BackendKind>(); }

const BackendKind& find_backend(const std::string& name, std::string_view origin) {
  return *plugin::blaming(origin, [&] {
    if (name == "tbb" && plugin::find<BackendKind>(name) == nullptr) {
      throw ConfigError(
          "the back end tbb is not part of this Roam: install oneTBB (Debian: libtbb-dev), and "
          "build it again");
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
