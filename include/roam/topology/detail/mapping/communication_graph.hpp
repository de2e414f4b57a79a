// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace roam::topology {

/// How much two objects communicate, in both directions together: in bytes, or by any other
/// measure.
struct Communication {
  std::uint32_t a;
  std::uint32_t b;
  double amount;
  double messages = 0;  ///< how many messages that were; for measures alone
};

/// The objects to be placed, with the load of each, and how much pairs of them communicate: an
/// undirected weighted graph in compressed rows. It does not change once it is made.
class CommunicationGraph {
 public:
  struct Neighbour {
    std::uint32_t object;
    double amount;
  };

  CommunicationGraph() : begin_(1) {}
  /// `communications` may be in any order. Those of one pair add up; those of an object with itself
  /// and those without an amount are left out. `loads` has a value for each object, in seconds or
  /// any other unit; empty: 1 each. Throws Error for an object that does not exist, and for an
  /// amount or load that is negative or not finite.
  CommunicationGraph(std::uint32_t objects, std::span<const Communication> communications,
                     std::vector<double> loads = {});

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(begin_.size() - 1); }
  /// The objects with which an object communicates, each once.
  [[nodiscard]] std::span<const Neighbour> of(std::uint32_t object) const {
    return {neighbours_.data() + begin_[object], neighbours_.data() + begin_[object + 1]};
  }
  [[nodiscard]] double load(std::uint32_t object) const { return loads_[object]; }
  [[nodiscard]] std::span<const double> loads() const { return loads_; }
  [[nodiscard]] double total_load() const { return total_load_; }
  /// Twice the number of pairs that communicate.
  [[nodiscard]] std::size_t entries() const { return neighbours_.size(); }

  /// Makes a graph from rows that already have the form above: both directions, and each pair once.
  static CommunicationGraph from_rows(std::vector<std::size_t> begin,
                                      std::vector<Neighbour> neighbours, std::vector<double> loads);

 private:
  std::vector<std::size_t> begin_;
  std::vector<Neighbour> neighbours_;
  std::vector<double> loads_;
  double total_load_ = 0;
};

}  // namespace roam::topology
