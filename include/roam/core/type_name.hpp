// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace roam::core {

/// FNV-1a, 64 bit: the same on every rank and compiler, usable at compile time.
[[nodiscard]] constexpr std::uint64_t fnv1a(std::string_view text,
                                            std::uint64_t seed = 0xcbf29ce484222325ULL) {
  for (const char c : text) {
    seed ^= static_cast<unsigned char>(c);
    seed *= 0x100000001b3ULL;
  }
  return seed;
}

namespace detail {
// Both compilers print "... [with X = NAME]" or "... [X = NAME]"; GCC may append "; other = ..."
// aliases.
[[nodiscard]] constexpr std::string_view between(std::string_view text, std::string_view key) {
  const std::size_t start = text.find(key) + key.size();
  std::size_t depth = 0;
  std::size_t end = start;
  for (; end < text.size(); ++end) {
    const char c = text[end];
    if (c == '[' || c == '(' || c == '<' || c == '{') ++depth;
    if ((c == ']' || c == ';') && depth == 0) break;
    if ((c == ']' || c == ')' || c == '>' || c == '}') && depth > 0) --depth;
  }
  return text.substr(start, end - start);
}
}  // namespace detail

namespace detail {
template <class RoamT>
[[nodiscard]] constexpr std::string_view raw_type_name() {
  return between(__PRETTY_FUNCTION__, "RoamT = ");
}
template <auto RoamV>
[[nodiscard]] constexpr std::string_view raw_value_name() {
  return between(__PRETTY_FUNCTION__, "RoamV = ");
}
// Null-terminated copies, so that a name is also a C string.
template <std::size_t N>
[[nodiscard]] constexpr std::array<char, N + 1> terminated(std::string_view text) {
  std::array<char, N + 1> copy{};
  for (std::size_t i = 0; i < N; ++i) copy[i] = text[i];
  return copy;
}
template <class T>
inline constexpr auto type_name_storage = terminated<raw_type_name<T>().size()>(raw_type_name<T>());
template <auto V>
inline constexpr auto value_name_storage =
    terminated<raw_value_name<V>().size()>(raw_value_name<V>());
}  // namespace detail

/// The name of a type as written in the program, e.g. "Subdomain"; data() is null-terminated. Equal
/// names on two ranks mean equal types.
template <class T>
[[nodiscard]] constexpr std::string_view type_name() {
  return {detail::type_name_storage<T>.data(), detail::type_name_storage<T>.size() - 1};
}

/// The name of a function or member function given as a template argument, e.g.
/// "&Subdomain::refine"; data() is null-terminated.
template <auto V>
[[nodiscard]] constexpr std::string_view value_name() {
  return {detail::value_name_storage<V>.data(), detail::value_name_storage<V>.size() - 1};
}

}  // namespace roam::core
