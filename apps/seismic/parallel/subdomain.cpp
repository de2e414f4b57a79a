// SPDX-License-Identifier: Apache-2.0
#include "parallel/subdomain.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <roam/offload/offload.hpp>
#include <span>
#include <utility>

#include "parallel/mail.hpp"
#include "parallel/prediction.hpp"
#include "parallel/recorder.hpp"
#include "parallel/scratches.hpp"
#include "parallel/step_log.hpp"
#include "solve/adaptation.hpp"

namespace seismic {
namespace {

/// Approximate operations of a task: 0.2 ms, so that spawning and sending it cost little in
/// comparison.
constexpr double task_operations = 4e6;

// The following functions run on rank 0.
void note_velocity(std::int32_t receiver, std::int32_t part, std::int64_t sample,
                   std::array<double, 3> velocity) {
  roam::here().local<Recorder>().note(receiver, part, sample, velocity);
}
void note_pixels(std::int64_t frame, std::span<const std::int32_t> pixels,
                 std::span<const float> velocities) {
  const Raster raster = make_raster(World::here().waves());
  roam::here().local<Recorder>().note_pixels(raster, frame, pixels, velocities);
}
void note_snapshot(std::int64_t sample, std::int32_t first, std::int32_t piece, std::int32_t rank,
                   std::span<const float> velocity) {
  const World& world = World::here();
  const double seconds = static_cast<double>(sample) * world.waves().sampling;
  roam::here().local<Recorder>().note_snapshot(world.era().mesh(), world.era().medium().map,
                                               world.waves(), sample, seconds, first, piece, rank,
                                               velocity);
}
void note_velocities(std::int32_t first, std::span<const double> velocities) {
  roam::here().local<Mail>().note_velocities(first, velocities);
}
void note_place(std::int32_t piece, std::int32_t rank) {
  roam::here().local<Mail>().note_place(piece, rank);
}

bool is_due(std::int64_t sample, double seconds, double sampling) {
  const std::int64_t between = samples_between(seconds, sampling);
  return between > 0 && sample % between == 0;
}

/// The number of cells that are predicted in one task.
std::size_t task_size(const Kernels& kernels) {
  const std::int32_t wanted = World::here().settings().cells_of_task;
  if (wanted > 0) return static_cast<std::size_t>(wanted);
  return static_cast<std::size_t>(
      std::max(1.0, std::round(task_operations / kernels.predict_operations())));
}

/// True if pieces stay where they began.
bool nothing_moves(roam::Runtime& rt) { return rt.options().balancer.name == "none"; }

Reach reach_of(std::int32_t piece, std::int32_t other, std::int32_t pieces) {
  roam::Runtime& rt = roam::here();
  return nothing_moves(rt) &&
                 first_rank(piece, pieces, rt.size()) == first_rank(other, pieces, rt.size())
             ? Reach::near
             : Reach::far;
}

}  // namespace

/// Everything that can be recomputed from the mesh, and the values.
struct Subdomain::Work {
  Work(const Era& era, const World& world, std::int32_t number)
      : piece(era.pieces().make(number)),
        patch(era.medium(), piece.mesh, piece.own, era.sources_of(piece), world.waves().order,
              world.set()),
        scratch_size(patch.kernels().scratch_size()) {
    patch.set_step(era.step());
    std::vector<bool> is_shown(static_cast<std::size_t>(piece.own), false);
    for (const Exchange& exchange : piece.exchanges) {
      reaches.push_back(reach_of(number, exchange.piece, world.pieces()));
      if (reaches.back() == Reach::near) continue;
      for (const CellFace& at : exchange.sends) is_shown[static_cast<std::size_t>(at.cell)] = true;
    }
    for (CellIndex cell = 0; cell < piece.own; ++cell) {
      const bool stays = is_shown[static_cast<std::size_t>(cell)] || patch.has_source(cell);
      (stays ? skeleton : enclave).push_back(cell);
    }
    for (std::size_t r = 0; r < era.receivers().size(); ++r) {
      for (std::size_t p = 0; p < era.receivers()[r].size(); ++p) {
        const CellIndex cell = era.receivers()[r][p].cell() - piece.first;
        if (cell >= 0 && cell < piece.own) receivers.push_back({r, p});
      }
    }
    if (world.waves().frames > 0.0) {
      pixels = surface_pixels(make_raster(world.waves()), patch);
    }
  }

  Piece piece;
  Patch patch;
  std::size_t scratch_size;
  std::vector<Reach> reaches;       // of the exchanges
  std::vector<CellIndex> skeleton;  // predicted first: neighbours wait for it, or it has a source
  std::vector<CellIndex> enclave;
  std::vector<std::pair<std::size_t, std::size_t>> receivers;  // pairs of receiver and part
  std::vector<SurfacePixel> pixels;
};

Subdomain::Subdomain() = default;
Subdomain::Subdomain(const roam::Index<1>& place) : piece_(static_cast<std::int32_t>(place[0])) {}
Subdomain::Subdomain(Subdomain&&) noexcept = default;
Subdomain& Subdomain::operator=(Subdomain&&) noexcept = default;
Subdomain::~Subdomain() = default;

Subdomain::Work& Subdomain::work() {
  if (!work_) {
    const World& world = World::here();
    work_ = std::make_unique<Work>(world.era(era_), world, piece_);
    unpack_values();
  }
  return *work_;
}

std::vector<double> Subdomain::packed_values() const {
  if (!work_) return packed_;
  Patch& patch = work_->patch;
  const Layout& layout = patch.kernels().layout;
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(patch.own()) * (layout.cell() + layout.traces()));
  for (CellIndex cell = 0; cell < patch.own(); ++cell) {
    values.insert(values.end(), patch.state(cell), patch.state(cell) + layout.cell());
    if (!is_predicted_) continue;
    const double* const traces = patch.trace(cell, 0);
    values.insert(values.end(), traces, traces + layout.traces());
  }
  return values;
}

void Subdomain::unpack_values() {
  if (packed_.empty()) return;
  Patch& patch = work_->patch;
  const Layout& layout = patch.kernels().layout;
  const std::size_t size = layout.cell() + (is_predicted_ ? layout.traces() : 0);
  if (packed_.size() != size * static_cast<std::size_t>(patch.own())) {
    throw roam::Error("a subdomain has travelled with the values of another one");
  }
  const double* from = packed_.data();
  for (CellIndex cell = 0; cell < patch.own(); ++cell, from += size) {
    std::copy_n(from, layout.cell(), patch.state(cell));
    if (is_predicted_) std::copy_n(from + layout.cell(), layout.traces(), patch.trace(cell, 0));
  }
  packed_ = {};
}

// --- steps ---

void Subdomain::run_to(std::int64_t step) {
  target_ = step;
  if (!is_predicted_) send_on();
}

// The work of a call is announced as the number of cells: all calls of go_on() alike, since what a
// weight of 1 takes is learnt from all of them, and loads in which some count for as much as a cell
// would make balancing move objects to and fro.
void Subdomain::send_on() const {
  const Pieces& pieces = World::here().era(era_).pieces();
  const CellIndex cells = pieces.end(piece_) - pieces.begin(piece_);
  const roam::CallOptions as_cells{.weight = std::max(1.0, static_cast<double>(cells))};
  roam::self<Subdomain>().send_with<&Subdomain::go_on>(as_cells);
}

void Subdomain::take(std::int64_t step, std::int32_t piece, roam::Array<double> values) {
  inbox(step).push_back({piece, std::move(values)});
  if (is_predicted_ && step == step_ && has_all_traces()) send_on();
}

bool Subdomain::has_all_traces() { return inbox(step_).size() == work().piece.exchanges.size(); }

void Subdomain::take_in_traces() {
  Work& w = work();
  const std::size_t face = w.patch.kernels().layout.face();
  for (const SentTraces& sent : inbox(step_)) {
    const auto exchange =
        std::find_if(w.piece.exchanges.begin(), w.piece.exchanges.end(),
                     [&](const Exchange& one) { return one.piece == sent.piece; });
    if (exchange == w.piece.exchanges.end() ||
        sent.values.size() != face * exchange->receives.size()) {
      throw roam::Error("traces of faces that are not a subdomain's");
    }
    for (std::size_t k = 0; k < exchange->receives.size(); ++k) {
      const CellFace& at = exchange->receives[k];
      std::copy_n(sent.values.data() + k * face, face, w.patch.trace(at.cell, at.face));
    }
  }
  inbox(step_).clear();
}

void Subdomain::send_traces(Reach reach) {
  Work& w = work();
  const std::size_t face = w.patch.kernels().layout.face();
  roam::Runtime& rt = roam::here();
  for (std::size_t e = 0; e < w.piece.exchanges.size(); ++e) {
    if (w.reaches[e] != reach) continue;
    const Exchange& exchange = w.piece.exchanges[e];
    auto values = rt.make_array<double>(face * exchange.sends.size());
    for (std::size_t k = 0; k < exchange.sends.size(); ++k) {
      const CellFace& at = exchange.sends[k];
      std::copy_n(w.patch.trace(at.cell, at.face), face, values.data() + k * face);
    }
    World::here().subdomains()[{exchange.piece}].send<&Subdomain::take>(step_, piece_,
                                                                        std::move(values));
  }
}

void Subdomain::correct_all() {
  Patch& patch = work().patch;
  for (CellIndex cell = 0; cell < patch.own(); ++cell) patch.correct(cell);
}

roam::Task<> Subdomain::go_on() {
  const Era& era = World::here().era(era_);
  Work& w = work();
  bool is_corrected = !is_predicted_;
  if (is_predicted_) {
    take_in_traces();
    w.patch.solve_faces();
    ++step_;
    time_ += era.step();
    is_predicted_ = false;
    say_step();
  }
  const bool ends = step_ == target_;
  if (!is_corrected && (ends || era.sample_at(step_) >= 0)) {
    correct_all();
    is_corrected = true;
  }
  if (is_corrected) record();
  if (ends) co_return;
  w.patch.begin_step(time_);
  {
    auto scratch = roam::here().local<Scratches>().lend(w.scratch_size);
    for (const CellIndex cell : w.skeleton) {
      if (!is_corrected) w.patch.correct(cell);
      w.patch.predict(cell, scratch.data());
    }
  }
  const Kernels& kernels = w.patch.kernels();
  pass_simulated_time(static_cast<double>(w.skeleton.size()) * kernels.predict_operations() +
                      static_cast<double>(w.piece.own) * kernels.correct_operations());
  send_traces(Reach::far);
  co_await predict_enclave(is_corrected);
  send_traces(Reach::near);
  is_predicted_ = true;
  if (has_all_traces()) send_on();
}

// The tasks run when no call is ready, so that the skeletons of all subdomains come first. The
// object does not move, and no other call of it runs, until all are complete; their time counts as
// its own.
roam::Task<> Subdomain::predict_enclave(bool is_corrected) {
  Work& w = work();
  roam::Runtime& rt = roam::here();
  const World& world = World::here();
  const std::size_t cells_of_task = task_size(w.patch.kernels());
  std::vector<roam::offload::Result<void>> results;
  for (std::size_t begin = 0; begin < w.enclave.size(); begin += cells_of_task) {
    const std::size_t end = std::min(w.enclave.size(), begin + cells_of_task);
    auto cells = std::make_shared<CellsAtHome>(
        w.patch,
        std::vector<CellIndex>(w.enclave.begin() + static_cast<std::ptrdiff_t>(begin),
                               w.enclave.begin() + static_cast<std::ptrdiff_t>(end)),
        is_corrected);
    CellBatch batch(world.waves().order, world.set(), cells);
    const auto take = [cells](const PredictedCells& predicted) { cells->take(predicted); };
    results.push_back(roam::offload::spawn_then<&predict_cells>(rt, take, std::move(batch)));
  }
  co_await roam::offload::when_all(std::move(results));
}

// Reports the end of a step. A rank's step ends when the last of its subdomains has ended it; where
// subdomains move, or ranks have none, it ends everywhere when the first piece has.
void Subdomain::say_step() const {
  roam::Runtime& rt = roam::here();
  const World& world = World::here();
  const std::int64_t report = world.settings().report_steps;
  if (nothing_moves(rt) && world.pieces() >= rt.size()) {
    const std::int32_t own = pieces_at_first(rt.rank().value(), world.pieces(), rt.size());
    if (rt.local<StepCounter>().is_last(step_, own)) pass_step(step_, report);
  } else if (piece_ == 0) {
    for (std::int32_t rank = 0; rank < rt.size(); ++rank) rt.send<&pass_step>(rank, step_, report);
  }
}

// --- what is recorded ---

void Subdomain::record() {
  const Era& era = World::here().era(era_);
  const std::int64_t sample = era.sample_at(step_);
  if (sample < 0 || recorded_ == step_) return;
  recorded_ = step_;
  Work& w = work();
  for (const auto& [receiver, part] : w.receivers) {
    const ReceiverPart& place = era.receivers()[receiver][part];
    roam::here().send<&note_velocity>(0, static_cast<std::int32_t>(receiver),
                                      static_cast<std::int32_t>(part), sample,
                                      place.velocity(w.patch.state(place.cell() - w.piece.first)));
  }
  const Settings& waves = World::here().waves();
  if (is_due(sample, waves.frames, waves.sampling)) record_surface(sample);
  if (is_due(sample, waves.snapshots, waves.sampling)) record_snapshot(sample);
}

void Subdomain::record_surface(std::int64_t sample) {
  const Work& w = work();
  if (w.pixels.empty()) return;
  std::vector<std::int32_t> numbers;
  std::vector<float> velocities;
  for (const SurfacePixel& pixel : w.pixels) {
    numbers.push_back(pixel.number);
    for (const double component : pixel.value.velocity(w.patch.state(pixel.value.cell()))) {
      velocities.push_back(static_cast<float>(component));
    }
  }
  roam::here().send<&note_pixels>(0, sample, std::move(numbers), std::move(velocities));
}

void Subdomain::record_snapshot(std::int64_t sample) {
  const Work& w = work();
  if (w.piece.own == 0) return;
  std::vector<float> velocities;
  for (CellIndex cell = 0; cell < w.piece.own; ++cell) {
    const std::vector<float> more = snapshot_of(w.patch.basis(), w.patch.state(cell));
    velocities.insert(velocities.end(), more.begin(), more.end());
  }
  roam::here().send<&note_snapshot>(0, sample, w.piece.first, piece_, roam::here().rank().value(),
                                    std::move(velocities));
}

void Subdomain::tell_place() {
  roam::here().send<&note_place>(0, piece_, roam::here().rank().value());
}

// --- changes of the mesh ---

void Subdomain::tell_velocities() {
  const Work& w = work();
  std::vector<double> velocities;
  for (CellIndex cell = 0; cell < w.piece.own; ++cell) {
    velocities.push_back(greatest_velocity(w.patch.kernels().layout, w.patch.state(cell)));
  }
  roam::here().send<&note_velocities>(0, w.piece.first, std::move(velocities));
}

void Subdomain::move_out() {
  const World& world = World::here();
  const Work& w = work();
  std::map<std::int32_t, std::vector<CellIndex>> to;
  for (CellIndex cell = w.piece.first; cell < w.piece.first + w.piece.own; ++cell) {
    for (const std::int32_t piece : world.change().pieces_of(cell)) to[piece].push_back(cell);
  }
  const std::size_t size = w.patch.kernels().layout.cell();
  for (const auto& [piece, cells] : to) {
    SentCells sent;
    sent.cells = cells;
    sent.values = roam::Array<double>(size * sent.cells.size());
    for (std::size_t k = 0; k < sent.cells.size(); ++k) {
      std::copy_n(w.patch.state(sent.cells[k] - w.piece.first), size,
                  sent.values.data() + k * size);
    }
    world.subdomains()[{piece}].send<&Subdomain::take_cells>(std::move(sent));
  }
}

void Subdomain::take_cells(SentCells sent) { moved_in_.push_back(std::move(sent)); }

void Subdomain::settle() {
  const World& world = World::here();
  work_.reset();
  packed_ = {};
  era_ = world.era().number();
  Work& w = work();
  const std::size_t size = w.patch.kernels().layout.cell();
  std::map<CellIndex, const double*> states;
  for (const SentCells& sent : moved_in_) {
    for (std::size_t k = 0; k < sent.cells.size(); ++k) {
      states[sent.cells[k]] = sent.values.data() + k * size;
    }
  }
  const Transfer& transfer = world.change().transfer();
  for (CellIndex cell = 0; cell < w.piece.own; ++cell) {
    const CellIndex in_whole = w.piece.first + cell;
    std::vector<const double*> from;
    for (const CellIndex origin : transfer.origins(in_whole)) from.push_back(states.at(origin));
    transfer.fill(in_whole, from, w.patch.state(cell));
  }
  moved_in_.clear();
}

}  // namespace seismic
