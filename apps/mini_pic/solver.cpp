// SPDX-License-Identifier: Apache-2.0
#include "solver.hpp"

#include <stdexcept>
#include <utility>

namespace mini_pic {

namespace {

constexpr std::int64_t most_iterations = 10'000;

}  // namespace

Solver::Solver(const Piece& piece)
    : potential_(static_cast<std::size_t>(piece.nodes)),
      gradient_(potential_.size()),
      image_(piece.own_count()),
      direction_(potential_.size()),
      direction_image_(piece.own_count()) {
  for (std::size_t row = 0; row < piece.own_count(); ++row) {
    for (std::int64_t e = piece.rows[row]; e < piece.rows[row + 1]; ++e) {
      const Entry& entry = piece.entries[static_cast<std::size_t>(e)];
      if (static_cast<std::size_t>(entry.column) == row) diagonal_.push_back(entry.value);
    }
  }
}

double Solver::row_times(const Piece& piece, std::size_t row, const std::vector<double>& x) {
  double sum = 0;
  for (std::int64_t e = piece.rows[row]; e < piece.rows[row + 1]; ++e) {
    const Entry& entry = piece.entries[static_cast<std::size_t>(e)];
    sum += entry.value * x[static_cast<std::size_t>(entry.column)];
  }
  return sum;
}

void Solver::begin(const Piece& piece, std::vector<double> charge) {
  charge_ = std::move(charge);
  residual_.resize(charge_.size());
  for (std::size_t i = 0; i < charge_.size(); ++i) {
    residual_[i] = charge_[i] - row_times(piece, i, potential_);
    gradient_[i] = residual_[i] / diagonal_[i];
  }
  last_residual_ = 0;
  iterations_before_ = iterations_;
}

Products Solver::products(const Piece& piece) {
  Products own;
  for (std::size_t i = 0; i < residual_.size(); ++i) {
    image_[i] = row_times(piece, i, gradient_);
    own.residual.add(residual_[i] * gradient_[i]);
    own.curvature.add(image_[i] * gradient_[i]);
    own.charge.add(charge_[i] * charge_[i] / diagonal_[i]);
  }
  return own;
}

void Solver::advance(const Products& sums, double tolerance) {
  if (sums.is_solved(tolerance)) return;
  if (++iterations_ > iterations_before_ + most_iterations)
    throw std::runtime_error("the solver does not converge");
  const double residual = sums.residual.value();
  const double curvature = sums.curvature.value();
  double step = residual / curvature;
  double keep = 0;  // of the last direction
  if (last_residual_ != 0) {
    keep = residual / last_residual_;
    step = residual / (curvature - keep * residual / last_step_);
  }
  last_residual_ = residual;
  last_step_ = step;
  for (std::size_t i = 0; i < potential_.size(); ++i) {
    direction_[i] = gradient_[i] + keep * direction_[i];
    potential_[i] += step * direction_[i];
  }
  for (std::size_t i = 0; i < residual_.size(); ++i) {
    direction_image_[i] = image_[i] + keep * direction_image_[i];
    residual_[i] -= step * direction_image_[i];
    gradient_[i] = residual_[i] / diagonal_[i];
  }
}

}  // namespace mini_pic
