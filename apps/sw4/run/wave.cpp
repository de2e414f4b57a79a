// SPDX-License-Identifier: Apache-2.0
#include "run/wave.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "output/seismograms.hpp"

namespace sw4 {
namespace {

Elastic elastic_of(const seismic::Material& material) {
  return {material.density, material.mu(), material.lambda()};
}

/// The layers around a point as one solid: means over the spacing that it stands for, of density,
/// and harmonic ones of the shear and the bulk modulus (Moczo and others, BSSA 92, 2002). With the
/// values at the point, an interface would be half a spacing too high or too low.
Elastic mean_around(const std::vector<seismic::Layer>& layers, double depth, double spacing) {
  const double top = std::max(depth - 0.5 * spacing, 0.0);
  const double bottom = depth + 0.5 * spacing;
  double length = 0.0;
  double density = 0.0;
  double shear = 0.0;
  double bulk = 0.0;
  for (std::size_t k = 0; k < layers.size(); ++k) {
    const double begin = k == 0 ? top : std::max(top, layers[k].top);
    const double end = k + 1 == layers.size() ? bottom : std::min(bottom, layers[k + 1].top);
    if (!(end > begin)) continue;
    const Elastic elastic = elastic_of(layers[k].material);
    length += end - begin;
    density += (end - begin) * elastic.density;
    shear += (end - begin) / elastic.mu;
    bulk += (end - begin) / (elastic.lambda + 2.0 / 3.0 * elastic.mu);
  }
  const double mu = length / shear;
  return {density / length, mu, length / bulk - 2.0 / 3.0 * mu};
}

double longest_step(const Settings& settings) {
  double step = settings.end;
  for (const seismic::Layer& layer : settings.layers) {
    step = std::min(
        step, step_of(settings.grid.spacing, elastic_of(layer.material), settings.step_factor));
  }
  return step;
}

}  // namespace

Wave::Wave(Settings settings) : settings_(std::move(settings)) {
  steps_ = static_cast<std::int64_t>(std::ceil(settings_.end / longest_step(settings_) - 1e-9));
  step_ = settings_.end / static_cast<double>(steps_);
}

std::vector<double> Wave::rates(std::int64_t step) const {
  std::vector<double> result;
  for (const seismic::MomentSource& source : settings_.sources)
    result.push_back(source.rate(static_cast<double>(step) * step_));
  return result;
}

std::vector<double> Wave::bends(std::int64_t step) const {
  std::vector<double> result;
  for (const seismic::MomentSource& source : settings_.sources) {
    const auto rate = [&](std::int64_t at) { return source.rate(static_cast<double>(at) * step_); };
    result.push_back((rate(step + 1) - 2.0 * rate(step) + rate(step - 1)) / (step_ * step_));
  }
  return result;
}

Patch Wave::patch(const Region& region) const {
  Patch patch(settings_.grid, region, [this](const Point& point) {
    return mean_around(settings_.layers, point[2], settings_.grid.spacing);
  });
  std::vector<PointForce> forces;
  for (std::size_t s = 0; s < settings_.sources.size(); ++s) {
    const seismic::MomentSource& source = settings_.sources[s];
    const auto more = forces_of(settings_.grid, region, static_cast<std::int32_t>(s),
                                source.position, source.moment);
    forces.insert(forces.end(), more.begin(), more.end());
  }
  patch.set_forces(std::move(forces));
  std::vector<Point> positions;
  for (const seismic::Receiver& receiver : settings_.receivers)
    positions.push_back(receiver.position);
  patch.set_receivers(receivers_of(settings_.grid, region, positions));
  return patch;
}

std::array<double, 3> Wave::at(const Trace& trace, double time) const {
  const auto last = static_cast<std::int64_t>(trace.size()) - 1;
  const std::int64_t count = std::min<std::int64_t>(6, last + 1);
  const double place = time / step_;
  const std::int64_t begin = std::clamp<std::int64_t>(
      static_cast<std::int64_t>(std::floor(place)) - 2, 0, last + 1 - count);
  std::array<double, 3> result{};
  for (std::int64_t k = 0; k < count; ++k) {
    double weight = 1.0;
    for (std::int64_t m = 0; m < count; ++m) {
      if (m == k) continue;
      weight *= (place - static_cast<double>(begin + m)) / static_cast<double>(k - m);
    }
    for (std::size_t c = 0; c < 3; ++c)
      result[c] += weight * trace[static_cast<std::size_t>(begin + k)][c];
  }
  return result;
}

seismic::Samples Wave::sampled(const std::vector<Trace>& traces) const {
  seismic::Samples samples;
  const auto count =
      static_cast<std::int64_t>(std::floor(settings_.end / settings_.sampling + 1e-9)) + 1;
  for (const Trace& trace : traces) {
    auto& of_receiver = samples.emplace_back();
    for (std::int64_t k = 0; k < count; ++k)
      of_receiver.push_back(at(trace, static_cast<double>(k) * settings_.sampling));
  }
  return samples;
}

void Wave::write(const std::vector<Trace>& traces) const {
  seismic::write_seismograms(settings_.receivers, sampled(traces), settings_.sampling,
                             settings_.folder);
}

std::vector<Trace> run_alone(const Wave& wave) {
  const Grid& grid = wave.settings().grid;
  Patch patch = wave.patch({{0, 0}, {grid.points[0], grid.points[1]}});
  std::vector<Trace> traces(wave.settings().receivers.size());
  const auto record = [&] {
    for (const PatchReceiver& receiver : patch.receivers())
      traces[static_cast<std::size_t>(receiver.receiver)].push_back(patch.read(receiver));
  };
  record();
  for (std::int64_t step = 0; step < wave.steps(); ++step) {
    patch.predict(wave.rates(step));
    patch.finish_predictor();
    patch.correct(wave.step(), wave.bends(step));
    patch.finish_corrector();
    record();
  }
  return traces;
}

}  // namespace sw4
