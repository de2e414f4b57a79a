// SPDX-License-Identifier: Apache-2.0
#include "roam/topology/detail/place.hpp"

#include <sched.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <functional>
#include <string>
#include <utility>

#include "roam/core/error.hpp"
#include "roam/topology/detail/this_machine.hpp"

namespace roam::topology {
namespace {

/// A number for the host. Containers have host names of their own but share the kernel's id of this
/// boot; and two hosts may have the same name. So the number is made from the boot id or, if there
/// is none, from the name.
std::uint64_t host_number() {
  std::string text;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> text;
  if (text.empty()) text = host_name();
  return text.empty() ? 0 : std::hash<std::string>()(text) | 1;
}

}  // namespace

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : std::string();
}

Processors processors_of_this_thread() {
  Processors processors;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return processors;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &allowed)) processors.push_back(cpu);
  }
  return processors;
}

std::vector<Place> places_of(std::span<const Processors> sets) {
  std::vector<Place> places;
  const auto probes = plugin::all<ProbeKind>();
  if (!probes.empty() && probes.front()->places != nullptr) {
    try {
      places = probes.front()->places(sets);
    } catch (const Error&) {
      places.clear();  // whoever asks can do without
    }
  }
  places.resize(sets.size());
  const std::uint64_t host = host_number();
  for (Place& place : places) place.host = host;
  return places;
}

LocalPlaces::LocalPlaces(std::vector<Processors> bound, Ask ask)
    : processors_(std::move(bound)), ask_(std::move(ask)) {
  const Processors all = processors_of_this_thread();
  std::size_t next = processors_.size();
  for (Processors& of_rank : processors_) {
    first_worker_.push_back(next);
    next += of_rank.size();
    if (of_rank.empty()) of_rank = all;
  }
  first_worker_.push_back(next);
}

const std::vector<Place>& LocalPlaces::known() const {
  std::call_once(asked_, [this] {
    std::vector<Processors> sets = processors_;
    for (std::size_t i = 0; i < processors_.size(); ++i) {
      if (!is_bound(i)) continue;
      for (const std::int32_t one : processors_[i]) sets.push_back({one});
    }
    known_ = ask_(sets);
    known_.resize(sets.size());
  });
  return known_;
}

std::span<const Place> LocalPlaces::of_workers(std::size_t i) const {
  return std::span(known()).subspan(first_worker_[i], first_worker_[i + 1] - first_worker_[i]);
}

std::uint64_t host_of_this_process() { return host_number(); }

}  // namespace roam::topology
