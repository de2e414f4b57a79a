// SPDX-License-Identifier: Apache-2.0
#include "shared_cores.hpp"

#include <cstdio>
#include <memory>
#include <mutex>
#include <tuple>

#include "roam/am/detail/messenger.hpp"
#include "roam/core/detail/spin_lock.hpp"
#include "roam/runtime/detail/rank_part.hpp"
#include "roam/runtime/runtime.hpp"

namespace roam {

void SharedCores::take(std::uint64_t host, const std::vector<std::int32_t>& cores) {
  --missing_;
  for (const std::int32_t core : cores) ++workers_[host][core];
}

std::optional<std::string> SharedCores::report() const {
  if (missing_ > 0) return std::nullopt;
  std::size_t hosts = 0;
  std::size_t workers = 0;  // of the first of these hosts
  std::size_t cores = 0;
  for (const auto& [host, of_cores] : workers_) {
    std::size_t on_host = 0;
    for (const auto& [core, count] : of_cores) on_host += count;
    if (on_host == of_cores.size() || ++hosts > 1) continue;
    workers = on_host;
    cores = of_cores.size();
  }
  if (hosts == 0) return std::nullopt;
  return "--roam-pin binds " + std::to_string(workers) + " workers to " + std::to_string(cores) +
         (cores == 1 ? " core" : " cores") +
         (hosts == 1 ? "" : " on one host, and some on " + std::to_string(hosts - 1) + " more") +
         ": some share one";
}

namespace {

/// The cores of a rank's workers. Counted: the job does not end before rank 0 has heard of all.
struct BoundCores {
  static constexpr am::MessageKind kind{"roam.bound", am::Counted::yes};
  std::uint64_t host = 0;
  std::vector<std::int32_t> cores;
  static constexpr auto fields(auto& m) { return std::tie(m.host, m.cores); }
};

/// Each rank tells rank 0 to which cores its workers are bound, once, at the start.
class TellsOfCores final : public RankPart {
 public:
  explicit TellsOfCores(Runtime& rank)
      : rank_(rank), shared_(static_cast<std::size_t>(rank.size())) {
    rank_.messenger().bind<&TellsOfCores::on_bound>(*this);
  }

  void start() override {
    BoundCores bound;
    for (const topology::Place& place : rank_.location().places_of_workers()) {
      bound.host = place.host;
      bound.cores.push_back(place.core);
    }
    // Without hwloc it is not known which processors are of one core: each is one.
    const topology::Processors processors = rank_.location().processors();
    for (std::size_t w = 0; w < bound.cores.size(); ++w) {
      if (bound.cores[w] == topology::Place::unknown) bound.cores[w] = processors[w];
    }
    if (rank_.rank() != 0) return rank_.messenger().post(0, bound);
    on_bound(bound);
  }

 private:
  // On rank 0, under the progress lock, but for its own at the start.
  void on_bound(const BoundCores& bound) {
    const std::lock_guard guard(lock_);
    shared_.take(bound.host, bound.cores);
    if (const auto report = shared_.report()) std::fprintf(stderr, "roam: %s\n", report->c_str());
  }

  Runtime& rank_;
  core::SpinLock lock_;
  SharedCores shared_;  // under lock_
};

std::unique_ptr<RankPart> make_teller(Runtime& rank) {
  if (!rank.options().pin.binds() || !rank.location().is_known()) return nullptr;
  return std::make_unique<TellsOfCores>(rank);
}

const RankPartRegistrar teller{{.name = "pin", .make = make_teller}};

}  // namespace
}  // namespace roam
