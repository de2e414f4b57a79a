// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "roam/core/plugin/registrar.hpp"

namespace roam::plugin {

/// @cond
/// Raised when Stamp, Entry or LibraryStamp change.
inline constexpr std::uint32_t library_interface = 4;

/// What a shared library says of itself first: the beginning of the struct that its symbol
/// roam_plugin names (roam/balance/plugin_library.hpp).
struct LibraryStamp {
  std::uint32_t interface = library_interface;  // first, for all time
  std::uint32_t unused = 0;
  const char* compiler = this_compiler();
};

/// A shared library that has been loaded; it stays loaded to the end of the process.
struct LoadedLibrary {
  std::string path;
  const LibraryStamp* stamp = nullptr;  ///< its symbol roam_plugin
};

/// Loads a shared library; loading it again has no effect. Blocks for the file system; runs the
/// library's initialisers. Any thread. Throws ConfigError if there is no such file, it is no
/// library, it needs symbols that this program does not have, it lacks the symbol roam_plugin, or
/// it was built by another compiler or against another Roam.
[[nodiscard]] LoadedLibrary load_library(const std::string& path);

/// A family of plug-ins that an option accepts.
struct AskedFamily {
  const char* name;  ///< Family::name
  Stamp stamp;       ///< stamp_of
};
template <class Kind>
[[nodiscard]] AskedFamily asked() {
  return {Family<Kind>::name, stamp_of<Kind>()};
}

/// The name of the plug-in of one of these families that the library brings: `named`, if its
/// roam_plugin names one, else the only one that it has registered. Throws ConfigError if the
/// library has none, or several and names none; if another plug-in has the same name; or if it was
/// built against another version of Roam. `what` is for messages: "balancer".
[[nodiscard]] std::string brought_by(const LoadedLibrary& library, const char* what,
                                     std::span<const AskedFamily> families, const char* named);

/// Returns the choice as it is, unless its name is the path of a shared library: then the library
/// is loaded and the name becomes that of the plug-in of this kind that it brings, which is
/// registered from then on. Throws ConfigError that starts with `origin`, as the functions above
/// do.
template <class Kind>
[[nodiscard]] PluginChoice loaded(PluginChoice choice, std::string_view origin) {
  if (!choice.is_path()) return choice;
  return blaming(origin, [&] {
    const AskedFamily family = asked<Kind>();
    choice.name = brought_by(load_library(choice.name), family.name, {&family, 1}, nullptr);
    return choice;
  });
}

/// @endcond
}  // namespace roam::plugin
