// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "exact_sum.hpp"
#include "piece.hpp"

namespace mini_pic {

/// What an iteration of the solver adds up over all parts. Plain bytes.
struct Products {
  ExactSum residual;         ///< r . D^-1 r, where r is the residual and D the matrix's diagonal
  ExactSum curvature;        ///< u . K u, where u is D^-1 r
  ExactSum charge;           ///< b . D^-1 b, where b is the right-hand side
  std::int64_t deposit = 0;  ///< what all particles have deposited on nodes

  [[nodiscard]] bool is_solved(double tolerance) const {
    return residual.value() <= tolerance * tolerance * charge.value();
  }
  friend Products operator+(const Products& a, const Products& b) {
    return {a.residual + b.residual, a.curvature + b.curvature, a.charge + b.charge,
            a.deposit + b.deposit};
  }
};

/// One part's share of solving K phi = b for the potential at the nodes, where K is the stiffness
/// matrix of linear finite elements: conjugate gradients with the diagonal as preconditioner, in
/// the form with one reduction for each iteration (Chronopoulos, Gear, *s-step iterative methods
/// for symmetric linear systems*, 1989). The iteration begins with the last potential. In a
/// periodic box b must add up to 0, and the potential is determined up to a constant.
///
/// An iteration of all parts: nodes of others get their values of gradients(), products() are added
/// up, and advance() is called with the sum. The bits of the result do not depend on the parts.
class Solver {
 public:
  Solver() = default;
  explicit Solver(const Piece& piece);
  /// Begins with the right-hand side at the part's own nodes.
  void begin(const Piece& piece, std::vector<double> charge);
  /// D^-1 r: at own nodes; those of others are to be set before products().
  [[nodiscard]] std::vector<double>& gradients() { return gradient_; }
  [[nodiscard]] Products products(const Piece& piece);
  /// Improves the potential at all nodes that the part knows. Does nothing if the sums say that it
  /// is solved. Throws std::runtime_error after 10,000 iterations.
  void advance(const Products& sums, double tolerance);
  /// The potential at the part's own nodes, and those of others.
  [[nodiscard]] const std::vector<double>& potential() const { return potential_; }
  /// Iterations so far, of all solutions.
  [[nodiscard]] std::int64_t iterations() const { return iterations_; }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(diagonal_, potential_, charge_, residual_, gradient_, image_, direction_,
            direction_image_, last_residual_, last_step_, iterations_, iterations_before_);
  }

 private:
  /// A row of K times a vector over all nodes.
  [[nodiscard]] static double row_times(const Piece& piece, std::size_t row,
                                        const std::vector<double>& x);

  std::vector<double> diagonal_;   // of own nodes
  std::vector<double> potential_;  // of all nodes; what has no comment is of own nodes
  std::vector<double> charge_;
  std::vector<double> residual_;
  std::vector<double> gradient_;         // of all nodes: u
  std::vector<double> image_;            // K u
  std::vector<double> direction_;        // of all nodes: p
  std::vector<double> direction_image_;  // K p
  double last_residual_ = 0;             // r . u of the iteration before; 0: there was none
  double last_step_ = 0;
  std::int64_t iterations_ = 0;
  std::int64_t iterations_before_ = 0;  // of all solutions but this one
};

}  // namespace mini_pic
