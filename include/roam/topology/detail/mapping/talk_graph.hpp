// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace roam::topology {

/// What two objects say to each other, in both directions together: bytes, or any other measure.
struct Talk {
  std::uint32_t a;
  std::uint32_t b;
  double amount;
  double messages = 0;  ///< how many messages that were; for measures alone
};

/// Objects that are to be placed, what each has to compute, and which of them talk: an undirected
/// weighted graph in compressed rows. Nothing changes it once it is made.
class TalkGraph {
 public:
  struct Neighbour {
    std::uint32_t object;
    double amount;
  };

  TalkGraph() : begin_(1) {}
  /// `talks` in any order; those of one pair add up, those of an object with itself and those
  /// without an amount are left out. `loads` has a value for each object, seconds or any other
  /// unit; empty: 1 each. Throws Error for an object that does not exist, for a negative amount or
  /// load, for one that is not finite.
  TalkGraph(std::uint32_t objects, std::span<const Talk> talks, std::vector<double> loads = {});

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(begin_.size() - 1); }
  /// The objects that an object talks to, each once.
  [[nodiscard]] std::span<const Neighbour> of(std::uint32_t object) const {
    return {neighbours_.data() + begin_[object], neighbours_.data() + begin_[object + 1]};
  }
  [[nodiscard]] double load(std::uint32_t object) const { return loads_[object]; }
  [[nodiscard]] std::span<const double> loads() const { return loads_; }
  [[nodiscard]] double total_load() const { return total_load_; }
  /// Twice the number of pairs that talk.
  [[nodiscard]] std::size_t entries() const { return neighbours_.size(); }

  /// A graph from rows that already are as above: both directions, each pair once.
  static TalkGraph from_rows(std::vector<std::size_t> begin, std::vector<Neighbour> neighbours,
                             std::vector<double> loads);

 private:
  std::vector<std::size_t> begin_;
  std::vector<Neighbour> neighbours_;
  std::vector<double> loads_;
  double total_load_ = 0;
};

}  // namespace roam::topology
