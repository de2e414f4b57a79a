// SPDX-License-Identifier: Apache-2.0
#include "roam/core/plugin/library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "roam/core/detail/suggest.hpp"
#include "roam/core/error.hpp"

namespace roam::plugin {

namespace {

std::string last_error() {
  const char* const text = dlerror();
  return text == nullptr ? "for an unknown reason" : text;
}

/// Where the program or library begins that contains this address.
const void* base_of(const void* address) {
  Dl_info info{};
  return dladdr(address, &info) == 0 ? nullptr : info.dli_fbase;
}

[[noreturn]] void refuse(const std::string& path, const char* compiler) {
  if (std::strcmp(compiler, this_compiler()) != 0) {
    throw ConfigError(path + ": the library was built by " + compiler + ", this program by " +
                      this_compiler() + "; build it anew with the same compiler");
  }
  throw ConfigError(path + ": the library was built against another version of Roam; build it " +
                    "anew");
}

/// The entries of these families that the library has registered.
std::vector<const Entry*> registered_by(const LoadedLibrary& library,
                                        std::span<const AskedFamily> families) {
  std::vector<const Entry*> found;
  const void* const base = base_of(library.stamp);
  for (const Entry* entry : all_entries()) {
    if (base_of(entry) != base) continue;
    for (const AskedFamily& family : families) {
      if (std::strcmp(entry->family, family.name) != 0) continue;
      if (!entry->stamp.fits(family.stamp)) refuse(library.path, entry->stamp.compiler);
      found.push_back(entry);
    }
  }
  return found;
}

std::size_t count_of(const char* name, std::span<const AskedFamily> families) {
  std::size_t count = 0;
  for (const AskedFamily& family : families) {
    count += static_cast<std::size_t>(std::ranges::count_if(
        entries(family.name, family.stamp),
        [name](const Entry* entry) { return std::strcmp(entry->name, name) == 0; }));
  }
  return count;
}

std::string the_only_one(const LoadedLibrary& library, const char* what,
                         const std::vector<const Entry*>& registered) {
  if (registered.empty()) {
    throw ConfigError(library.path + ": the library brings no " + what);
  }
  if (registered.size() == 1) return registered.front()->name;
  std::vector<std::string> names;
  for (const Entry* entry : registered) names.emplace_back(entry->name);
  std::ranges::sort(names);
  throw ConfigError(
      library.path + ": the library brings more than one " + what +
      ", and its roam_plugin does not say which is meant: " + core::join_names(names));
}

}  // namespace

// The library is never closed: what it has registered is used to the end of the process.
LoadedLibrary load_library(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw ConfigError("cannot load this library: " + last_error());
  const void* const symbol = dlsym(library, "roam_plugin");
  if (symbol == nullptr) {
    throw ConfigError(path + ": the library does not say what it brings: it has no symbol " +
                      "roam_plugin (roam/balance/plugin_library.hpp)");
  }
  const auto* const stamp = static_cast<const LibraryStamp*>(symbol);
  // If the library was built for another interface, what follows in the struct may be anything.
  if (stamp->interface != library_interface) refuse(path, this_compiler());
  if (std::strcmp(stamp->compiler, this_compiler()) != 0) refuse(path, stamp->compiler);
  return {path, stamp};
}

std::string brought_by(const LoadedLibrary& library, const char* what,
                       std::span<const AskedFamily> families, const char* named) {
  const std::vector<const Entry*> registered = registered_by(library, families);
  std::string name = named != nullptr ? named : the_only_one(library, what, registered);
  if (std::ranges::none_of(registered, [&](const Entry* entry) { return name == entry->name; })) {
    throw ConfigError(library.path + ": the library says that it brings the " + what + " \"" +
                      name + "\", but registers none of that name");
  }
  if (count_of(name.c_str(), families) > 1) {
    throw ConfigError(library.path + ": the library brings the " + what + " \"" + name +
                      "\"; there is one of that name already");
  }
  return name;
}

}  // namespace roam::plugin
