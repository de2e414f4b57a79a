// SPDX-License-Identifier: Apache-2.0
// A strip of a mesh is refined together with its neighbours, so that cells side by side differ by
// one level of refinement at most: a multicast brings the three strips to one rank and holds them
// for the handler. Many run at once and overlap; none deadlocks.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <roam/roam.hpp>
#include <vector>

struct Strip {
  std::vector<int> levels = std::vector<int>(64, 0);  // of refinement, cell by cell
  std::vector<int> copy() const { return levels; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(levels);
  }
};

// Refines one cell to a level, then others until neighbours differ by one at most. Returns how many
// changed.
int refine(roam::Gathered<Strip> strips, int cell, int level) {
  std::vector<int*> cells;  // of all strips, side by side
  for (Strip& strip : strips) {
    for (int& l : strip.levels) cells.push_back(&l);
  }
  const auto at =
      cells.size() / strips.size() * (strips.size() / 2) + static_cast<std::size_t>(cell);
  if (*cells[at] >= level) return 0;
  *cells[at] = level;
  int changed = 1;
  for (std::size_t distance = 1; distance < cells.size(); ++distance) {
    const int least = level - static_cast<int>(distance);
    for (const std::size_t i : {at - distance, at + distance}) {
      if (i >= cells.size() || *cells[i] >= least) continue;
      *cells[i] = least;
      ++changed;
    }
  }
  return changed;
}

roam::Task<> program(roam::Runtime& rt) {
  constexpr int count = 24;
  std::vector<roam::mobile_ptr<Strip>> strips;
  if (rt.rank() == 0) {
    for (int i = 0; i < count; ++i) {
      strips.push_back(rt.create<Strip>());
      strips.back().migrate(i * rt.size() / count);
    }
    for (int i = 0; i < 500; ++i) {
      const auto middle = static_cast<std::size_t>(1 + i * 7 % (count - 2));
      const std::vector<roam::mobile_ptr<Strip>> three(
          strips.begin() + static_cast<std::ptrdiff_t>(middle) - 1,
          strips.begin() + static_cast<std::ptrdiff_t>(middle) + 2);
      rt.multicast<&refine>(three, i * 13 % 64, 1 + i % 20);
    }
  }
  co_await rt.quiescence();
  std::vector<int> mesh;
  for (const auto& strip : strips) {
    const std::vector<int> levels = co_await strip.call<&Strip::copy>();
    mesh.insert(mesh.end(), levels.begin(), levels.end());
  }
  if (rt.rank() != 0) co_return;
  int steepest = 0;
  for (std::size_t i = 1; i < mesh.size(); ++i)
    steepest = std::max(steepest, std::abs(mesh[i] - mesh[i - 1]));
  std::printf("%zu cells, finest level %d, neighbours differ by %d at most\n", mesh.size(),
              *std::max_element(mesh.begin(), mesh.end()), steepest);
  if (steepest > 1) throw roam::Error("the mesh is not graded");
}

int main(int argc, char** argv) { return roam::run(argc, argv, program); }
