// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <roam/roam.hpp>
#include <utility>

#include "mesh/spacetree.hpp"
#include "parallel/change.hpp"
#include "parallel/era.hpp"

namespace seismic {

class Subdomain;
using Subdomains = roam::collection<Subdomain, 1>;

/// The rank that a piece begins on: equal stretches of the curve.
[[nodiscard]] inline std::int32_t first_rank(std::int32_t piece, std::int32_t pieces,
                                             std::int32_t ranks) {
  return static_cast<std::int32_t>(std::int64_t{piece} * ranks / pieces);
}

/// The number of pieces that begin on a rank.
[[nodiscard]] inline std::int32_t pieces_at_first(std::int32_t rank, std::int32_t pieces,
                                                  std::int32_t ranks) {
  const auto begin = [&](std::int32_t r) {
    return static_cast<std::int32_t>((std::int64_t{pieces} * r + ranks - 1) / ranks);
  };
  return begin(rank + 1) - begin(rank);
}

/// What each rank knows about the whole: settings, mesh, and the objects of its pieces. Changed by
/// the rank's main program only, while no subdomain works.
class World {
 public:
  [[nodiscard]] static World& here() { return roam::here().local<World>(); }

  void begin(const RunSettings& settings, InstructionSet set, std::int32_t pieces) {
    settings_ = &settings;
    set_ = set;
    pieces_ = pieces;
  }
  void set_subdomains(const Subdomains& subdomains) { subdomains_ = subdomains; }
  /// Begins an era; the one before stays until end_change().
  void begin_era(std::unique_ptr<const Era> era) {
    previous_ = std::exchange(current_, std::move(era));
    if (!previous_) return;
    change_ = std::make_unique<const Change>(*previous_, *current_, Basis(waves().order));
  }
  void end_change() {
    change_.reset();
    previous_.reset();
  }

  [[nodiscard]] const RunSettings& settings() const { return *settings_; }
  [[nodiscard]] const Settings& waves() const { return settings_->waves; }
  [[nodiscard]] InstructionSet set() const { return set_; }
  [[nodiscard]] std::int32_t pieces() const { return pieces_; }
  [[nodiscard]] const Subdomains& subdomains() const { return subdomains_; }
  [[nodiscard]] bool has_era() const { return current_ != nullptr; }
  [[nodiscard]] const Era& era() const { return *current_; }
  /// The change to the present era, valid until end_change().
  [[nodiscard]] const Change& change() const { return *change_; }
  /// The present era or the one before it.
  [[nodiscard]] const Era& era(std::int32_t number) const {
    return number == current_->number() ? *current_ : *previous_;
  }

 private:
  const RunSettings* settings_ = nullptr;
  InstructionSet set_ = InstructionSet::baseline;
  std::int32_t pieces_ = 0;
  Subdomains subdomains_;
  std::unique_ptr<const Era> current_;
  std::unique_ptr<const Era> previous_;
  std::unique_ptr<const Change> change_;
};

}  // namespace seismic
