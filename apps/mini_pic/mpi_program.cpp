// SPDX-License-Identifier: Apache-2.0
// The same with MPI alone: each process has one part of the mesh, and stays with it.
#include <algorithm>

#include "part.hpp"
#include "report.hpp"
#include "settings.hpp"
#include "support/mpi/plain_program.hpp"
#include "support/mpi/rank_grid.hpp"

namespace mini_pic {

namespace {

/// The number of whole numbers in sums, which consist of nothing else.
template <class T>
constexpr int numbers = static_cast<int>(sizeof(T) / sizeof(std::int64_t));
static_assert(numbers<Sums> == 9 && numbers<Products> == 10 && numbers<Found> == 6);

template <class T>
T sum_of(const T& own) {
  T sum;
  MPI_Allreduce(&own, &sum, numbers<T>, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

/// Sends all letters and gives those that come to `use`. All neighbours write to each other.
template <class T, class Use>
void exchange(const Mail<T>& letters, Use use) {
  support::Mail<T> mail;
  for (std::size_t i = 0; i < letters.to.size(); ++i)
    mail.send(letters.letters[i], letters.to[i], 0);
  std::vector<T> come;
  for (const std::int32_t from : letters.to) {
    mail.receive(come, from, 0);
    use(from, come);
  }
  mail.finish();
}

class Simulation {
 public:
  Simulation(const Plasma& plasma, const support::RankGrid<3>& ranks)
      : plasma_(plasma), part_(plasma, ranks.rank()) {
    outcome_.ranks = ranks.size();
  }

  Outcome run(std::int64_t steps) {
    Sums sums;
    Mail<Walker> leaving = part_.load(plasma_, sums);
    background_ = sum_of(sums).background;
    settle(std::move(leaving), sums);
    outcome_.walkers = 0;
    outcome_.most_rounds = 0;
    find_field();
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (std::int64_t step = 1; step <= steps; ++step) {
      sums = Sums{};
      leaving = part_.move(plasma_, sums);
      settle(std::move(leaving), sums);
      find_field();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    outcome_.seconds = MPI_Wtime() - begin;
    outcome_.found = sum_of(part_.check());
    outcome_.steps.erase(outcome_.steps.begin());  // loading has no energies
    return outcome_;
  }

 private:
  void settle(Mail<Walker> leaving, const Sums& own) {
    Sums sums = sum_of(own);
    outcome_.steps.emplace_back(plasma_, sums);
    int rounds = 0;
    for (; sums.walkers > 0; ++rounds) {
      outcome_.walkers += sums.walkers;
      Mail<Walker> onward = part_.no_mail<Walker>();
      exchange(leaving, [&](std::int32_t, const auto& letter) { part_.take(letter, onward); });
      leaving = std::move(onward);
      Sums left;
      for (const auto& letter : leaving.letters)
        left.walkers += static_cast<std::int64_t>(letter.size());
      sums = sum_of(left);
    }
    outcome_.most_rounds = std::max(outcome_.most_rounds, rounds);
  }

  void find_field() {
    exchange(part_.deposit(),
             [&](std::int32_t from, const auto& letter) { part_.add_deposits(from, letter); });
    Mail<double> gradients = part_.begin_field(plasma_, background_);
    Products sums;
    do {
      exchange(gradients,
               [&](std::int32_t from, const auto& letter) { part_.set_gradients(from, letter); });
      sums = sum_of(part_.products());
      gradients = part_.advance(sums, plasma_.tolerance);
    } while (!sums.is_solved(plasma_.tolerance));
    outcome_.charge_is_exact =
        outcome_.charge_is_exact && sums.deposit == plasma_.total_weight() * deposit_units;
  }

  const Plasma& plasma_;
  Part part_;
  std::int64_t background_ = 0;
  Outcome outcome_;
};

int run(const Settings& given) {
  const support::RankGrid<3> ranks;
  Settings settings = given;
  settings.plasma.box.parts = ranks.extent();
  settings.plasma.check();
  const Outcome outcome = Simulation(settings.plasma, ranks).run(settings.steps);
  if (ranks.rank() != 0) return 0;
  print(settings, outcome);
  check(settings, outcome);
  return 0;
}

}  // namespace

}  // namespace mini_pic

int main(int argc, char** argv) {
  return support::plain_main<mini_pic::Settings>(argc, argv, mini_pic::read_settings,
                                                 mini_pic::run);
}
