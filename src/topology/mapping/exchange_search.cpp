// SPDX-License-Identifier: Apache-2.0
#include "exchange_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace roam::topology {

namespace {

/// A square matrix whose rows consist of whole packs. A pack is as many numbers as one instruction
/// processes.
template <class Number>
class PackedMatrix {
 public:
  using Pack [[gnu::vector_size(16), gnu::may_alias]] = Number;
  static constexpr std::size_t width = sizeof(Pack) / sizeof(Number);

  PackedMatrix(std::size_t rows, std::size_t columns)
      : packs_((columns + width - 1) / width), data_(rows * packs_ * width) {}
  [[nodiscard]] std::size_t packs() const { return packs_; }
  [[nodiscard]] Pack* row(std::size_t r) {
    return reinterpret_cast<Pack*>(data_.data()) + r * packs_;
  }
  [[nodiscard]] const Pack* row(std::size_t r) const {
    return reinterpret_cast<const Pack*>(data_.data()) + r * packs_;
  }
  [[nodiscard]] Number get(std::size_t r, std::size_t c) const {
    return data_[r * packs_ * width + c];
  }
  void set(std::size_t r, std::size_t c, Number value) { data_[r * packs_ * width + c] = value; }
  void swap_rows(std::size_t r, std::size_t s) {
    std::swap_ranges(row(r), row(r) + packs_, row(s));
  }
  void swap_columns(std::size_t rows, std::size_t r, std::size_t s) {
    for (std::size_t i = 0; i < rows; ++i) {
      const Number value = get(i, r);
      set(i, r, get(i, s));
      set(i, s, value);
    }
  }

 private:
  std::size_t packs_;
  std::vector<Number> data_;  // aligned for packs, as all allocated memory is
};

/// The search with numbers of one type. All matrices are indexed by place: flow_[a][b] is the
/// communication between the objects on places a and b; cost_[a][b] is what the object on a would
/// cost on b if the others stayed. Exchanging the objects of r and s changes the total by
///   cost[r][s] + cost[s][r] - cost[r][r] - cost[s][s] + 2 flow[r][s] distance[r][s],
/// and all costs by the product of two vectors. Both cost_ and its transpose are stored, so that
/// every loop runs along rows.
template <class Number>
class ExchangeSearch {
 public:
  ExchangeSearch(const ExchangeProblem& problem, core::Random& random,
                 const std::vector<std::uint32_t>& place)
      : size_(place.size()),
        random_(random),
        object_on_(size_),
        flow_(size_, size_),
        distance_(size_, size_),
        twice_(size_, size_),
        cost_(size_, size_),
        transposed_(size_, size_),
        vectors_(3, size_),
        free_from_(size_ * size_) {
    for (std::uint32_t v = 0; v < size_; ++v) object_on_[place[v]] = v;
    for (std::uint32_t v = 0; v < problem.graph->size(); ++v) {
      for (const auto& [u, amount] : problem.graph->of(v)) {
        flow_.set(place[v], place[u], static_cast<Number>(amount));
      }
    }
    for (std::size_t a = 0; a < size_; ++a) {
      for (std::size_t b = 0; b < size_; ++b) {
        distance_.set(a, b, static_cast<Number>(problem.distances[a * size_ + b]));
        twice_.set(a, b, 2 * flow_.get(a, b) * distance_.get(a, b));
      }
    }
    for (std::size_t a = 0; a < size_; ++a) {
      for (std::size_t c = 0; c < size_; ++c) {
        const Number flow = flow_.get(a, c);
        if (flow != 0) add_all(cost_.row(a), distance_.row(c), flow);
      }
      for (std::size_t b = 0; b < size_; ++b) transposed_.set(b, a, cost_.get(a, b));
    }
    // An object is exchanged neither with itself nor with the padding of the last pack.
    for (std::size_t a = 0; a < size_; ++a) twice_.set(a, a, never);
    for (std::size_t i = size_; i < cost_.packs() * Matrix::width; ++i) vectors_.set(0, i, -never);
    // Before the first exchange every object counts as having been everywhere, at different times.
    for (std::size_t i = 0; i < free_from_.size(); ++i) {
      free_from_[i] = -static_cast<std::int64_t>(i % (size_ * size_));
    }
  }

  double run(std::uint64_t exchanges, std::vector<std::uint32_t>& place) {
    double gained = 0;
    double most = 0;
    std::int64_t last = 0;
    for (now_ = 1; now_ <= static_cast<std::int64_t>(exchanges); ++now_) {
      const Choice choice = choose(gained, most);
      if (choice.is_none()) continue;
      gained -= static_cast<double>(choice.delta);
      exchange(choice.a, choice.b);
      if (!is_more(gained, most)) {
        if (now_ - last > static_cast<std::int64_t>(patience * size_)) {
          last = now_;
          gained -= kick();
        }
        continue;
      }
      most = gained;
      last = now_;
      for (std::uint32_t p = 0; p < size_; ++p) place[object_on_[p]] = p;
    }
    return most;
  }

 private:
  using Matrix = PackedMatrix<Number>;
  using Pack = typename Matrix::Pack;
  static constexpr std::size_t patience = 8;  // exchanges for each object
  static constexpr int exchanges_of_kick = 4;
  static constexpr Number never = std::numeric_limits<Number>::max() / 4;
  struct Choice {
    std::size_t a = 0;
    std::size_t b = 0;
    Number delta = 0;
    [[nodiscard]] bool is_none() const { return a == b; }
  };

  /// True if the gain is greater by more than rounding errors.
  [[nodiscard]] static bool is_more(double gained, double most) {
    return gained > most + 1e-9 * (1 + most);
  }

  /// Makes some exchanges at random, after a time without success. Returns their cost.
  double kick() {
    double cost = 0;
    for (int i = 0; i < exchanges_of_kick; ++i) {
      std::size_t a = random_.below(size_);
      std::size_t b = random_.below(size_);
      if (a == b) continue;
      if (a > b) std::swap(a, b);
      note_own_costs();
      deltas_of(a);
      cost += static_cast<double>(delta_to(b));
      exchange(a, b);
    }
    return cost;
  }

  void note_own_costs() {
    for (std::size_t a = 0; a < size_; ++a) vectors_.set(0, a, cost_.get(a, a));
  }

  /// Chooses the best exchange that is not forbidden: neither object goes back to where it was
  /// recently, unless the result is better than all before. From time to time an exchange that has
  /// not been made for very long is preferred.
  Choice choose(double gained, double most) {
    note_own_costs();
    if (now_ % static_cast<std::int64_t>(size_) == 0) {
      const Choice due = overdue();
      if (!due.is_none()) return due;
    }
    Choice best;
    for (std::size_t a = 0; a + 1 < size_; ++a) {
      const Number least = deltas_of(a);
      if (!best.is_none() && least >= best.delta) continue;
      for (std::size_t b = a + 1; b < size_; ++b) {
        const Number delta = delta_to(b);
        if (!best.is_none() && delta >= best.delta) continue;
        const bool is_free = free_from(a, b) < now_ || free_from(b, a) < now_;
        if (is_free || is_more(gained - static_cast<double>(delta), most)) best = {a, b, delta};
      }
    }
    return best;
  }

  /// An exchange that neither object has made for so long that its surroundings must have changed.
  Choice overdue() {
    const auto long_ago = now_ - static_cast<std::int64_t>(5 * size_ * size_);
    Choice best;
    for (std::size_t a = 0; a + 1 < size_; ++a) {
      deltas_of(a);
      for (std::size_t b = a + 1; b < size_; ++b) {
        if (free_from(a, b) >= long_ago || free_from(b, a) >= long_ago) continue;
        if (best.is_none() || delta_to(b) < best.delta) best = {a, b, delta_to(b)};
      }
    }
    return best;
  }

  /// The time from which the object on place `from` may go (back) to place `to`.
  [[nodiscard]] std::int64_t& free_from(std::size_t from, std::size_t to) {
    return free_from_[object_on_[from] * size_ + to];
  }
  [[nodiscard]] Number delta_to(std::size_t b) const { return vectors_.get(1, b); }

  /// Computes the changes of the total for exchanges of place a with each place from a + 1 on.
  /// Returns the least of them, or a lower bound.
  Number deltas_of(std::size_t a) {
    const Pack* const cost = cost_.row(a);
    const Pack* const transposed = transposed_.row(a);
    const Pack* const twice = twice_.row(a);
    const Pack* const own = vectors_.row(0);
    Pack* const deltas = vectors_.row(1);
    const Pack own_a = Pack{} + cost_.get(a, a);
    const std::size_t first = (a + 1) / Matrix::width;
    Pack least = Pack{} + std::numeric_limits<Number>::max();
    for (std::size_t i = first; i < cost_.packs(); ++i) {
      const Pack delta = cost[i] + transposed[i] + twice[i] - own[i] - own_a;
      deltas[i] = delta;
      least = delta < least ? delta : least;
    }
    Number result = least[0];
    for (std::size_t i = 1; i < Matrix::width; ++i) result = std::min(result, least[i]);
    return result;
  }

  void exchange(std::size_t r, std::size_t s) {
    const auto tenure = [&] {
      const double u = random_.unit();
      return now_ + 2 + static_cast<std::int64_t>(u * u * u * 8 * static_cast<double>(size_));
    };
    free_from(r, r) = tenure();
    free_from(s, s) = tenure();
    std::swap(object_on_[r], object_on_[s]);
    flow_.swap_rows(r, s);
    flow_.swap_columns(size_, r, s);
    cost_.swap_rows(r, s);
    transposed_.swap_columns(size_, r, s);
    Pack* const by = vectors_.row(1);
    Pack* const along = vectors_.row(2);
    for (std::size_t i = 0; i < flow_.packs(); ++i) {
      by[i] = flow_.row(r)[i] - flow_.row(s)[i];
      along[i] = distance_.row(r)[i] - distance_.row(s)[i];
      twice_.row(r)[i] = 2 * flow_.row(r)[i] * distance_.row(r)[i];
      twice_.row(s)[i] = 2 * flow_.row(s)[i] * distance_.row(s)[i];
    }
    packs_of_by_.note(by, flow_.packs());
    packs_of_along_.note(along, flow_.packs());
    for (std::size_t i = 0; i < size_; ++i) {
      twice_.set(i, r, twice_.get(r, i));
      twice_.set(i, s, twice_.get(s, i));
      if (i == r || i == s) twice_.set(i, i, never);
      const Number its_by = vectors_.get(1, i);
      const Number its_along = vectors_.get(2, i);
      if (its_by != 0) add(cost_.row(i), along, its_by, packs_of_along_);
      if (its_along != 0) add(transposed_.row(i), by, its_along, packs_of_by_);
    }
  }

  /// The packs of a vector that are not all 0. In a tree, two places have the same distance to all
  /// that are outside of their groups.
  struct Packs {
    std::vector<std::uint32_t> numbers;
    bool are_few = false;

    void note(const Pack* vector, std::size_t packs) {
      numbers.clear();
      for (std::uint32_t i = 0; i < packs; ++i) {
        bool has_any = false;
        for (std::size_t k = 0; k < Matrix::width; ++k) has_any |= vector[i][k] != 0;
        if (has_any) numbers.push_back(i);
      }
      are_few = 2 * numbers.size() < packs;
    }
  };

  void add_all(Pack* row, const Pack* values, Number factor) const {
    for (std::size_t i = 0; i < cost_.packs(); ++i) row[i] += factor * values[i];
  }
  void add(Pack* row, const Pack* values, Number factor, const Packs& packs) const {
    if (!packs.are_few) return add_all(row, values, factor);
    for (const std::uint32_t i : packs.numbers) row[i] += factor * values[i];
  }

  const std::size_t size_;
  core::Random& random_;
  std::vector<std::uint32_t> object_on_;
  Matrix flow_, distance_, twice_, cost_, transposed_;
  Matrix vectors_;  // current costs of objects; changes; and the second factor of an update
  Packs packs_of_by_;
  Packs packs_of_along_;
  std::vector<std::int64_t> free_from_;
  std::int64_t now_ = 0;
};

/// The greatest number that an exchange of a problem leads to, if all of them are whole; else
/// infinity.
double greatest_whole(const ExchangeProblem& problem) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  double farthest = 0;
  double most = 0;
  for (const double distance : problem.distances) {
    if (distance != std::floor(distance)) return infinite;
    farthest = std::max(farthest, std::abs(distance));
  }
  for (std::uint32_t v = 0; v < problem.graph->size(); ++v) {
    double sum = 0;
    for (const auto& [u, amount] : problem.graph->of(v)) {
      if (amount != std::floor(amount)) return infinite;
      sum += amount;
    }
    most = std::max(most, sum);
  }
  return 4 * most * farthest;
}

}  // namespace

double exchange_objects(const ExchangeProblem& problem, std::uint64_t exchanges,
                        core::Random& random, std::vector<std::uint32_t>& place) {
  if (place.size() < 2) return 0;
  // Numbers of half the size take half the time, as long as none is rounded.
  constexpr double most_of_float = 1U << 24U;
  constexpr double most_of_integer = 1U << 29U;  // ExchangeSearch::never, and two of them fit
  const double greatest = greatest_whole(problem);
  if (greatest < most_of_float)
    return ExchangeSearch<float>(problem, random, place).run(exchanges, place);
  if (greatest < most_of_integer)
    return ExchangeSearch<std::int32_t>(problem, random, place).run(exchanges, place);
  return ExchangeSearch<double>(problem, random, place).run(exchanges, place);
}

}  // namespace roam::topology
