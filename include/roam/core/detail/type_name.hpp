// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <typeinfo>

namespace roam::symbols {
// Templates that carry a type or a value into a mangled name.
template <class T>
struct Type {};
template <class T, T V>
struct Value {};
}  // namespace roam::symbols

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
// The names are copied with a final null character, so that each is also a C string.
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

/// The name of a type as written in the program, e.g. "Subdomain", for people to read; data() is
/// null-terminated. Two types may have the same name; type_symbol() tells them apart.
template <class T>
[[nodiscard]] constexpr std::string_view type_name() {
  return {detail::type_name_storage<T>.data(), detail::type_name_storage<T>.size() - 1};
}

/// The name of a function or member function given as a template argument, e.g.
/// "&Subdomain::refine", for people to read; data() is null-terminated. Compilers print neither
/// the parameters nor the constness of a function, nor the arguments of a template of functions
/// (GCC: of member functions), so several may have one name: see value_symbol().
template <auto V>
[[nodiscard]] constexpr std::string_view value_name() {
  return {detail::value_name_storage<V>.data(), detail::value_name_storage<V>.size() - 1};
}

/// Joins texts to one that is null-terminated, so that a longer name is made of such names at
/// compile time. `Size` is the sum of their lengths.
template <std::size_t Size>
[[nodiscard]] constexpr std::array<char, Size + 1> joined_names(
    std::initializer_list<std::string_view> texts) {
  std::array<char, Size + 1> joined{};
  std::size_t at = 0;
  for (const std::string_view text : texts) {
    for (const char c : text) joined[at++] = c;
  }
  return joined;
}

namespace detail {
/// The mangled name of symbols::Type<T> or symbols::Value<...> without the part that is common to
/// all of them.
[[nodiscard]] std::string_view symbol_of(const std::type_info& carrier);
}  // namespace detail

/// What linkers call a type (its mangled name in the C++ ABI): different for different types, and
/// the same in all processes of one program, with GCC and with Clang. Types of unnamed namespaces
/// in two source files have the same symbol. In static storage.
template <class T>
[[nodiscard]] std::string_view type_symbol() {
  return detail::symbol_of(typeid(symbols::Type<T>));
}

/// The mangled name of a function or member function given as a template argument. It differs with
/// the function's parameters, constness and template arguments.
template <auto V>
[[nodiscard]] std::string_view value_symbol() {
  return detail::symbol_of(typeid(symbols::Value<decltype(V), V>));
}

/// What reports call a type or function of the program (text), and what tells it from all others
/// (symbol).
struct ProgramName {
  std::string_view text;
  std::string_view symbol;
};
template <class T>
[[nodiscard]] ProgramName program_name_of_type() {
  return {type_name<T>(), type_symbol<T>()};
}
template <auto V>
[[nodiscard]] ProgramName program_name_of_value() {
  return {value_name<V>(), value_symbol<V>()};
}

/// A symbol as a report shows it, "void Field::add<int>(int)"; any other text as it is.
[[nodiscard]] std::string readable_symbol(std::string_view symbol);

/// What a report calls the entry with this name: its text; or, if another entry of the list that
/// starts with `first` has the same text, as overloads do, its readable symbol.
template <class Entry>
[[nodiscard]] std::string distinct_name(const ProgramName& name, const Entry* first) {
  for (const Entry* entry = first; entry != nullptr; entry = entry->next()) {
    const ProgramName other = entry->program_name();
    if (other.text == name.text && other.symbol != name.symbol) return readable_symbol(name.symbol);
  }
  return std::string(name.text);
}

}  // namespace roam::core
