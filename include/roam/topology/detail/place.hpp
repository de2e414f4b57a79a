// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace roam::topology {

/// Processors, by the operating system's numbers.
using Processors = std::vector<std::int32_t>;

/// Where a process, or a thread of it, runs: the host, and on it the package, the NUMA node, the L3
/// cache and the core that contain all processors which it may use. Each of these is identified by
/// the lowest of the operating system's numbers of its processors, so that containers of one host,
/// which see different parts of it, agree.
struct Place {
  static constexpr std::int32_t unknown = -1;  ///< it may use several of them, or there is none
  std::uint64_t host = 0;  ///< equal for all processes of one host; 0: not known
  std::int32_t package = unknown;
  std::int32_t numa = unknown;
  std::int32_t l3 = unknown;
  std::int32_t core = unknown;

  friend bool operator==(const Place&, const Place&) = default;
};

/// The place of each of these sets of processors. Where Roam was built without hwloc, or hwloc
/// fails, the host alone is known. Asks the operating system, which takes milliseconds to tenths of
/// a second however many sets there are; any thread.
[[nodiscard]] std::vector<Place> places_of(std::span<const Processors> sets);

/// Those that the calling thread may use; none if the operating system does not say.
[[nodiscard]] Processors processors_of_this_thread();

/// This host's name; empty if the operating system does not say.
[[nodiscard]] std::string host_name();

/// Where the ranks of one process run: what they share, so that the operating system is asked once
/// for all of them, when the first one needs to know. Thread-safe.
class LocalPlaces {
 public:
  using Ask = std::function<std::vector<Place>(std::span<const Processors>)>;

  /// `bound`: for each rank of the process the processor of each worker; none: its workers are not
  /// bound, and may use what the calling thread may. `ask` is called once at most.
  explicit LocalPlaces(std::vector<Processors> bound, Ask ask = places_of);
  LocalPlaces(const LocalPlaces&) = delete;
  LocalPlaces& operator=(const LocalPlaces&) = delete;

  /// Of all workers of the i-th rank together. The first call blocks while the system is asked.
  [[nodiscard]] const Place& of_rank(std::size_t i) const { return known()[i]; }
  /// Of each worker of the i-th rank, if they are bound, else none. Likewise.
  [[nodiscard]] std::span<const Place> of_workers(std::size_t i) const;
  /// Whether the workers of the i-th rank are bound, each to a processor.
  [[nodiscard]] bool is_bound(std::size_t i) const {
    return first_worker_[i] < first_worker_[i + 1];
  }
  /// The processors that the i-th rank may use, in the order of workers if they are bound.
  [[nodiscard]] const Processors& processors(std::size_t i) const { return processors_[i]; }

 private:
  [[nodiscard]] const std::vector<Place>& known() const;

  std::vector<Processors> processors_;     // of each rank
  std::vector<std::size_t> first_worker_;  // of each rank, in known(); one more at the end
  const Ask ask_;
  mutable std::once_flag asked_;
  mutable std::vector<Place> known_;  // of each rank, then of each bound worker
};

/// One rank of LocalPlaces, which outlives it; of a simulated rank: nowhere.
class RankLocation {
 public:
  RankLocation() = default;
  RankLocation(const LocalPlaces& of_process, std::size_t i) : all_(&of_process), i_(i) {}

  [[nodiscard]] bool is_known() const { return all_ != nullptr; }
  /// Of the rank; a Place of which nothing is known if it is nowhere. Blocks as LocalPlaces does.
  [[nodiscard]] Place place() const { return all_ == nullptr ? Place() : all_->of_rank(i_); }
  [[nodiscard]] std::span<const Place> places_of_workers() const {
    return all_ == nullptr ? std::span<const Place>() : all_->of_workers(i_);
  }
  [[nodiscard]] bool is_bound() const { return all_ != nullptr && all_->is_bound(i_); }
  [[nodiscard]] Processors processors() const {
    return all_ == nullptr ? Processors() : all_->processors(i_);
  }

 private:
  const LocalPlaces* all_ = nullptr;
  std::size_t i_ = 0;
};

/// The host alone, as in Place::host; at once.
[[nodiscard]] std::uint64_t host_of_this_process();

}  // namespace roam::topology
