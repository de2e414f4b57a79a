// SPDX-License-Identifier: Apache-2.0
#include "part.hpp"

#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>

namespace mini_pic {

namespace {

constexpr int most_faces = 1000;  // that a particle may pass in one step

std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 31)) * 0x7fb5d329728ea185ULL;
  return bits ^ (bits >> 27);
}

std::uint64_t mixed(double value) { return mixed(std::bit_cast<std::uint64_t>(value)); }

/// The electric field in each cell, per edge of a cube.
std::array<double, 3> field_in(const Cell& cell, const std::vector<double>& potential) {
  const auto gradients = cell.gradients();
  std::array<double, 3> field{};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t d = 0; d < 3; ++d)
      field[d] -= potential[static_cast<std::size_t>(cell.nodes[i])] * gradients[i][d];
  return field;
}

}  // namespace

Part::Part(const Plasma& plasma, std::int32_t number)
    : piece_(plasma.box, number),
      solver_(piece_),
      length_{plasma.box.length(0), plasma.box.length(1), plasma.box.length(2)} {
  const double edge = static_cast<double>(units_per_cube);
  const double per_volume = static_cast<double>(plasma.total_weight()) /
                            static_cast<double>(plasma.box.cube_count()) /
                            (24 * edge * edge * edge);
  for (const std::int64_t volume : piece_.own_volumes)
    background_.push_back(std::llround(static_cast<double>(volume) * per_volume *
                                       static_cast<double>(deposit_units)));
}

template <class T>
Mail<T> Part::no_mail() const {
  Mail<T> mail;
  mail.from = piece_.number;
  for (const Exchange& exchange : piece_.exchanges) mail.to.push_back(exchange.part);
  mail.letters.resize(mail.to.size());
  return mail;
}
template Mail<Walker> Part::no_mail() const;

Mail<Walker> Part::load(const Plasma& plasma, Sums& sums) {
  Mail<Walker> leaving = no_mail<Walker>();
  for (const Vector& cube : plasma.box.cubes_of(piece_.number)) {
    const std::int32_t first = piece_.cell_of(plasma.box.tetrahedron_in(cube));
    const Vector from = piece_.cells[static_cast<std::size_t>(first)].corner;
    for (Particle& particle : plasma.start(cube)) {
      particle.cell = first;
      if (walk(particle, from, leaving)) {
        particles_.push_back(particle);
      } else {
        ++sums.walkers;
      }
    }
  }
  for (const std::int64_t charge : background_) sums.background += charge;
  return leaving;
}

// Goes from cell to cell through faces beyond which the new position is, and of these through the
// one that the straight way from the old position meets first. Whether it is beyond a face is
// decided exactly; so the last cell contains it, and the way does not depend on the parts.
bool Part::walk(Particle& particle, Vector from, Mail<Walker>& leaving) const {
  for (int passed = 0; passed < most_faces; ++passed) {
    const Cell& cell = piece_.cells[static_cast<std::size_t>(particle.cell)];
    const auto there = cell.coordinates_of(particle.at);
    if (there[0] >= 0 && there[1] >= 0 && there[2] >= 0 && there[3] >= 0) return true;
    const auto here = cell.coordinates_of(from);
    std::size_t face = 4;
    double least = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      if (there[i] >= 0) continue;
      const double way = static_cast<double>(here[i]) / static_cast<double>(here[i] - there[i]);
      if (face < 4 && !(way < least)) continue;
      face = i;
      least = way;
    }
    const Across across = cell.across[face];
    for (std::size_t d = 0; d < 3; ++d) {
      particle.at[d] += across.shift[d] * length_[d];
      from[d] += across.shift[d] * length_[d];
    }
    particle.cell = across.tetrahedron;
    if (across.tetrahedron >= 0) continue;
    const Beyond& beyond = piece_.beyond[static_cast<std::size_t>(-1 - across.tetrahedron)];
    leaving.letters[piece_.exchange_with(beyond.part)].push_back(
        {particle, from, beyond.tetrahedron});
    return false;
  }
  throw std::runtime_error("particle " + std::to_string(particle.id) + " finds no way");
}

Mail<Walker> Part::move(const Plasma& plasma, Sums& sums) {
  Mail<Walker> leaving = no_mail<Walker>();
  std::vector<std::array<double, 3>> fields;
  fields.reserve(piece_.cells.size());
  const double edge = static_cast<double>(units_per_cube);
  for (const Cell& cell : piece_.cells) {
    const std::array<double, 3>& field = fields.emplace_back(field_in(cell, solver_.potential()));
    const double squared = field[0] * field[0] + field[1] * field[1] + field[2] * field[2];
    sums.field.add(0.5 * squared * static_cast<double>(cell.volume) / (6 * edge * edge * edge));
  }
  std::size_t kept = 0;
  for (std::size_t p = 0; p < particles_.size(); ++p) {
    Particle particle = particles_[p];
    const std::array<double, 3>& field = fields[static_cast<std::size_t>(particle.cell)];
    const Vector from = particle.at;
    double product = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      const double before = particle.speed[d];
      particle.speed[d] -= plasma.time_step * field[d];  // an electron's charge is negative
      product += before * particle.speed[d];
      const double way = plasma.time_step * particle.speed[d];
      if (!(std::abs(way) <= longest_move))
        throw std::runtime_error("particle " + std::to_string(particle.id) +
                                 " moves by more than four cubes in a step");
      particle.at[d] += std::llround(way * edge);
      sums.momentum[d] += std::llround(particle.weight * particle.speed[d] * energy_unit);
    }
    sums.kinetic += std::llround(particle.weight * product / 2 * energy_unit);
    if (walk(particle, from, leaving)) {
      particles_[kept++] = particle;
    } else {
      ++sums.walkers;
    }
  }
  particles_.resize(kept);
  return leaving;
}

void Part::take(const std::vector<Walker>& letter, Mail<Walker>& onward) {
  for (Walker walker : letter) {
    walker.particle.cell = piece_.cell_of(walker.tetrahedron);
    if (walk(walker.particle, walker.from, onward)) particles_.push_back(walker.particle);
  }
}

Mail<std::int64_t> Part::deposit() {
  deposits_.assign(static_cast<std::size_t>(piece_.nodes), 0);
  for (const Particle& particle : particles_) {
    const Cell& cell = piece_.cells[static_cast<std::size_t>(particle.cell)];
    const auto coordinates = cell.coordinates_of(particle.at);
    const std::int64_t all = particle.weight * deposit_units;
    const double factor = static_cast<double>(all) / static_cast<double>(cell.volume);
    std::int64_t rest = all;
    for (std::size_t i = 1; i < 4; ++i) {
      const std::int64_t share = std::llround(static_cast<double>(coordinates[i]) * factor);
      deposits_[static_cast<std::size_t>(cell.nodes[i])] += share;
      rest -= share;
    }
    deposits_[static_cast<std::size_t>(cell.nodes[0])] += rest;
  }
  Mail<std::int64_t> mail = no_mail<std::int64_t>();
  for (std::size_t i = 0; i < piece_.exchanges.size(); ++i)
    for (const std::int32_t node : piece_.exchanges[i].receive)
      mail.letters[i].push_back(deposits_[static_cast<std::size_t>(node)]);
  return mail;
}

void Part::add_deposits(std::int32_t from, const std::vector<std::int64_t>& letter) {
  const Exchange& exchange = piece_.exchanges[piece_.exchange_with(from)];
  for (std::size_t i = 0; i < exchange.send.size(); ++i)
    deposits_[static_cast<std::size_t>(exchange.send[i])] += letter.at(i);
}

Mail<double> Part::begin_field(const Plasma& plasma, std::int64_t background) {
  // Rounded, the ions' deposits do not add up to the electrons' exactly; all nodes share the rest.
  const std::int64_t rest = background - plasma.total_weight() * deposit_units;
  const double of_node = static_cast<double>(rest) / static_cast<double>(plasma.box.cube_count());
  const double unit = plasma.unit_charge() / static_cast<double>(deposit_units);
  std::vector<double> charge(piece_.own_count());
  deposited_ = 0;
  for (std::size_t i = 0; i < charge.size(); ++i) {
    charge[i] = unit * (static_cast<double>(background_[i] - deposits_[i]) - of_node);
    deposited_ += deposits_[i];
  }
  solver_.begin(piece_, std::move(charge));
  return gradient_mail();
}

Mail<double> Part::gradient_mail() {
  Mail<double> mail = no_mail<double>();
  for (std::size_t i = 0; i < piece_.exchanges.size(); ++i)
    for (const std::int32_t node : piece_.exchanges[i].send)
      mail.letters[i].push_back(solver_.gradients()[static_cast<std::size_t>(node)]);
  return mail;
}

void Part::set_gradients(std::int32_t from, const std::vector<double>& letter) {
  const Exchange& exchange = piece_.exchanges[piece_.exchange_with(from)];
  for (std::size_t i = 0; i < exchange.receive.size(); ++i)
    solver_.gradients()[static_cast<std::size_t>(exchange.receive[i])] = letter.at(i);
}

Products Part::products() {
  Products sums = solver_.products(piece_);
  sums.deposit = deposited_;
  return sums;
}

Mail<double> Part::advance(const Products& sums, double tolerance) {
  solver_.advance(sums, tolerance);
  return gradient_mail();
}

Found Part::check() const {
  Found found;
  for (const Particle& particle : particles_) {
    const bool is_here =
        particle.cell >= 0 && static_cast<std::size_t>(particle.cell) < piece_.cells.size() &&
        piece_.cells[static_cast<std::size_t>(particle.cell)].contains(particle.at);
    const auto id = static_cast<std::uint64_t>(particle.id);
    std::uint64_t bits = mixed(id + 1);
    for (std::size_t d = 0; d < 3; ++d)
      bits = mixed(bits + static_cast<std::uint64_t>(particle.at[d])) + mixed(particle.speed[d]);
    found = found + Found{1, is_here ? 0 : 1, id, id * id, mixed(bits), 0};
  }
  for (std::size_t i = 0; i < piece_.own_count(); ++i)
    found.bits +=
        mixed(mixed(solver_.potential()[i]) + static_cast<std::uint64_t>(piece_.own_ids[i]));
  if (piece_.number == 0) found.iterations = solver_.iterations();
  return found;
}

}  // namespace mini_pic
