// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cereal/types/array.hpp>
#include <cereal/types/vector.hpp>
#include <cstdint>
#include <roam/roam.hpp>
#include <span>
#include <vector>

#include "numerics/patch.hpp"
#include "run/wave.hpp"

namespace sw4 {

class Block;
using Blocks = roam::collection<Block, 2>;  ///< along x and y

/// A region of the grid as a mobile object. Its edges travel in the four steps of Thomadakis and
/// others (*Multithreaded runtime framework for parallel and adaptive applications*, section 5.3.3,
/// figure 11b), after the predictor and after the corrector: along x, a block asks its upper
/// neighbour, which answers with its lower edge as soon as it has it (1); with that edge, the block
/// sends its own upper one (2), which nobody has to ask for. Then the same along y (3, 4), where
/// the edges have what came along x. A block takes part in one of these exchanges at a time; they
/// are numbered: 4 step + (corrector: 2) + (along y: 1).
class Block {
 public:
  Block() = default;
  explicit Block(const roam::Index<2>& place) : place_(place) {}

  /// Makes the region, at rest.
  void set(const Blocks& blocks);
  /// Goes on until so many steps are done.
  void run_to(std::int64_t steps);
  /// Begins an exchange.
  void exchange(std::int64_t exchange);
  /// The lower neighbour of an exchange's direction wants this block's lower edge.
  void ask(std::int64_t exchange);
  /// The edge of the neighbour beyond the upper side, and of the one beyond the lower side.
  void take_upper(std::span<const double> values);
  void take_lower(std::span<const double> values);
  /// Sends what its receivers have recorded to rank 0.
  void tell_traces() const;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(place_, blocks_, step_, last_step_, exchange_, asked_, missing_, patch_, traces_);
  }

 private:
  static constexpr std::int64_t none = -1;
  static constexpr std::int64_t computing = -2;

  [[nodiscard]] int axis() const { return static_cast<int>(exchange_ % 2); }
  [[nodiscard]] bool has(Side side) const;
  [[nodiscard]] roam::mobile_ptr<Block> neighbour(Side side) const;
  [[nodiscard]] roam::Array<double> edge(Side side) const;
  void begin_step();
  /// Lets simulated time pass for what has been computed. The exchange is a call of its own: on
  /// simulated machines, what a handler sends after that time is numbered before what other
  /// workers' handlers send meanwhile, which then would have to wait for it.
  void exchange_after_computing(std::int64_t exchange);
  void begin_exchange(std::int64_t exchange);
  void send_lower_edge();
  /// Does all that waits for no neighbour.
  void go_on();
  void end_exchange();
  void record();

  roam::Index<2> place_{};
  Blocks blocks_;
  std::int64_t step_ = 0;                          // done
  std::int64_t last_step_ = 0;                     // to be done
  std::int64_t exchange_ = none;                   // under way; or computing
  std::array<std::int64_t, 2> asked_{none, none};  // along x, y: the last one asked for
  std::int32_t missing_ = 0;                       // edges of the exchange under way
  Patch patch_;
  std::vector<Trace> traces_;  // of the patch's receivers
};

}  // namespace sw4
