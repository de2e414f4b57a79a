// SPDX-License-Identifier: Apache-2.0
#include "roam/balance/plugin_library.hpp"

#include <dlfcn.h>

#include "roam/core/error.hpp"

namespace roam::balance {

namespace {

std::string last_error() {
  const char* const text = dlerror();
  return text == nullptr ? "for an unknown reason" : text;
}

// Never closed: what it has registered is used to the end of the process.
const PluginLibrary& load(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw ConfigError("cannot load this library: " + last_error());
  const void* const symbol = dlsym(library, "roam_plugin");
  if (symbol == nullptr) {
    throw ConfigError(path + ": the library does not say what it brings: it has no symbol " +
                      "roam_plugin (roam/balance/plugin_library.hpp)");
  }
  const auto& plugin = *static_cast<const PluginLibrary*>(symbol);
  if (plugin.interface != plugin_interface || plugin.layout != plugin_layout()) {
    throw ConfigError(path + ": the library was built against another version of Roam, or by " +
                      "another compiler; build it anew");
  }
  return plugin;
}

template <class Names>
PluginChoice loaded(PluginChoice choice, std::string_view origin, const char* what,
                    const char* PluginLibrary::*name, Names names) {
  if (!choice.is_path()) return choice;
  try {
    const std::string path = choice.name;
    const char* const brought = load(path).*name;
    if (brought == nullptr) throw ConfigError(path + ": the library brings no " + what);
    choice.name = brought;
    const std::vector<std::string> known = names();
    if (std::ranges::count(known, choice.name) == 0) {
      throw ConfigError(path + ": the library says that it brings the " + what + " \"" +
                        choice.name + "\", but registers none of that name");
    }
    if (std::ranges::count(known, choice.name) > 1) {
      throw ConfigError(path + ": the library brings the " + what + " \"" + choice.name +
                        "\"; there is one of that name already");
    }
    return choice;
  } catch (const ConfigError& error) {
    throw ConfigError(std::string(origin) + ": " + error.what());
  }
}

}  // namespace

PluginChoice load_balancer(PluginChoice choice, std::string_view origin) {
  return loaded(std::move(choice), origin, "balancer", &PluginLibrary::balancer, balancer_names);
}

PluginChoice load_scheduler(PluginChoice choice, std::string_view origin) {
  return loaded(std::move(choice), origin, "scheduler", &PluginLibrary::scheduler,
                exec::scheduler_names);
}

std::vector<PluginChoice> load_model_stack(std::vector<PluginChoice> stack,
                                           std::string_view origin) {
  for (PluginChoice& choice : stack) {
    choice = loaded(std::move(choice), origin, "load model", &PluginLibrary::load_model,
                    load_model_names);
  }
  return stack;
}

}  // namespace roam::balance
