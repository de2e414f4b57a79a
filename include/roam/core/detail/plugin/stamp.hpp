// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <version>

namespace roam::plugin {

#define ROAM_PLUGIN_TEXT_OF(value) #value
#define ROAM_PLUGIN_TEXT(value) ROAM_PLUGIN_TEXT_OF(value)
#if defined(__clang__)
#define ROAM_PLUGIN_COMPILER "Clang " ROAM_PLUGIN_TEXT(__clang_major__)
#elif defined(__GNUC__)
#define ROAM_PLUGIN_COMPILER "GCC " ROAM_PLUGIN_TEXT(__GNUC__)
#else
#define ROAM_PLUGIN_COMPILER "another compiler"
#endif
#if defined(_GLIBCXX_DEBUG)
#define ROAM_PLUGIN_LIBRARY ", libstdc++ in debug mode"
#elif defined(_GLIBCXX_RELEASE) && _GLIBCXX_USE_CXX11_ABI
#define ROAM_PLUGIN_LIBRARY ", libstdc++"
#elif defined(_GLIBCXX_RELEASE)
#define ROAM_PLUGIN_LIBRARY ", libstdc++ with old strings"
#elif defined(_LIBCPP_VERSION)
#define ROAM_PLUGIN_LIBRARY ", libc++"
#else
#define ROAM_PLUGIN_LIBRARY ""
#endif
/// How the code that includes this was compiled, as far as it decides whether separately compiled
/// code fits: the compiler and its major version, and the standard library, as in "GCC 12,
/// libstdc++". Hidden, so that a library calls its own copy and not the program's.
[[nodiscard, gnu::visibility("hidden")]] inline const char* this_compiler() {
  return ROAM_PLUGIN_COMPILER ROAM_PLUGIN_LIBRARY;
}
#undef ROAM_PLUGIN_LIBRARY
#undef ROAM_PLUGIN_COMPILER
#undef ROAM_PLUGIN_TEXT
#undef ROAM_PLUGIN_TEXT_OF

/// A hash of the sizes of structs that code compiled elsewhere hands to this code or gets from it.
template <class... Structs>
[[nodiscard]] consteval std::uint64_t layout_of() {
  constexpr std::array<std::size_t, sizeof...(Structs)> sizes{sizeof(Structs)...};
  std::uint64_t hash = 14695981039346656037U;
  for (const std::size_t size : sizes) hash = (hash ^ size) * 1099511628211U;
  return hash;
}

/// Says which compiler a plug-in was compiled with, and against which version of the classes that
/// it derives from. Its layout is the same in all versions of Roam.
struct Stamp {
  std::uint32_t interface = 0;  ///< the interface number of the family
  std::uint32_t unused = 0;
  std::uint64_t layout = 0;  ///< a hash of the layouts of the family's structs
  const char* compiler = nullptr;

  [[nodiscard]] bool fits(const Stamp& other) const {
    return interface == other.interface && layout == other.layout &&
           std::strcmp(compiler, other.compiler) == 0;
  }
};

}  // namespace roam::plugin
