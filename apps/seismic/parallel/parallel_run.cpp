// SPDX-License-Identifier: Apache-2.0
#include "parallel/parallel_run.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "parallel/mail.hpp"
#include "parallel/recorder.hpp"
#include "parallel/report.hpp"
#include "parallel/subdomain.hpp"
#include "parallel/world.hpp"
#include "solve/sequential_run.hpp"

namespace seismic {
namespace {

/// Default number of pieces. For balancing there must be several per rank; with fewer, more cells
/// have no neighbour in another piece, so that more predictions can be offloaded.
std::int32_t usual_pieces(roam::Runtime& rt) {
  return rt.options().balancer.name == "none" ? 4 : 8;
}

std::int32_t place_piece(roam::Index<1> piece, roam::Index<1> pieces, std::int32_t ranks) {
  return first_rank(static_cast<std::int32_t>(piece[0]), static_cast<std::int32_t>(pieces[0]),
                    ranks);
}

/// One rank's part of the whole run.
class Run {
 public:
  Run(roam::Runtime& rt, const RunSettings& settings)
      : rt_(rt),
        settings_(settings),
        world_(rt.local<World>()),
        tree_(make_tree(settings.waves)),
        pieces_(settings.pieces > 0 ? settings.pieces : usual_pieces(rt) * rt.size()) {}

  roam::Task<> run() {
    world_.begin(settings_, co_await agreed_set(), pieces_);
    co_await begin_era(Moment{});
    co_await make_subdomains();
    co_await rt_.quiescence();
    rt_.begin_measurement();
    const roam::Instant begin = rt_.now();
    const std::int64_t samples = samples_in(waves().end);
    const std::int64_t between = waves().adapt.interval > 0.0
                                     ? std::max<std::int64_t>(1, samples_in(waves().adapt.interval))
                                     : samples;
    for (std::int64_t sample = 0; sample < samples; sample += between) {
      if (waves().adapt.interval > 0.0) co_await change_mesh(sample);
      co_await advance_to(std::min(samples, sample + between));
    }
    figures_.seconds = roam::seconds(rt_.now() - begin);
    rt_.end_measurement();
    co_await finish();
  }

 private:
  [[nodiscard]] const Settings& waves() const { return settings_.waves; }
  [[nodiscard]] std::int64_t samples_in(double seconds) const {
    return static_cast<std::int64_t>(std::ceil(seconds / waves().sampling - 1e-9));
  }

  /// The kernels' results differ in the last bits between instruction sets, so all ranks agree on
  /// one.
  roam::Task<InstructionSet> agreed_set() {
    const int best = static_cast<int>(best_instruction_set());
    const int common = co_await rt_.allreduce<roam::Min>(best);
    if (settings_.kernels == "avx2" && common != static_cast<int>(InstructionSet::avx2)) {
      throw roam::Error("a rank's processor or build lacks AVX2 and FMA");
    }
    co_return settings_.kernels == "baseline" ? InstructionSet::baseline
                                              : static_cast<InstructionSet>(common);
  }

  roam::Task<> begin_era(Moment moment) {
    const std::int32_t number = world_.has_era() ? world_.era().number() + 1 : 0;
    auto era = std::make_unique<Era>(number, tree_, settings_, pieces_, moment);
    const double own = era->longest_step(rt_.rank().value(), rt_.size());
    era->set_longest_step(co_await rt_.allreduce<roam::Min>(own));
    if (rt_.rank() == 0) figures_.note_mesh(era->mesh(), moment.step);
    world_.begin_era(std::move(era));
    co_await rt_.barrier();
  }

  roam::Task<> make_subdomains() {
    Subdomains subdomains;
    if (rt_.rank() == 0) {
      const roam::Index<1> extent{pieces_};
      subdomains =
          co_await rt_.create_collection<Subdomain>(extent, roam::Placement::by<&place_piece>());
    }
    world_.set_subdomains(co_await rt_.broadcast<Subdomains>(0, subdomains));
  }

  /// Runs to the step of a sample, with phases in between where something balances.
  roam::Task<> advance_to(std::int64_t sample) {
    const Era& era = world_.era();
    const std::int64_t last = era.step_of(sample);
    const bool balances = rt_.options().balancer.name != "none";
    while (step_ < last) {
      const std::int64_t next = balances ? std::min(last, step_ + steps_of_phase()) : last;
      if (rt_.rank() == 0) world_.subdomains().broadcast<&Subdomain::run_to>(next);
      const roam::balance::PhaseReport phase = co_await rt_.phase();
      if (phase.moved_objects > 0) ++figures_.phases_with_moves;
      figures_.note_steps(next - step_, era.mesh().cells.size(), waves().order);
      step_ = next;
    }
  }

  /// Nothing moves before the first phase ends, and what a move gains is expected to be what it
  /// would have gained in the last phase: so phases are short at first, and each at most as long as
  /// all before it.
  [[nodiscard]] std::int64_t steps_of_phase() const {
    constexpr std::int64_t in_first = 5;
    return std::min(settings_.phase_steps, std::max(in_first, step_));
  }

  /// Divides and joins cells according to their values at this sample. All subdomains have ended
  /// the step.
  roam::Task<> change_mesh(std::int64_t sample) {
    if (rt_.rank() == 0) co_await world_.subdomains().for_all<&Subdomain::tell_velocities>();
    co_await rt_.quiescence();
    std::vector<double> own = rt_.local<Mail>().take_velocities();
    const auto velocities = co_await rt_.broadcast<std::vector<double>>(0, std::move(own));
    const bool has_changed =
        adapt(tree_, world_.era().mesh(), velocities, waves().adapt, wanted_level(waves()));
    if (!has_changed) co_return;
    const Moment moment{step_, sample};
    co_await begin_era(moment);
    if (rt_.rank() == 0) world_.subdomains().broadcast<&Subdomain::move_out>();
    co_await rt_.quiescence();
    if (rt_.rank() == 0) world_.subdomains().broadcast<&Subdomain::settle>();
    co_await rt_.quiescence();
    world_.end_change();
  }

  roam::Task<> finish() {
    figures_.steps = step_;
    figures_.simulated = static_cast<double>(samples_in(waves().end)) * waves().sampling;
    if (rt_.rank() == 0) world_.subdomains().broadcast<&Subdomain::tell_place>();
    co_await rt_.quiescence();
    const roam::RunSummary summary = co_await rt_.summarise_statistics();
    if (rt_.rank() != 0) co_return;
    const Samples samples = rt_.local<Recorder>().samples(waves().receivers.size());
    write_results(rt_, world_, samples, figures_, summary);
    print_report(rt_, figures_, summary);
    if (settings_.is_checked) check(samples);
  }

  void check(const Samples& samples) const {
    SequentialRun alone(waves(), world_.set());
    alone.run(nullptr);
    if (samples != alone.receivers().samples()) {
      throw roam::Error("the seismograms are not those of the sequential solver");
    }
    std::printf("the seismograms are those of the sequential solver, to the last bit\n");
  }

  roam::Runtime& rt_;
  const RunSettings& settings_;
  World& world_;
  Spacetree tree_;
  const std::int32_t pieces_;
  std::int64_t step_ = 0;
  ParallelFigures figures_;
};

}  // namespace

roam::Task<> run_waves(roam::Runtime& rt, const RunSettings& settings) {
  Run run(rt, settings);
  co_await run.run();
}

}  // namespace seismic
