// SPDX-License-Identifier: Apache-2.0
// Shared libraries as users may build them by mistake: each is this file with one of the macros.
#include <algorithm>

#include "roam/balance/plugin_library.hpp"
#include "roam/offload/strategy.hpp"
#include "roam/transport/in_process.hpp"
#include "roam/transport/registry.hpp"
#if defined(ROAM_PLUGIN_TASKS)
#include "roam/offload/offload.hpp"
#endif

namespace {

using namespace roam::balance;

#if defined(ROAM_PLUGIN_GOOD)
#if defined(ROAM_PLUGIN_OF_CLANG)
constexpr const char* model_name = "model_of_clang";
#else
constexpr const char* model_name = "model_of_a_library";
#endif
class ShortestQueue final : public roam::exec::Scheduler {
 public:
  void push(roam::WorkerIndex, roam::exec::ReadyItem*) override {}
  roam::exec::ReadyItem* pop(roam::WorkerIndex) override { return nullptr; }
};
const SchedulerRegistrar scheduler{
    {.name = "of_a_library",
     .description = "takes all and gives nothing",
     .parameters = {},
     .create = [](const Parameters&, roam::WorkerIndex) -> std::unique_ptr<roam::exec::Scheduler> {
       return std::make_unique<ShortestQueue>();
     }}};
const PolicyRegistrar policy{
    {.name = "policy_of_a_library",
     .description = "does nothing",
     .parameters = {{.name = "number",
                     .description = "of no meaning",
                     .default_value = "1",
                     .minimum = 0,
                     .maximum = 2}},
     .create = [](const Parameters&, PolicyHost&) { return std::unique_ptr<Policy>(); }}};
class Times final : public PhaseModel {
 public:
  explicit Times(double factor) : factor_(factor) {}
  double expect(const roam::mobile::ResidentView&, double seconds, Past&) const override {
    return factor_ * seconds;
  }
  std::string name() const override { return model_name; }

 private:
  const double factor_;
};
const LoadModelRegistrar load_model{
    {.name = model_name,
     .description = "times a factor",
     .parameters = {{.name = "factor",
                     .description = "seconds for each that was measured",
                     .default_value = "2",
                     .minimum = 0,
                     .maximum = 10}},
     .create = [](const Parameters& parameters) -> std::unique_ptr<PhaseModel> {
       return std::make_unique<Times>(parameters.number("factor"));
     }}};
#elif defined(ROAM_PLUGIN_UNNAMED) || defined(ROAM_PLUGIN_SEVERAL)
std::unique_ptr<Policy> make_none(const Parameters&, PolicyHost&) { return nullptr; }
#if defined(ROAM_PLUGIN_UNNAMED)
const PolicyRegistrar policy{{.name = "that_nobody_names",
                              .description = "does nothing",
                              .parameters = {},
                              .create = make_none}};
#else
const PolicyRegistrar one{
    {.name = "one_of_two", .description = "does nothing", .parameters = {}, .create = make_none}};
const PolicyRegistrar other{
    {.name = "two_of_two", .description = "does nothing", .parameters = {}, .create = make_none}};
#endif
#elif defined(ROAM_PLUGIN_OTHER_LAYOUT)
// As another version of Roam may have them.
struct OtherPolicyKind {
  std::string name;
  std::string description;
  std::vector<Parameter> parameters;
  double more[4] = {};
};
struct OtherModelKind : OtherPolicyKind {};
#elif defined(ROAM_PLUGIN_TRANSPORT)
const roam::transport::NetworkRegistrar transport{
    {.name = "transport_of_a_library",
     .description = "in one process, however many ranks are asked for",
     .create =
         [](const roam::transport::NetworkRequest&) -> std::unique_ptr<roam::transport::Network> {
       return std::make_unique<roam::transport::InProcessNetwork>(3);
     },
     .detected = nullptr}};
#elif defined(ROAM_PLUGIN_OFFLOADER)
// [strategy]
/// Half of what the busiest rank has spawned may go to the next one.
class HalfToTheNext final : public roam::offload::Strategy {
 public:
  std::vector<roam::offload::Quota> decide(const roam::offload::StepView& step) override {
    const auto most = std::ranges::max_element(step.ranks, {}, &roam::offload::RankStep::tasks);
    const auto from = static_cast<std::int32_t>(most - step.ranks.begin());
    const auto tasks = static_cast<std::uint32_t>(most->tasks / 2);
    if (tasks == 0) return {};
    return {{from, (from + 1) % static_cast<std::int32_t>(step.ranks.size()), tasks}};
  }
};
const roam::offload::StrategyRegistrar offloader{
    {.name = "half_to_the_next",
     .description = "half of the tasks of the rank with most",
     .parameters = {},
     .create = [](const roam::plugin::Parameters&,
                  std::int32_t) -> std::unique_ptr<roam::offload::Strategy> {
       return std::make_unique<HalfToTheNext>();
     }}};
// [strategy]
#elif defined(ROAM_PLUGIN_TASKS)
int number_and_rank(int number) {
  roam::here().compute(std::chrono::microseconds(100));
  return 100 * number + roam::here().rank().value();
}
#elif defined(ROAM_PLUGIN_TWICE)
const LoadModelRegistrar load_model{
    {.name = "median",
     .description = "there is one already",
     .parameters = {},
     .create = [](const Parameters&) { return std::unique_ptr<PhaseModel>(); }}};
const PolicyRegistrar policy{
    {.name = "diffusion",
     .description = "there is one already",
     .parameters = {},
     .create = [](const Parameters&, PolicyHost&) { return std::unique_ptr<Policy>(); }}};
#endif

}  // namespace

#if defined(ROAM_PLUGIN_OTHER_LAYOUT)
template <>
struct roam::plugin::Family<OtherPolicyKind> : Family<PolicyKind> {
  static constexpr std::uint64_t layout = layout_of<OtherPolicyKind>();
};
template <>
struct roam::plugin::Family<OtherModelKind> : Family<LoadModelKind> {
  static constexpr std::uint64_t layout = layout_of<OtherModelKind>();
};
const roam::plugin::Registrar<OtherPolicyKind> policy{
    {.name = "larger", .description = "", .parameters = {}}};
const roam::plugin::Registrar<OtherModelKind> load_model{
    {{.name = "larger", .description = "", .parameters = {}}}};
#endif

#if defined(ROAM_PLUGIN_GOOD)
const PluginLibrary roam_plugin{
    .balancer = "policy_of_a_library", .scheduler = "of_a_library", .load_model = model_name};
#elif defined(ROAM_PLUGIN_TWICE)
const PluginLibrary roam_plugin{.balancer = "diffusion", .load_model = "median"};
#elif defined(ROAM_PLUGIN_OTHER_INTERFACE)
const PluginLibrary roam_plugin{.stamp = {.interface = roam::plugin::library_interface + 1},
                                .balancer = "diffusion"};
#elif defined(ROAM_PLUGIN_OTHER_LAYOUT)
const PluginLibrary roam_plugin{.balancer = "larger", .load_model = "larger"};
#elif defined(ROAM_PLUGIN_OTHER_COMPILER)
const PluginLibrary roam_plugin{.stamp = {.compiler = "Another 1"}, .balancer = "diffusion"};
#elif defined(ROAM_PLUGIN_EMPTY) || defined(ROAM_PLUGIN_UNNAMED) ||   \
    defined(ROAM_PLUGIN_SEVERAL) || defined(ROAM_PLUGIN_TRANSPORT) || \
    defined(ROAM_PLUGIN_OFFLOADER)
const PluginLibrary roam_plugin{};
#elif defined(ROAM_PLUGIN_TASKS)
/// Spawns tasks of this library; the test finds it by its name.
extern "C" void spawn_tasks_of_library(roam::Runtime& rank, int tasks,
                                       std::vector<roam::offload::Result<int>>& results) {
  for (int i = 0; i < tasks; ++i)
    results.push_back(roam::offload::spawn<&number_and_rank>(rank, i));
}
#elif defined(ROAM_PLUGIN_UNREGISTERED)
const PluginLibrary roam_plugin{.balancer = "never_registered", .load_model = "nor_this"};
#elif defined(ROAM_PLUGIN_UNRESOLVED)
extern "C" const char* defined_nowhere();
const PluginLibrary roam_plugin{.balancer = defined_nowhere()};
#endif
