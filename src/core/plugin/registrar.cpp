// SPDX-License-Identifier: Apache-2.0
#include "roam/core/plugin/registrar.hpp"

#include "roam/core/error.hpp"
#include "roam/core/suggest.hpp"

namespace roam::plugin {

void throw_unknown(std::string_view what, const std::string& name,
                   const std::vector<std::string>& known) {
  throw ConfigError("there is no " + std::string(what) + " \"" + name +
                    "\"; known are: " + core::join_names(known) + core::did_you_mean(name, known));
}

}  // namespace roam::plugin
