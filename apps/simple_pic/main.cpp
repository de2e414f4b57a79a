// SPDX-License-Identifier: Apache-2.0
// Particles that move through a periodic box of patches, as a flow program: DARMA's SimplePIC. Each
// step moves all particles and then passes those that have left a patch on until all are in place;
// at the ends of phases, elements of the collection of patches move between ranks. At the end every
// particle is compared with the position that follows from its number.
#include <algorithm>
#include <array>
#include <cereal/types/array.hpp>
#include <roam/flow/flow.hpp>
#include <roam/roam.hpp>
#include <utility>

#include "patch.hpp"
#include "settings.hpp"
#include "support/balance_summary.hpp"

namespace simple_pic {

namespace {

namespace flow = roam::flow;
using Left = flow::Reduce<std::int64_t, std::plus<>>;

/// Time to move a particle on a simulated machine; about as measured on the machine of
/// docs/performance.md.
constexpr roam::Duration particle_time = std::chrono::nanoseconds(40);

struct Outcome {
  Streamed streamed;
  support::BalanceSummary balance;
};

void start(flow::Out<Patch> patch, roam::Index<3> at, const Box& box) {
  *patch = Patch(box, {at[0], at[1], at[2]});
}

template <std::size_t>
using Leaving = flow::Out<Particles>;
template <std::size_t>
using Coming = const Particles&;

/// The operations on the patches of the box. What leaves through each side is a collection of its
/// own, so that a neighbour on another rank is sent what goes there and nothing else. S...: the
/// sides of a patch.
template <class Sides = std::make_index_sequence<patch_sides>>
class Patches;

template <std::size_t... S>
class Patches<std::index_sequence<S...>> {
 public:
  Patches(flow::Flow& fl, const Box& box)
      : fl_(fl),
        patches_(
            fl.collection<Patch>(roam::Index<3>(box.patches[0], box.patches[1], box.patches[2]))
                .named("patches")),
        leaving_{(static_cast<void>(S),
                  fl.collection<Particles>(patches_.extent()).named("migrants"))...},
        left_(fl.data<std::int64_t>().named("left")) {
    fl.for_each<&start>(patches_.own(), patches_.index(), box);
  }

  /// Moves all particles by a step.
  void move(int sign, bool is_simulated) {
    fl_.template for_each<&Patches::move_patch>(patches_.own(), leaving_[S].own()..., sign,
                                                is_simulated, left_);
  }
  /// Passes those that have left their patch on to the next one.
  void pass_on() {
    fl_.for_each(
        {.name = "take"},
        [](Patch& patch, Coming<S>... coming, Leaving<S>... leaving, Left left) {
          Migrants others;
          (patch.take(coming, others), ...);
          hand_over(others, leaving..., left);
        },
        patches_.own(), beyond(S)..., leaving_[S].own()..., left_);
  }
  /// How many have left their patch, in the last of these operations.
  [[nodiscard]] auto left() { return left_.get(); }

  [[nodiscard]] roam::Task<Found> check(const Box& box, std::int64_t steps) {
    const auto found = fl_.template data<Found>();
    fl_.for_each([](const Patch& patch, const Box& of, std::int64_t after,
                    flow::Reduce<Found, std::plus<>> sum) { sum(patch.check(of, after)); },
                 patches_.own(), box, steps, found);
    co_return co_await found.get();
  }

 private:
  static void hand_over(Migrants& from, Leaving<S>... leaving, Left left) {
    left(from.count());
    ((*leaving = std::move(from.through[S])), ...);
  }
  static void move_patch(Patch& patch, Leaving<S>... leaving, int sign, bool is_simulated,
                         Left left) {
    if (is_simulated) roam::here().compute(particle_time * static_cast<std::int64_t>(patch.size()));
    Migrants migrants = patch.move(sign);
    hand_over(migrants, leaving..., left);
  }

  /// What has left the neighbour beyond a side towards this patch, as an argument.
  [[nodiscard]] auto beyond(std::size_t side) const {
    std::array<int, 3> offset{};
    offset[side / 2] = side % 2 == 0 ? -1 : 1;
    return leaving_[side ^ 1U].at(offset[0], offset[1], offset[2]).periodic();
  }

  flow::Flow& fl_;
  flow::Collection<Patch, 3> patches_;
  std::array<flow::Collection<Particles, 3>, patch_sides> leaving_;
  flow::Handle<std::int64_t> left_;
};

roam::Task<Outcome> stream(roam::Runtime& rt, flow::Flow& fl, const Settings& settings) {
  const bool is_simulated = rt.is_simulated();
  Patches<> patches(fl, settings.box);
  co_await fl.done();
  co_await rt.barrier();
  const roam::Instant begin = rt.now();
  Outcome outcome;
  std::int64_t at_step = 0;
  for (int step = 0; step < settings.steps; ++step) {
    const int sign = settings.sign_of(step);
    at_step += sign;
    patches.move(sign, is_simulated);
    int rounds = 0;
    for (std::int64_t count = co_await patches.left(); count > 0; count = co_await patches.left()) {
      if (rounds++ == 0) outcome.streamed.migrants += count;
      patches.pass_on();
    }
    outcome.streamed.most_rounds = std::max(outcome.streamed.most_rounds, rounds);
    if ((step + 1) % settings.phase_steps != 0 || step + 1 == settings.steps) continue;
    outcome.balance.note(co_await fl.phase());
  }
  co_await fl.done();
  co_await rt.barrier();
  outcome.streamed.seconds = roam::seconds(rt.now() - begin);
  outcome.streamed.found = co_await patches.check(settings.box, at_step);
  co_return outcome;
}

roam::Task<> run(roam::Runtime& rt, const Settings& settings) {
  flow::Flow fl(rt);
  const Outcome outcome = co_await stream(rt, fl, settings);
  if (rt.rank() != 0) co_return;
  report(settings, outcome.streamed);
  outcome.balance.print("patches");
}

}  // namespace

}  // namespace simple_pic

int main(int argc, char** argv) {
  return roam::main(argc, argv, simple_pic::read_settings, simple_pic::run);
}
