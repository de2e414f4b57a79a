// SPDX-License-Identifier: Apache-2.0
#include "roam/core/detail/type_name.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace roam::core {

namespace {

// A mangled name is "N4roam7symbols4TypeI...EE"; demangled, it is "roam::symbols::Type<...>". A
// Value has its type as the first argument, because demanglers leave out the parameters of a
// function that is a template argument.
constexpr std::string_view mangled_namespace = "N4roam7symbols";
constexpr std::string_view mangled_end = "E";
constexpr std::string_view type_head = "4TypeI";
constexpr std::string_view value_head = "5ValueI";

std::string demangled(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text != nullptr ? std::string(text.get()) : std::string();
}

/// Where the first argument of a demangled template ends.
std::size_t end_of_first(std::string_view arguments) {
  int depth = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const char c = arguments[i];
    if (c == ',' && depth == 0) return i;
    if (c == '<' || c == '(') ++depth;
    if (c == '>' || c == ')') --depth;
  }
  return std::string_view::npos;
}

/// Turns "&Field::add" and "void (Field::*)(int) const" into "Field::add(int) const". If a function
/// is an instance of a template, the demangler has already said all that: "&(void
/// Field::add<int>(int))".
std::string readable_function(std::string value, const std::string& type) {
  if (value.starts_with("&(") && value.ends_with(")")) return value.substr(2, value.size() - 3);
  const std::size_t star = type.find("*)(");
  if (!value.starts_with("&") || star == std::string::npos) return value;
  return value.substr(1) + type.substr(star + 2);
}

}  // namespace

std::string_view detail::symbol_of(const std::type_info& carrier) {
  std::string_view name = carrier.name();
  if (name.starts_with(mangled_namespace) && name.ends_with(mangled_end)) {
    name.remove_prefix(mangled_namespace.size());
    name.remove_suffix(mangled_end.size());
  }
  return name;
}

std::string readable_symbol(std::string_view symbol) {
  if (!symbol.starts_with(type_head) && !symbol.starts_with(value_head)) return std::string(symbol);
  std::string text =
      demangled(std::string(mangled_namespace) + std::string(symbol) + std::string(mangled_end));
  const std::size_t open = text.find('<');
  if (open == std::string::npos || !text.ends_with('>')) return std::string(symbol);
  text = text.substr(open + 1, text.size() - open - 2);
  if (text.ends_with(' ')) text.pop_back();
  const std::size_t comma =
      symbol.starts_with(value_head) ? end_of_first(text) : std::string_view::npos;
  if (comma == std::string_view::npos) return text;
  return readable_function(text.substr(comma + 2), text.substr(0, comma));
}

}  // namespace roam::core
