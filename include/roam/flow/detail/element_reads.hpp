// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "roam/flow/detail/access.hpp"
#include "roam/flow/detail/element_load.hpp"
#include "roam/flow/source_line.hpp"

namespace roam::flow {

struct ElementType;

/// Identifies the collections of one set of indices and one placement in a flow: the same on all
/// ranks.
struct DistributionName {
  std::uint32_t flow = 0;
  std::uint32_t number = 0;  ///< number of the first of these collections
  friend bool operator==(const DistributionName&, const DistributionName&) = default;
};

/// What the tasks of one index have read of another index, in one collection, since the last phase
/// ended: what would have been sent if the two were on different ranks, where each version is sent
/// once. The scope's thread has it, except for the members that say otherwise.
struct ElementRead {
  static constexpr std::uint64_t no_version = ~std::uint64_t{0};
  DistributionName of;           ///< the other index's
  std::uint32_t collection = 0;  ///< its number
  std::uint64_t index = 0;
  std::uint64_t version = no_version;  ///< the last one that was read
  std::uint64_t messages = 0;          ///< number of versions
  /// Sizes of some of these versions, packed; as many as were read by tasks that have run. Any
  /// thread.
  std::atomic<std::uint64_t> measured{0};
  std::atomic<std::uint64_t> measured_bytes{0};
  /// The size of all versions, if those that were not measured are like the others.
  [[nodiscard]] std::uint64_t bytes() const;
};

/// All that the tasks of one index have read of others.
class ElementReads {
 public:
  /// The entry of an element; a new one if there is none. Its address does not change.
  [[nodiscard]] ElementRead& of(const DistributionName& name, std::uint32_t collection,
                                std::uint64_t index);
  [[nodiscard]] const std::deque<ElementRead>& all() const { return all_; }

 private:
  std::deque<ElementRead> all_;  // few: neighbours
};

/// What one task reads of other indices: measures the values once the task has run.
class TaskReads {
 public:
  explicit TaskReads(ElementLoadRef element) : element_(std::move(element)) {}
  /// The load of the index that the task is for.
  [[nodiscard]] ElementLoad& element() const { return *element_.operator->(); }
  /// The task reads a version that no earlier task of the index has read, of a datum with this
  /// label, and `before` such data are read by earlier arguments: collections may be made on one
  /// line. Before the task is submitted.
  void expect(ElementRead& read, const ElementType& type, const DatumLabel& label,
              std::size_t before) {
    expected_.push_back({&read, &type, label, before});
  }
  /// To be called when the body has run, by any thread, while the accesses still hold what they
  /// use. Any call after the first has no effect.
  void measure(std::span<const Access> accesses);

 private:
  struct Expected {
    ElementRead* read;
    const ElementType* type;
    DatumLabel label;  // of a datum that may not outlive the task
    std::size_t before;
  };
  [[nodiscard]] static const Instance* find(const Expected& expected,
                                            std::span<const Access> accesses);

  const ElementLoadRef element_;
  std::vector<Expected> expected_;
  std::atomic<bool> has_measured_{false};
};

}  // namespace roam::flow
