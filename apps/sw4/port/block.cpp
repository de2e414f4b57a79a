// SPDX-License-Identifier: Apache-2.0
#include "port/block.hpp"

#include <utility>

#include "port/world.hpp"

namespace sw4 {
namespace {

const World& world() { return roam::here().local<World>(); }

// Arrives at rank 0.
void note_trace(std::int32_t receiver, std::span<const double> values) {
  Trace trace(values.size() / 3);
  for (std::size_t k = 0; k < values.size(); ++k) trace[k / 3][k % 3] = values[k];
  roam::here().local<Recorder>().note(receiver, std::move(trace));
}

}  // namespace

void Block::set(const Blocks& blocks) {
  blocks_ = blocks;
  const roam::Index<2> extent = blocks.extent();
  const std::array<std::int32_t, 2> count{static_cast<std::int32_t>(extent[0]),
                                          static_cast<std::int32_t>(extent[1])};
  patch_ = world().wave->patch(region_of(world().wave->settings().grid, count,
                                         static_cast<std::int32_t>(place_[0]),
                                         static_cast<std::int32_t>(place_[1])));
  traces_.resize(patch_.receivers().size());
  record();
}

bool Block::has(Side side) const {
  const std::int64_t place = place_[axis()];
  return side == Side::lower ? place > 0 : place + 1 < blocks_.extent()[axis()];
}

roam::mobile_ptr<Block> Block::neighbour(Side side) const {
  roam::Index<2> place = place_;
  place[axis()] += side == Side::lower ? -1 : 1;
  return blocks_[place];
}

roam::Array<double> Block::edge(Side side) const {
  roam::Array<double> values = roam::here().make_array<double>(patch_.edge_size(axis()));
  patch_.copy_edge(axis(), side, std::span(values.data(), values.size()));
  return values;
}

void Block::run_to(std::int64_t steps) {
  last_step_ = steps;
  if (exchange_ != none || step_ >= last_step_) return;
  begin_step();
}

void Block::begin_step() {
  patch_.predict(world().wave->rates(step_));
  exchange_after_computing(4 * step_);
}

void Block::exchange_after_computing(std::int64_t exchange) {
  exchange_ = computing;
  const Extent& extent = patch_.extent();
  const double points = static_cast<double>(extent.nx) * extent.ny * extent.nz;
  roam::here().compute_if_simulated(roam::from_seconds(world().point_seconds * points));
  blocks_[place_].send<&Block::exchange>(exchange);
}

void Block::exchange(std::int64_t exchange) {
  begin_exchange(exchange);
  go_on();
}

void Block::begin_exchange(std::int64_t exchange) {
  exchange_ = exchange;
  missing_ = (has(Side::lower) ? 1 : 0) + (has(Side::upper) ? 1 : 0);
  if (has(Side::upper)) neighbour(Side::upper).send<&Block::ask>(exchange_);
  if (asked_[static_cast<std::size_t>(axis())] == exchange_) send_lower_edge();
}

void Block::ask(std::int64_t exchange) {
  asked_[static_cast<std::size_t>(exchange % 2)] = exchange;
  if (exchange == exchange_) send_lower_edge();
}

void Block::send_lower_edge() {
  neighbour(Side::lower).send<&Block::take_upper>(edge(Side::lower));
}

void Block::take_upper(std::span<const double> values) {
  patch_.set_halo(axis(), Side::upper, values);
  neighbour(Side::upper).send<&Block::take_lower>(edge(Side::upper));
  --missing_;
  go_on();
}

void Block::take_lower(std::span<const double> values) {
  patch_.set_halo(axis(), Side::lower, values);
  --missing_;
  go_on();
}

void Block::go_on() {
  while (exchange_ >= 0 && missing_ == 0) end_exchange();
}

void Block::end_exchange() {
  if (axis() == 0) return begin_exchange(exchange_ + 1);
  const bool was_predictor = exchange_ % 4 == 1;
  if (was_predictor) {
    patch_.finish_predictor();
    patch_.correct(world().wave->step(), world().wave->bends(step_));
    return exchange_after_computing(exchange_ + 1);
  }
  patch_.finish_corrector();
  record();
  ++step_;
  exchange_ = none;
  if (step_ < last_step_) begin_step();
}

void Block::record() {
  for (std::size_t r = 0; r < traces_.size(); ++r)
    traces_[r].push_back(patch_.read(patch_.receivers()[r]));
}

void Block::tell_traces() const {
  for (std::size_t r = 0; r < traces_.size(); ++r) {
    std::vector<double> values;
    for (const auto& velocity : traces_[r])
      values.insert(values.end(), velocity.begin(), velocity.end());
    roam::here().send<&note_trace>(0, patch_.receivers()[r].receiver, std::move(values));
  }
}

}  // namespace sw4
