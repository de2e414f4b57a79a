// SPDX-License-Identifier: Apache-2.0
#include "exchange.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace roam::placement {

namespace {

// Partners that an overloaded rank looks at before it gives up; small machines are searched
// completely.
constexpr std::size_t most_partners = 64;
// Objects of a rank that take part; if it has more, a selection evenly spread over the sizes.
constexpr std::size_t most_objects = 48;
// The most exchanges of one rank.
constexpr int most_exchanges = 64;

struct Sized {
  double seconds;
  ObjectIndex object;
};

/// No, one or two objects of a rank, taken together.
struct Bundle {
  double seconds = 0;
  std::array<ObjectIndex, 2> objects{};
  std::uint8_t count = 0;
};

struct Exchange {
  std::size_t partner = SIZE_MAX;
  Bundle given;
  Bundle taken;
  double left = std::numeric_limits<double>::infinity();  // rest of the excess
  int new_moves = 0;
  double slack_left = 0;

  /// Compares by closeness to the limit; then by objects away from home; then by tightness of fit.
  [[nodiscard]] bool is_better_than(const Exchange& other) const {
    if (left != other.left) return left < other.left;
    if (new_moves != other.new_moves) return new_moves < other.new_moves;
    return slack_left < other.slack_left;
  }
};

class Exchanger {
 public:
  Exchanger(const LoadGraph& graph, RankWork& work, Placement& placement, bool is_thorough,
            core::Random& random)
      : graph_(graph),
        work_(work),
        placement_(placement),
        is_thorough_(is_thorough),
        random_(random),
        objects_(work.ranks()),
        bundles_(work.ranks()) {
    for (std::size_t i = 0; i < graph.size(); ++i) {
      if (!graph.is_pinned(i)) {
        objects_[rank_of(static_cast<ObjectIndex>(i))].push_back(static_cast<ObjectIndex>(i));
      }
    }
  }

  void run() {
    std::vector<std::size_t> overloaded;
    for (std::size_t r = 0; r < work_.ranks(); ++r) {
      (work_.slack(r) < 0 ? overloaded : partners_).push_back(r);
    }
    // The most overloaded rank first, since it then has most partners to choose from.
    std::ranges::stable_sort(overloaded, {}, [&](std::size_t r) { return work_.slack(r); });
    for (const std::size_t r : overloaded) {
      for (int i = 0; i < most_exchanges && work_.slack(r) < 0; ++i) {
        if (!exchange_one(r)) break;
      }
      partners_.push_back(r);
    }
  }

 private:
  [[nodiscard]] std::size_t rank_of(ObjectIndex object) const {
    return static_cast<std::size_t>(placement_[object]);
  }

  /// The bundles of a rank, sorted by size: nothing, each object, and each pair of objects.
  const std::vector<Bundle>& bundles(std::size_t r) {
    if (bundles_[r].empty()) bundles_[r] = make_bundles(r);
    return bundles_[r];
  }
  [[nodiscard]] std::vector<Bundle> make_bundles(std::size_t r) const {
    std::vector<Sized> sized;
    for (const ObjectIndex object : objects_[r]) sized.push_back({graph_.seconds[object], object});
    std::ranges::sort(sized, {}, [](const Sized& s) { return std::pair(s.seconds, s.object); });
    if (sized.size() > most_objects) {
      std::vector<Sized> some;
      for (std::size_t k = 0; k < most_objects; ++k) {
        some.push_back(sized[k * (sized.size() - 1) / (most_objects - 1)]);
      }
      sized = std::move(some);
    }
    std::vector<Bundle> result{{}};
    for (std::size_t i = 0; i < sized.size(); ++i) {
      result.push_back({sized[i].seconds, {sized[i].object}, 1});
      for (std::size_t j = 0; j < i; ++j) {
        result.push_back(
            {sized[i].seconds + sized[j].seconds, {sized[i].object, sized[j].object}, 2});
      }
    }
    std::ranges::stable_sort(result, {}, &Bundle::seconds);
    return result;
  }

  /// How many more objects are away from home if `bundle` goes from one rank to the other.
  [[nodiscard]] int new_moves(const Bundle& bundle, std::size_t from, std::size_t to) const {
    int moves = 0;
    for (std::uint8_t k = 0; k < bundle.count; ++k) {
      const auto home = static_cast<std::size_t>(graph_.rank[bundle.objects[k]]);
      moves += static_cast<int>(home == from) - static_cast<int>(home == to);
    }
    return moves;
  }

  void look_at(std::size_t r, const std::vector<Bundle>& given, std::size_t partner,
               Exchange& best) {
    const double excess = -work_.slack(r);
    const double room = work_.slack(partner);
    if (room <= 0) return;
    // What r gives may exceed what it takes by at most the partner's slack: the smallest difference
    // that suffices is looked for, or else the largest. Both lists are sorted, so one pass over
    // them is enough.
    auto at = given.begin();
    for (const Bundle& take : bundles(partner)) {
      const double wanted = take.seconds + std::min(excess, room);
      while (at != given.end() && at->seconds < wanted) ++at;
      consider(r, partner, at, given.end(), take, excess, room, best);
      if (at != given.begin()) {
        consider(r, partner, std::prev(at), given.end(), take, excess, room, best);
      }
    }
  }

  using Iterator = std::vector<Bundle>::const_iterator;
  void consider(std::size_t r, std::size_t partner, Iterator given, Iterator end,
                const Bundle& taken, double excess, double room, Exchange& best) const {
    // The next few bundles of nearly this size may do the same with fewer moves.
    for (int tries = 0; tries < 4 && given != end; ++tries, ++given) {
      const double shift = given->seconds - taken.seconds;
      if (shift > room) return;
      if (shift <= excess * 1e-9) continue;
      const Exchange candidate{partner,
                               *given,
                               taken,
                               std::max(0.0, excess - shift),
                               new_moves(*given, r, partner) + new_moves(taken, partner, r),
                               room - shift};
      if (candidate.is_better_than(best)) best = candidate;
    }
  }

  bool exchange_one(std::size_t r) {
    const std::vector<Bundle>& given = bundles(r);
    const bool all = partners_.size() <= most_partners;
    const std::size_t partners = all ? partners_.size() : most_partners;
    Exchange best;
    for (std::size_t k = 0; k < partners && (best.left > 0 || is_thorough_); ++k) {
      look_at(r, given, partners_[all ? k : random_.below(partners_.size())], best);
    }
    if (best.partner == SIZE_MAX) return false;
    apply(best.given, r, best.partner);
    apply(best.taken, best.partner, r);
    bundles_[r].clear();
    bundles_[best.partner].clear();
    return true;
  }

  void apply(const Bundle& bundle, std::size_t from, std::size_t to) {
    for (std::uint8_t k = 0; k < bundle.count; ++k) {
      const ObjectIndex object = bundle.objects[k];
      std::erase(objects_[from], object);
      objects_[to].push_back(object);
      placement_[object] = static_cast<std::int32_t>(to);
      work_.move(graph_.seconds[object], from, to);
    }
  }

  const LoadGraph& graph_;
  RankWork& work_;
  Placement& placement_;
  const bool is_thorough_;
  core::Random& random_;
  std::vector<std::vector<ObjectIndex>> objects_;
  std::vector<std::vector<Bundle>> bundles_;  // empty: not computed since the last change
  std::vector<std::size_t> partners_;
};

}  // namespace

void exchange(const LoadGraph& graph, RankWork& work, Placement& placement, bool is_thorough,
              core::Random& random) {
  Exchanger(graph, work, placement, is_thorough, random).run();
}

void bring_home(const LoadGraph& graph, RankWork& work, Placement& placement) {
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (placement[i] == graph.rank[i]) continue;
    const auto home = static_cast<std::size_t>(graph.rank[i]);
    if (work.slack(home) < graph.seconds[i]) continue;
    work.move(graph.seconds[i], static_cast<std::size_t>(placement[i]), home);
    placement[i] = graph.rank[i];
  }
}

}  // namespace roam::placement
