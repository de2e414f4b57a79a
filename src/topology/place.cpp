// SPDX-License-Identifier: Apache-2.0
#include "roam/topology/detail/place.hpp"

#include <unistd.h>

#include <array>
#include <fstream>
#include <functional>
#include <string>

#include "roam/core/error.hpp"
#include "topology/this_machine.hpp"

namespace roam::topology {
namespace {

/// A number for the host. Containers have host names of their own but share the kernel's id of this
/// boot; and two hosts may have the same name. So the number is made from the boot id or, if there
/// is none, from the name.
std::uint64_t host_number() {
  std::string text;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> text;
  if (text.empty()) {
    std::array<char, 256> name{};
    if (gethostname(name.data(), name.size() - 1) == 0) text = name.data();
  }
  return text.empty() ? 0 : std::hash<std::string>()(text) | 1;
}

Place place(bool of_thread) {
  Place known;
  const auto probes = plugin::all<ProbeKind>();
  if (!probes.empty() && probes.front()->place != nullptr) {
    try {
      known = probes.front()->place(of_thread);
    } catch (const Error&) {
      known = {};  // callers can do without it
    }
  }
  known.host = host_number();
  return known;
}

}  // namespace

Place place_of_this_thread() { return place(true); }
Place place_of_this_process() { return place(false); }
std::uint64_t host_of_this_process() { return host_number(); }

}  // namespace roam::topology
