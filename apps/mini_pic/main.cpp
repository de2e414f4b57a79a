// SPDX-License-Identifier: Apache-2.0
// Particle-in-cell on tetrahedra as a flow program: a collection of parts of the mesh with their
// particles, and three of what parts have for each other. In each step particles are passed on
// until all are in place, their charge is deposited, and conjugate gradients give the new field.
#include <algorithm>
#include <cereal/types/array.hpp>
#include <roam/flow/flow.hpp>
#include <roam/roam.hpp>

#include "part.hpp"
#include "report.hpp"
#include "settings.hpp"
#include "support/balance_summary.hpp"

namespace mini_pic {

namespace {

namespace flow = roam::flow;
template <class T>
using Around = flow::Neighbours<Mail<T>, 3>;
using AllSums = flow::Reduce<Sums, std::plus<>>;

/// Times on a simulated machine; about as measured on that of docs/performance.md.
constexpr roam::Duration particle_time = std::chrono::nanoseconds(100);  // to move and deposit one
constexpr roam::Duration node_time = std::chrono::nanoseconds(60);       // of an iteration

/// Calls `use` with each letter to a part. In a periodic box of few parts, a neighbour may be on
/// several sides.
template <class T, class Use>
void for_letters(const Part& part, const Around<T>& around, Use use) {
  std::vector<std::int32_t> done{part.number()};
  for (std::size_t i = 0; i < around.size(); ++i) {
    const Mail<T>& mail = around[i];
    if (std::ranges::find(done, mail.from) != done.end()) continue;
    done.push_back(mail.from);
    if (const auto* letter = mail.letter_to(part.number())) use(mail.from, *letter);
  }
}

void load(flow::Out<Part> part, flow::Out<Mail<Walker>> leaving, roam::Index<3> at,
          const Plasma& plasma, AllSums all) {
  const auto& parts = plasma.box.parts;
  *part = Part(plasma, static_cast<std::int32_t>((at[0] * parts[1] + at[1]) * parts[2] + at[2]));
  Sums sums;
  *leaving = part->load(plasma, sums);
  all(sums);
}

void move(Part& part, flow::Out<Mail<Walker>> leaving, const Plasma& plasma, AllSums all,
          bool is_simulated) {
  if (is_simulated)
    roam::here().compute(particle_time * static_cast<std::int64_t>(part.particles().size()));
  Sums sums;
  *leaving = part.move(plasma, sums);
  all(sums);
}

void take(Part& part, const Around<Walker>& around, flow::Out<Mail<Walker>> onward, AllSums all) {
  *onward = part.no_mail<Walker>();
  for_letters<Walker>(part, around, [&](std::int32_t, const std::vector<Walker>& letter) {
    part.take(letter, *onward);
  });
  Sums sums;
  for (const auto& letter : onward->letters)
    sums.walkers += static_cast<std::int64_t>(letter.size());
  all(sums);
}

void deposit(Part& part, flow::Out<Mail<std::int64_t>> deposits) { *deposits = part.deposit(); }

void begin_field(Part& part, const Around<std::int64_t>& around, flow::Out<Mail<double>> gradients,
                 const Plasma& plasma, std::int64_t background) {
  for_letters<std::int64_t>(part, around, [&](std::int32_t from, const auto& letter) {
    part.add_deposits(from, letter);
  });
  *gradients = part.begin_field(plasma, background);
}

void multiply(Part& part, const Around<double>& around, flow::Reduce<Products, std::plus<>> sums,
              bool is_simulated) {
  if (is_simulated)
    roam::here().compute(node_time * static_cast<std::int64_t>(part.piece().own_count()));
  for_letters<double>(part, around, [&](std::int32_t from, const auto& letter) {
    part.set_gradients(from, letter);
  });
  sums(part.products());
}

void advance(Part& part, const Products& sums, flow::Out<Mail<double>> gradients,
             double tolerance) {
  *gradients = part.advance(sums, tolerance);
}

class Simulation {
 public:
  Simulation(roam::Runtime& rt, flow::Flow& fl, const Settings& settings)
      : rt_(rt),
        fl_(fl),
        settings_(settings),
        parts_(fl.collection<Part>(roam::Index<3>{settings.plasma.box.parts[0],
                                                  settings.plasma.box.parts[1],
                                                  settings.plasma.box.parts[2]})
                   .named("parts")),
        walkers_(fl.collection<Mail<Walker>>(parts_.extent()).named("walkers")),
        deposits_(fl.collection<Mail<std::int64_t>>(parts_.extent()).named("deposits")),
        gradients_(fl.collection<Mail<double>>(parts_.extent()).named("gradients")),
        plasma_(fl.data(settings.plasma).named("plasma")),
        sums_(fl.data<Sums>().named("sums")),
        products_(fl.data<Products>().named("products")) {}

  roam::Task<Outcome> run() {
    fl_.for_each<&load>(parts_.own(), walkers_.own(), parts_.index(), plasma_, sums_);
    const Sums first = co_await sums_.get();
    co_await settle(first.walkers);
    outcome_ = Outcome{};
    co_await find_field(first.background);
    co_await fl_.done();
    co_await rt_.barrier();
    const roam::Instant begin = rt_.now();
    for (std::int64_t step = 1; step <= settings_.steps; ++step) {
      fl_.for_each<&move>(parts_.own(), walkers_.own(), plasma_, sums_, rt_.is_simulated());
      const Sums sums = co_await sums_.get();
      outcome_.steps.emplace_back(settings_.plasma, sums);
      co_await settle(sums.walkers);
      co_await find_field(first.background);
      if (step % settings_.phase_steps == 0 && step < settings_.steps)
        balance_.note(co_await fl_.phase());
    }
    co_await fl_.done();
    co_await rt_.barrier();
    outcome_.seconds = roam::seconds(rt_.now() - begin);
    outcome_.ranks = rt_.size();
    const auto found = fl_.data<Found>();
    fl_.for_each([](const Part& part, flow::Reduce<Found, std::plus<>> all) { all(part.check()); },
                 parts_.own(), found);
    outcome_.found = co_await found.get();
    co_return outcome_;
  }
  [[nodiscard]] const support::BalanceSummary& balance() const { return balance_; }

 private:
  /// Passes particles on until none is on its way.
  roam::Task<> settle(std::int64_t walkers) {
    int rounds = 0;
    for (; walkers > 0; walkers = (co_await sums_.get()).walkers) {
      ++rounds;
      outcome_.walkers += walkers;
      fl_.for_each<&take>(parts_.own(), walkers_.neighbours().periodic(), walkers_.own(), sums_);
    }
    outcome_.most_rounds = std::max(outcome_.most_rounds, rounds);
  }

  /// Deposits charge and solves for the potential. As many iterations as the last solution took,
  /// but one, are issued without looking whether it is solved.
  roam::Task<> find_field(std::int64_t background) {
    const double tolerance = settings_.plasma.tolerance;
    fl_.for_each<&deposit>(parts_.own(), deposits_.own());
    fl_.for_each<&begin_field>(parts_.own(), deposits_.neighbours().periodic(), gradients_.own(),
                               plasma_, background);
    Products sums;
    int iterations = 0;
    do {
      fl_.graph("iteration", [&] {
        fl_.for_each<&multiply>(parts_.own(), gradients_.neighbours().periodic(), products_,
                                rt_.is_simulated());
        fl_.for_each<&advance>(parts_.own(), products_, gradients_.own(), tolerance);
      });
      if (++iterations < expected_iterations_) continue;
      sums = co_await products_.get();
    } while (iterations < expected_iterations_ || !sums.is_solved(tolerance));
    expected_iterations_ = iterations - 1;
    outcome_.charge_is_exact =
        outcome_.charge_is_exact && sums.deposit == settings_.plasma.total_weight() * deposit_units;
  }

  roam::Runtime& rt_;
  flow::Flow& fl_;
  const Settings& settings_;
  flow::Collection<Part, 3> parts_;
  flow::Collection<Mail<Walker>, 3> walkers_;
  flow::Collection<Mail<std::int64_t>, 3> deposits_;
  flow::Collection<Mail<double>, 3> gradients_;
  flow::Handle<Plasma> plasma_;
  flow::Handle<Sums> sums_;
  flow::Handle<Products> products_;
  Outcome outcome_;
  support::BalanceSummary balance_;
  int expected_iterations_ = 1;
};

roam::Task<> run(roam::Runtime& rt, const Settings& settings) {
  flow::Flow fl(rt);
  Simulation simulation(rt, fl, settings);
  const Outcome outcome = co_await simulation.run();
  if (rt.rank() != 0) co_return;
  print(settings, outcome);
  simulation.balance().print("parts");
  check(settings, outcome);
}

}  // namespace

}  // namespace mini_pic

int main(int argc, char** argv) {
  return roam::main(argc, argv, mini_pic::read_settings, mini_pic::run);
}
