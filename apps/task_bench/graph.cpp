// SPDX-License-Identifier: Apache-2.0
#include "graph.hpp"

#include <algorithm>

#include "random.hpp"

namespace task_bench {

namespace {

// The least d with 2^d >= n.
std::int64_t log2_up(std::int64_t n) {
  std::int64_t d = 0;
  while ((std::int64_t{1} << d) < n) ++d;
  return d;
}

bool is_uniform(Pattern pattern) {
  return pattern != Pattern::dom && pattern != Pattern::tree && pattern != Pattern::all_to_all &&
         pattern != Pattern::random_nearest;
}

std::int64_t wrapped(std::int64_t point, std::int64_t width) {
  return ((point % width) + width) % width;
}

}  // namespace

std::span<const std::int64_t> Graph::Lists::of(std::int64_t point) const {
  const auto p = static_cast<std::size_t>(point);
  return {points.data() + begin[p], begin[p + 1] - begin[p]};
}

Graph::Graph(const GraphSettings& settings, int number, std::int64_t planted)
    : settings_(settings), number_(number), planted_(planted) {
  check(settings_);
  for (std::size_t set = 0; set < set_count(); ++set) sets_.push_back(wire(set, 0));
  if (planted_ > 0) planted_wiring_ = wire(set_of(planted_), 1);
}

std::int64_t Graph::first(std::int64_t step) const {
  if (settings_.pattern != Pattern::dom) return 0;
  return std::max<std::int64_t>(0, step - (steps() - width()));
}

std::int64_t Graph::end(std::int64_t step) const {
  if (settings_.pattern == Pattern::dom) return std::min(width(), step + 1);
  if (settings_.pattern == Pattern::tree && step < 62)
    return std::min(width(), std::int64_t{1} << step);
  return width();
}

std::int64_t Graph::next_step(std::int64_t step, std::int64_t point) const {
  if (settings_.pattern == Pattern::dom) step = std::max(step, point);
  if (settings_.pattern == Pattern::tree) step = std::max(step, log2_up(point + 1));
  return step < steps() && contains(step, point) ? step : steps();
}

std::size_t Graph::set_count() const {
  switch (settings_.pattern) {
    case Pattern::tree:
      return 2;
    case Pattern::fft:
      return static_cast<std::size_t>(std::max<std::int64_t>(1, log2_up(width())));
    case Pattern::spread:
    case Pattern::random_nearest:
      return static_cast<std::size_t>(settings_.period);
    default:
      return 1;
  }
}

std::size_t Graph::set_of(std::int64_t step) const {
  if (settings_.pattern == Pattern::tree) return end(step - 1) < width() ? 0 : 1;
  return static_cast<std::size_t>(step - 1) % set_count();
}

const Graph::Wiring& Graph::wiring(std::int64_t step) const {
  return step == planted_ ? planted_wiring_ : sets_[set_of(step)];
}

Shifts Graph::shifts_of_set(std::size_t set) const {
  const std::int64_t radix = settings_.radix;
  Shifts shifts;
  switch (settings_.pattern) {
    case Pattern::no_comm:
      shifts.by = {0};
      break;
    case Pattern::stencil_1d_periodic:
      shifts.is_periodic = true;
      [[fallthrough]];
    case Pattern::stencil_1d:
      shifts.by = {-1, 0, 1};
      break;
    case Pattern::fft: {
      const std::int64_t distance = std::int64_t{1} << set;
      shifts.by = {-distance, 0, distance};
      break;
    }
    case Pattern::nearest:
    case Pattern::random_nearest:
      for (std::int64_t k = 0; k < radix; ++k) shifts.by.push_back(k - (radix - 1) / 2);
      break;
    case Pattern::spread:
      shifts.is_periodic = true;
      for (std::int64_t k = 0; k < radix; ++k)
        shifts.by.push_back(k * width() / radix + (k > 0 ? static_cast<std::int64_t>(set) : 0));
      break;
    default:
      break;
  }
  if (shifts.is_periodic) {  // each point once
    for (std::int64_t& shift : shifts.by) shift = wrapped(shift, width());
    std::sort(shifts.by.begin(), shifts.by.end());
    shifts.by.erase(std::unique(shifts.by.begin(), shifts.by.end()), shifts.by.end());
  }
  return shifts;
}

std::vector<std::int64_t> Graph::needs_of_set(std::size_t set, std::int64_t point) const {
  std::vector<std::int64_t> needs;
  switch (settings_.pattern) {
    case Pattern::dom:
      if (point > 0) needs.push_back(point - 1);
      needs.push_back(point);
      break;
    case Pattern::tree:
      needs.push_back(set == 0 ? point / 2 : point);
      break;
    case Pattern::all_to_all:
      for (std::int64_t i = 0; i < width(); ++i) needs.push_back(i);
      break;
    default: {
      const Shifts shifts = shifts_of_set(set);
      for (const std::int64_t shift : shifts.by) {
        const std::int64_t other =
            shifts.is_periodic ? wrapped(point + shift, width()) : point + shift;
        if (other < 0 || other >= width()) continue;
        if (settings_.pattern == Pattern::random_nearest &&
            random_unit({static_cast<std::int64_t>(set), point, other}) >= settings_.fraction)
          continue;
        needs.push_back(other);
      }
    }
  }
  return needs;
}

// `too_far`: number of points by which each input is wired too far, modulo the width.
Graph::Wiring Graph::wire(std::size_t set, std::int64_t too_far) const {
  Wiring wiring;
  std::vector<std::size_t> counts(static_cast<std::size_t>(width()), 0);
  for (std::int64_t point = 0; point < width(); ++point) {
    std::vector<std::int64_t> needs = needs_of_set(set, point);
    for (std::int64_t& need : needs) need = wrapped(need + too_far, width());
    std::sort(needs.begin(), needs.end());
    for (const std::int64_t need : needs) {
      wiring.inputs.points.push_back(need);
      ++counts[static_cast<std::size_t>(need)];
    }
    wiring.inputs.begin.push_back(wiring.inputs.points.size());
  }
  for (const std::size_t count : counts)
    wiring.readers.begin.push_back(wiring.readers.begin.back() + count);
  wiring.readers.points.resize(wiring.inputs.points.size());
  std::vector<std::size_t> next(wiring.readers.begin.begin(), wiring.readers.begin.end() - 1);
  for (std::int64_t point = 0; point < width(); ++point) {
    for (const std::int64_t need : wiring.inputs.of(point))
      wiring.readers.points[next[static_cast<std::size_t>(need)]++] = point;
  }
  return wiring;
}

// Those of the points that exist in the step.
std::span<const std::int64_t> Graph::within(std::span<const std::int64_t> points,
                                            std::int64_t step) const {
  const auto begin = std::lower_bound(points.begin(), points.end(), first(step));
  const auto end = std::lower_bound(begin, points.end(), this->end(step));
  return points.subspan(static_cast<std::size_t>(begin - points.begin()),
                        static_cast<std::size_t>(end - begin));
}

std::span<const std::int64_t> Graph::needs(std::int64_t step, std::int64_t point) const {
  if (step == 0) return {};
  const std::span<const std::int64_t> all = sets_[set_of(step)].inputs.of(point);
  return settings_.pattern == Pattern::dom ? within(all, step - 1) : all;
}

std::span<const std::int64_t> Graph::inputs(std::int64_t step, std::int64_t point) const {
  if (step == 0) return {};
  const std::span<const std::int64_t> all = wiring(step).inputs.of(point);
  return is_uniform(settings_.pattern) ? all : within(all, step - 1);
}

std::span<const std::int64_t> Graph::readers(std::int64_t step, std::int64_t point) const {
  if (step + 1 == steps()) return {};
  const std::span<const std::int64_t> all = wiring(step + 1).readers.of(point);
  return is_uniform(settings_.pattern) ? all : within(all, step + 1);
}

std::optional<Shifts> Graph::shifts(std::int64_t step) const {
  if (!is_uniform(settings_.pattern)) return std::nullopt;
  if (step == 0) return Shifts{};
  Shifts shifts = shifts_of_set(set_of(step));
  if (step == planted_) {
    shifts.is_periodic = true;
    for (std::int64_t& shift : shifts.by) ++shift;
  }
  return shifts;
}

std::int64_t Graph::tasks() const {
  if (is_uniform(settings_.pattern)) return steps() * width();
  std::int64_t tasks = 0;
  for (std::int64_t step = 0; step < steps(); ++step) tasks += end(step) - first(step);
  return tasks;
}

std::int64_t Graph::dependences() const { return dependences_between(0); }

// ranks = 0: all dependences.
std::int64_t Graph::dependences_between(std::int64_t ranks) const {
  const auto of_step = [&](std::int64_t step) {
    std::int64_t count = 0;
    for (std::int64_t point = first(step); point < end(step); ++point) {
      const auto needs = this->needs(step, point);
      if (ranks == 0) {
        count += static_cast<std::int64_t>(needs.size());
        continue;
      }
      const std::int64_t own = block_of(width(), ranks, point);
      for (const std::int64_t need : needs) count += block_of(width(), ranks, need) != own ? 1 : 0;
    }
    return count;
  };
  std::vector<std::int64_t> of_sets(set_count(), -1);
  std::int64_t count = 0;
  for (std::int64_t step = 1; step < steps(); ++step) {
    if (end(step - 1) - first(step - 1) < width() || end(step) - first(step) < width()) {
      count += of_step(step);
      continue;
    }
    std::int64_t& of_set = of_sets[set_of(step)];
    if (of_set < 0) of_set = of_step(step);
    count += of_set;
  }
  return count;
}

}  // namespace task_bench
