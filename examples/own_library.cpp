// SPDX-License-Identifier: Apache-2.0
// A balancing strategy in a shared library, for programs that know nothing of it:
//   example_own_strategy --roam-ranks 4 --roam-balancer ./libexample_own_library.so:first=2
// [library]
#include <roam/balance/plugin_library.hpp>

namespace {

/// Round robin over the ranks from `first` on, by the objects' order.
class FromRank final : public roam::placement::Strategy {
 public:
  explicit FromRank(std::int32_t first) : first_(first) {}
  roam::placement::Placement place(const roam::placement::LoadGraph& graph,
                                   const roam::Machine& machine) const override {
    roam::placement::Placement placement = graph.rank;
    const std::int32_t first = std::min(first_, machine.ranks - 1);
    for (std::size_t i = 0; i < graph.size(); ++i) {
      const auto step = static_cast<std::int32_t>(i % static_cast<std::size_t>(machine.ranks));
      if (!graph.is_pinned(i)) placement[i] = first + step % (machine.ranks - first);
    }
    return placement;
  }

 private:
  const std::int32_t first_;
};

const roam::placement::StrategyRegistrar registrar{
    {.name = "from_rank",
     .description = "round robin over the last ranks",
     .parameters = {{.name = "first",
                     .description = "the first rank that gets objects",
                     .default_value = "0",
                     .minimum = 0,
                     .maximum = 1e6,
                     .is_integer = true}},
     .create = [](const roam::plugin::Parameters& parameters)
         -> std::unique_ptr<roam::placement::Strategy> {
       return std::make_unique<FromRank>(parameters.integer("first"));
     }}};

}  // namespace

const roam::balance::PluginLibrary roam_plugin{.balancer = "from_rank"};
// [library]
