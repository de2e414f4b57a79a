// SPDX-License-Identifier: Apache-2.0
// Shared libraries as users may build them by mistake: each is this file with one of the macros.
#include "roam/balance/plugin_library.hpp"

namespace {

using namespace roam::balance;

#if defined(ROAM_PLUGIN_GOOD)
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
  std::string name() const override { return "model_of_a_library"; }

 private:
  const double factor_;
};
const LoadModelRegistrar load_model{
    {.name = "model_of_a_library",
     .description = "times a factor",
     .parameters = {{.name = "factor",
                     .description = "seconds for each that was measured",
                     .default_value = "2",
                     .minimum = 0,
                     .maximum = 10}},
     .create = [](const Parameters& parameters) -> std::unique_ptr<PhaseModel> {
       return std::make_unique<Times>(parameters.number("factor"));
     }}};
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

#if defined(ROAM_PLUGIN_GOOD)
const PluginLibrary roam_plugin{.balancer = "policy_of_a_library",
                                .scheduler = "of_a_library",
                                .load_model = "model_of_a_library"};
#elif defined(ROAM_PLUGIN_TWICE)
const PluginLibrary roam_plugin{.balancer = "diffusion", .load_model = "median"};
#elif defined(ROAM_PLUGIN_OTHER_INTERFACE)
const PluginLibrary roam_plugin{.interface = plugin_interface + 1, .balancer = "diffusion"};
#elif defined(ROAM_PLUGIN_OTHER_LAYOUT)
const PluginLibrary roam_plugin{.layout = plugin_layout() + 1, .balancer = "diffusion"};
#elif defined(ROAM_PLUGIN_EMPTY)
const PluginLibrary roam_plugin{};
#elif defined(ROAM_PLUGIN_UNREGISTERED)
const PluginLibrary roam_plugin{.balancer = "never_registered", .load_model = "nor_this"};
#elif defined(ROAM_PLUGIN_UNRESOLVED)
extern "C" const char* defined_nowhere();
const PluginLibrary roam_plugin{.balancer = defined_nowhere()};
#endif
