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
  std::int32_t home;
};

/// No, one or two objects of a rank, taken together.
struct Bundle {
  static constexpr std::int32_t nobody = -1;
  double seconds = 0;
  std::array<ObjectIndex, 2> objects{};
  std::array<std::int32_t, 2> homes{nobody, nobody};  // beside them: they are asked for most
  std::uint8_t count = 0;
};

/// Better is the one closest to the limit; then with fewest objects away from home; then the
/// tightest fit.
struct Exchange {
  std::size_t partner = SIZE_MAX;
  Bundle given;
  Bundle taken;
  double left = std::numeric_limits<double>::infinity();  // rest of the excess
  int new_moves = 0;
  double slack_left = 0;
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
    for (const ObjectIndex object : objects_[r]) {
      sized.push_back({graph_.seconds[object], object, graph_.rank[object]});
    }
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
      result.push_back({sized[i].seconds, {sized[i].object}, {sized[i].home, Bundle::nobody}, 1});
      for (std::size_t j = 0; j < i; ++j) {
        result.push_back({sized[i].seconds + sized[j].seconds,
                          {sized[i].object, sized[j].object},
                          {sized[i].home, sized[j].home},
                          2});
      }
    }
    std::ranges::stable_sort(result, {}, &Bundle::seconds);
    return result;
  }

  /// How many more objects are away from home if `bundle` goes from one rank to the other.
  [[nodiscard]] static int new_moves(const Bundle& bundle, std::size_t from, std::size_t to) {
    int moves = 0;
    for (const std::int32_t home : bundle.homes) {
      moves += static_cast<int>(home == static_cast<std::int32_t>(from)) -
               static_cast<int>(home == static_cast<std::int32_t>(to));
    }
    return moves;
  }

  void look_at(std::size_t r, const std::vector<Bundle>& given, std::size_t partner,
               Exchange& best) {
    const double excess = -work_.slack(r);
    const double room = work_.slack(partner);
    // However much it takes, what is left is no less than this.
    if (room <= 0 || excess - room > best.left) return;
    // Less than this is not worth an exchange.
    const double least = excess * 1e-9;
    // What r gives may exceed what it takes by at most the partner's slack: the smallest difference
    // that suffices is looked for, or else the largest. Both lists are sorted, so one pass over
    // them is enough.
    auto at = given.begin();
    for (const Bundle& take : bundles(partner)) {
      const double wanted = take.seconds + std::min(excess, room);
      while (at != given.end() && at->seconds < wanted) ++at;
      // The next few bundles of nearly this size may do the same with fewer moves.
      for (auto next = at; next != given.end() && next - at < 4; ++next) {
        const double shift = next->seconds - take.seconds;
        if (shift > room) break;
        if (shift <= least) continue;
        consider(r, partner, *next, take, excess, room, best);
      }
      if (at == given.begin()) continue;
      const double less = std::prev(at)->seconds - take.seconds;
      if (less > least && less <= room) {
        consider(r, partner, *std::prev(at), take, excess, room, best);
      }
      // What r can give at most is less than what else the partner could.
      if (at == given.end() && less <= least) return;
    }
  }

  /// Notes the exchange if it is better than the best so far. What is given is more than what is
  /// taken, and fits into the partner's room.
  static void consider(std::size_t r, std::size_t partner, const Bundle& given, const Bundle& taken,
                       double excess, double room, Exchange& best) {
    const double shift = given.seconds - taken.seconds;
    const double left = std::max(0.0, excess - shift);
    if (left > best.left) return;  // most are
    const int moves = new_moves(given, r, partner) + new_moves(taken, partner, r);
    const double slack_left = room - shift;
    if (left == best.left &&
        (moves > best.new_moves || (moves == best.new_moves && slack_left >= best.slack_left))) {
      return;
    }
    best = {partner, given, taken, left, moves, slack_left};
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
