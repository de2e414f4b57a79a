// SPDX-License-Identifier: Apache-2.0
#include "piece.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

namespace mini_pic {

namespace {

Vector difference(const Vector& a, const Vector& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Cell shape_of(const Tetrahedron& one) {
  Cell cell;
  cell.corner = one.corners[0];
  const Vector a = difference(one.corners[1], cell.corner);
  const Vector b = difference(one.corners[2], cell.corner);
  const Vector c = difference(one.corners[3], cell.corner);
  cell.normals = {cross(b, c), cross(c, a), cross(a, b)};
  for (std::size_t d = 0; d < 3; ++d) cell.volume += a[d] * cell.normals[0][d];
  if (cell.volume <= 0) throw std::runtime_error("a tetrahedron is turned inside out");
  return cell;
}

/// A face of a tetrahedron, opposite one of its corners.
struct Face {
  std::array<std::int64_t, 3> nodes{};  // in rising order
  std::size_t tetrahedron = 0;          // index in the list of all
  std::size_t opposite = 0;
};

std::vector<Face> sorted_faces(const std::vector<Tetrahedron>& all) {
  std::vector<Face> faces;
  for (std::size_t t = 0; t < all.size(); ++t) {
    for (std::size_t opposite = 0; opposite < 4; ++opposite) {
      Face face{{}, t, opposite};
      std::size_t next = 0;
      for (std::size_t i = 0; i < 4; ++i)
        if (i != opposite) face.nodes[next++] = all[t].nodes[i];
      std::ranges::sort(face.nodes);
      faces.push_back(face);
    }
  }
  std::ranges::sort(faces, {}, [](const Face& face) { return face.nodes; });
  return faces;
}

/// By how many lengths of the box a node of both is farther on in the second one.
std::array<std::int8_t, 3> shift_between(const Box& box, const Tetrahedron& a, const Tetrahedron& b,
                                         std::int64_t node) {
  const auto at = [node](const Tetrahedron& one) {
    return one
        .corners[static_cast<std::size_t>(std::ranges::find(one.nodes, node) - one.nodes.begin())];
  };
  const Vector apart = difference(at(b), at(a));
  std::array<std::int8_t, 3> shift{};
  for (std::size_t d = 0; d < 3; ++d) shift[d] = static_cast<std::int8_t>(apart[d] / box.length(d));
  return shift;
}

/// An entry of the matrix before those of several tetrahedra are added up.
struct Summand {
  std::int32_t row = 0;
  std::int64_t node = 0;
  double value = 0;
};

}  // namespace

std::array<std::array<double, 3>, 4> Cell::gradients() const {
  std::array<std::array<double, 3>, 4> all{};
  const double factor = static_cast<double>(units_per_cube) / static_cast<double>(volume);
  for (std::size_t d = 0; d < 3; ++d) {
    for (std::size_t i = 0; i < 3; ++i) all[i + 1][d] = static_cast<double>(normals[i][d]) * factor;
    const std::int64_t rest = -(normals[0][d] + normals[1][d] + normals[2][d]);
    all[0][d] = static_cast<double>(rest) * factor;
  }
  return all;
}

namespace {

/// Makes a piece step by step.
class Assembly {
 public:
  Assembly(const Box& box, Piece& piece)
      : box_(box), piece_(piece), all_(box.tetrahedra_around(piece.number)) {
    add_cells();
    add_nodes();
    join_faces();
    add_exchanges();
    add_matrix();
  }

 private:
  [[nodiscard]] bool is_own(std::int32_t owner) const { return owner == piece_.number; }
  [[nodiscard]] bool touches_own_node(const Tetrahedron& one) const {
    return std::ranges::any_of(one.owners, [this](std::int32_t owner) { return is_own(owner); });
  }

  void add_cells() {
    for (const Tetrahedron& one : all_) {
      shapes_.push_back(shape_of(one));
      local_.push_back(-1);
      if (!is_own(one.owner)) continue;
      local_.back() = static_cast<std::int32_t>(piece_.cells.size());
      piece_.cells.push_back(shapes_.back());
      piece_.ids.push_back(one.id);
    }
  }

  void add_nodes() {
    std::set<std::int64_t> halo;
    for (const Tetrahedron& one : all_) {
      const bool is_needed = is_own(one.owner) || touches_own_node(one);
      for (std::size_t i = 0; i < 4; ++i) {
        if (is_own(one.owners[i])) {
          piece_.own_ids.push_back(one.nodes[i]);
        } else if (is_needed) {
          halo.insert(one.nodes[i]);
        }
      }
    }
    auto& own = piece_.own_ids;
    std::ranges::sort(own);
    own.erase(std::unique(own.begin(), own.end()), own.end());
    for (const std::int64_t id : piece_.own_ids)
      index_[id] = static_cast<std::int32_t>(piece_.nodes++);
    for (const std::int64_t id : halo) index_[id] = static_cast<std::int32_t>(piece_.nodes++);
    for (std::size_t t = 0; t < all_.size(); ++t) {
      if (local_[t] < 0) continue;
      Cell& cell = piece_.cells[static_cast<std::size_t>(local_[t])];
      for (std::size_t i = 0; i < 4; ++i) cell.nodes[i] = index_.at(all_[t].nodes[i]);
    }
  }

  void join_faces() {
    const std::vector<Face> faces = sorted_faces(all_);
    std::size_t joined = 0;
    for (std::size_t i = 0; i + 1 < faces.size(); ++i) {
      if (faces[i].nodes != faces[i + 1].nodes) continue;
      if (i + 2 < faces.size() && faces[i].nodes == faces[i + 2].nodes)
        throw std::runtime_error("more than two tetrahedra have a face in common");
      joined += join(faces[i], faces[i + 1]) + join(faces[i + 1], faces[i]);
      ++i;
    }
    if (joined != 4 * piece_.cells.size())
      throw std::runtime_error("there is nothing beyond a face of a tetrahedron");
  }

  /// Notes what is beyond a face, if its tetrahedron is of this part. Returns 1 if so, else 0.
  std::size_t join(const Face& here, const Face& there) {
    if (local_[here.tetrahedron] < 0) return 0;
    const Tetrahedron& other = all_[there.tetrahedron];
    Across across{local_[there.tetrahedron],
                  shift_between(box_, all_[here.tetrahedron], other, here.nodes[0])};
    if (across.tetrahedron < 0) {
      piece_.beyond.push_back({other.owner, other.id});
      across.tetrahedron = -static_cast<std::int32_t>(piece_.beyond.size());
      neighbours_.insert(other.owner);
    }
    piece_.cells[static_cast<std::size_t>(local_[here.tetrahedron])].across[here.opposite] = across;
    return 1;
  }

  void add_exchanges() {
    using Nodes = std::set<std::int64_t>;
    std::map<std::int32_t, std::pair<Nodes, Nodes>> by_part;
    for (const std::int32_t part : neighbours_) by_part[part];
    for (const Tetrahedron& one : all_) {
      const bool is_needed = is_own(one.owner) || touches_own_node(one);
      for (std::size_t i = 0; i < 4; ++i) {
        if (!is_own(one.owners[i])) {
          if (is_needed) by_part[one.owners[i]].second.insert(one.nodes[i]);
          continue;
        }
        // The others need this node if the tetrahedron, or one of its nodes, is theirs.
        if (!is_own(one.owner)) by_part[one.owner].first.insert(one.nodes[i]);
        for (const std::int32_t owner : one.owners)
          if (!is_own(owner)) by_part[owner].first.insert(one.nodes[i]);
      }
    }
    for (const auto& [part, nodes] : by_part) {
      Exchange exchange{part, {}, {}};
      for (const std::int64_t id : nodes.first) exchange.send.push_back(index_.at(id));
      for (const std::int64_t id : nodes.second) exchange.receive.push_back(index_.at(id));
      piece_.exchanges.push_back(std::move(exchange));
    }
  }

  void add_matrix() {
    std::vector<Summand> summands;
    piece_.own_volumes.resize(piece_.own_count());
    for (std::size_t t = 0; t < all_.size(); ++t) {
      if (!touches_own_node(all_[t])) continue;
      const auto gradients = shapes_[t].gradients();
      const auto edge = static_cast<double>(units_per_cube);
      const double volume = static_cast<double>(shapes_[t].volume) / (6 * edge * edge * edge);
      for (std::size_t i = 0; i < 4; ++i) {
        if (!is_own(all_[t].owners[i])) continue;
        const std::int32_t row = index_.at(all_[t].nodes[i]);
        piece_.own_volumes[static_cast<std::size_t>(row)] += shapes_[t].volume;
        for (std::size_t j = 0; j < 4; ++j) {
          double product = 0;
          for (std::size_t d = 0; d < 3; ++d) product += gradients[i][d] * gradients[j][d];
          summands.push_back({row, all_[t].nodes[j], volume * product});
        }
      }
    }
    std::ranges::stable_sort(summands, {},
                             [](const Summand& one) { return std::tuple(one.row, one.node); });
    piece_.rows.assign(1, 0);
    for (std::size_t i = 0; i < summands.size(); ++i) {
      const bool is_new_row = i > 0 && summands[i].row != summands[i - 1].row;
      if (is_new_row) piece_.rows.push_back(static_cast<std::int64_t>(piece_.entries.size()));
      if (i == 0 || is_new_row || summands[i].node != summands[i - 1].node)
        piece_.entries.push_back({index_.at(summands[i].node), 0});
      piece_.entries.back().value += summands[i].value;
    }
    piece_.rows.push_back(static_cast<std::int64_t>(piece_.entries.size()));
  }

  const Box& box_;
  Piece& piece_;
  const std::vector<Tetrahedron> all_;
  std::vector<Cell> shapes_;                    // of all, without neighbours
  std::vector<std::int32_t> local_;             // index in the piece; -1: of another part
  std::map<std::int64_t, std::int32_t> index_;  // of nodes
  std::set<std::int32_t> neighbours_;           // parts with tetrahedra beyond a face
};

}  // namespace

Piece::Piece(const Box& box, std::int32_t part) : number(part) { Assembly(box, *this); }

std::int32_t Piece::cell_of(std::int64_t id) const {
  const auto found = std::ranges::lower_bound(ids, id);
  if (found == ids.end() || *found != id)
    throw std::out_of_range("tetrahedron " + std::to_string(id) + " is not in part " +
                            std::to_string(number));
  return static_cast<std::int32_t>(found - ids.begin());
}

std::size_t Piece::exchange_with(std::int32_t part) const {
  const auto found = std::ranges::lower_bound(exchanges, part, {}, &Exchange::part);
  if (found == exchanges.end() || found->part != part)
    throw std::out_of_range("part " + std::to_string(part) + " is no neighbour of part " +
                            std::to_string(number));
  return static_cast<std::size_t>(found - exchanges.begin());
}

}  // namespace mini_pic
