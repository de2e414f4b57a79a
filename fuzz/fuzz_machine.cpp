// SPDX-License-Identifier: Apache-2.0
// R3: whatever stands in a machine description, in a file or inline, it is read or refused with a
// ConfigError; what was read passes check() again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "roam/core/error.hpp"
#include "roam/core/machine.hpp"

namespace {

template <class Read>
void try_to(const Read& read) {
  try {
    const roam::Machine machine = read();
    roam::check(machine, "machine");
    (void)machine.between(0, machine.ranks - 1);
    (void)machine.speed(machine.ranks - 1);
  } catch (const roam::ConfigError&) {
    // Refused with a message, as promised. Anything else that is thrown ends the run.
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try_to([&] { return roam::parse_machine(text, "machine.toml"); });
  try_to([&] { return roam::parse_inline_machine(text, "--roam-simulate"); });
  return 0;
}
