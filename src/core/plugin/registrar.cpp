// SPDX-License-Identifier: Apache-2.0
#include "roam/core/plugin/registrar.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "roam/core/detail/suggest.hpp"

namespace roam::plugin {

namespace {

// Initialised at compile time, so that it is ready before the first registrar.
constinit std::atomic<const Entry*> newest = nullptr;

bool comes_before(const Entry* a, const Entry* b) { return std::strcmp(a->name, b->name) < 0; }

std::string help_of(const Entry& entry) {
  std::string text = std::string(entry.family) + " " + entry.name + ": " + entry.description + "\n";
  if (entry.parameters == nullptr || entry.parameters->empty()) return text + "  no parameters\n";
  for (const Parameter& parameter : *entry.parameters) {
    text += "  " + parameter.name + "=" + parameter.default_value + "  " + parameter.description +
            "; " + allowed_text(parameter) + "\n";
  }
  return text;
}

}  // namespace

void add(Entry& entry) {
  const Entry* before = newest.load();
  do {
    entry.next = before;
  } while (!newest.compare_exchange_weak(before, &entry));
}

std::vector<const Entry*> all_entries() {
  std::vector<const Entry*> all;
  for (const Entry* entry = newest.load(); entry != nullptr; entry = entry->next) {
    all.push_back(entry);
  }
  return all;
}

std::vector<const Entry*> entries(std::string_view family, const Stamp& stamp) {
  std::vector<const Entry*> found = all_entries();
  std::erase_if(found, [&](const Entry* entry) {
    return family != entry->family || !entry->stamp.fits(stamp);
  });
  std::ranges::sort(found, comes_before);
  return found;
}

void throw_unknown(std::string_view what, std::string_view name,
                   const std::vector<std::string>& known) {
  throw ConfigError("there is no " + std::string(what) + " \"" + std::string(name) +
                    "\"; known are: " + core::join_names(known) + core::did_you_mean(name, known));
}

std::string help(std::string_view name, std::span<const std::string_view> families) {
  std::vector<const Entry*> here = all_entries();
  // Entries of another compiler cannot be read. A library of another Roam has been refused before
  // this is called.
  std::erase_if(here, [families](const Entry* entry) {
    return std::strcmp(entry->stamp.compiler, this_compiler()) != 0 ||
           std::ranges::find(families, entry->family) == families.end();
  });
  std::ranges::sort(here, [](const Entry* a, const Entry* b) {
    const int order = std::strcmp(a->name, b->name);
    return order != 0 ? order < 0 : std::strcmp(a->family, b->family) < 0;
  });
  std::string text;
  std::vector<std::string> known;
  for (const Entry* entry : here) {
    if (name == entry->name) text += help_of(*entry);
    if (known.empty() || known.back() != entry->name) known.emplace_back(entry->name);
  }
  if (text.empty()) throw_unknown("plug-in", name, known);
  return text;
}

}  // namespace roam::plugin
