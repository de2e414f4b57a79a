// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "flow/element_tasks.hpp"
#include "roam/core/array.hpp"
#include "roam/core/serialise.hpp"
#include "roam/core/types.hpp"
#include "roam/exec/task.hpp"
#include "roam/flow/detail/distribution.hpp"

namespace roam::flow {

/// The elements of one index of collections, as balancing sees them: a mobile object that has the
/// load of their tasks. At the end of a phase it holds the elements, and takes them along if it is
/// moved. At other times it is empty; if policies may move it then (ElementQueue), tasks of the
/// index run where it is, with values that the rank sends which has issued them.
class ElementGroup {
 public:
  ElementGroup() = default;
  /// `issuer`: the rank that issues the tasks of the index.
  ElementGroup(const DistributionName& of, std::uint64_t index, Rank issuer)
      : flow_(of.flow), number_(of.number), index_(index), issuer_(issuer.value()) {}

  // --- within a phase (ElementQueue) ---
  /// Runs a ready task of the index, if there is one.
  void run_one();
  /// The same on a rank that has not issued it.
  [[nodiscard]] Task<> run_one_of_issuer();
  /// Runs a task that the issuer has sent.
  void run(const TravellingTask& task);
  /// Sends a value that is kept here back to the issuer.
  void give(std::uint64_t number);

  // --- at the end of a phase ---

  /// Takes the elements, if they are at `rank`. Returns false, without effect, if this object is on
  /// another rank.
  [[nodiscard]] bool open(std::int32_t rank);
  /// Leaves the elements on the rank where it is and returns that rank.
  [[nodiscard]] std::int32_t settle();

  template <class Archive>
  void save(Archive& archive) const {
    archive(flow_, number_, index_, issuer_, from_, is_open_, kept_);
    if (lying_in_ != nullptr) {
      if (archive.packer().is_counting()) return count_elements(archive.packer());
      pack_elements();
    } else if (kept_.is_empty()) {
      count_values(archive.packer());
    }
    archive(elements_);
  }
  template <class Archive>
  void load(Archive& archive) {
    archive(flow_, number_, index_, issuer_, from_, is_open_, kept_, elements_);
  }

 private:
  [[nodiscard]] bool is_at_issuer() const;
  void give_back();
  void count_values(core::Packer& packer) const;
  void count_elements(core::Packer& packer) const;
  void pack_elements() const;

  std::uint32_t flow_ = 0;
  std::uint32_t number_ = 0;
  std::uint64_t index_ = 0;
  std::int32_t issuer_ = -1;
  std::uint64_t bytes_at_issuer_ = 0;  // of values that its tasks have modified there
  KeptValues kept_;                    // empty on the issuer's rank, once a call has run there
  std::int32_t from_ = -1;             // the rank where it was opened
  bool is_open_ = false;
  const Distribution* lying_in_ = nullptr;  // where the elements are until it has moved
  // Packed, from then on; an Array, so that messages and this object do not copy them.
  mutable Array<std::byte> elements_;
  mutable std::size_t counted_bytes_ = 0;  // of them, when they were counted last
};

/// Makes the mobile objects of those indices that are here and have none. Called by the scope's
/// thread.
void make_groups(Runtime& rank, Distribution& distribution);
/// Ends those of all indices that are here.
void end_groups(Runtime& rank, Distribution& distribution);

}  // namespace roam::flow
