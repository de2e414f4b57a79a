// SPDX-License-Identifier: Apache-2.0
// A load model in a shared library, for programs that know nothing of it:
//   example_own_strategy --roam-ranks 4 --roam-balancer refine
//     --roam-load-model ./libexample_own_load_model.so:phases=2
#include <algorithm>
#include <roam/balance/plugin_library.hpp>

namespace {

// [model]
/// The longest of the last phases: a rank gets no more than it can do in the worst case.
class Longest final : public roam::balance::PhaseModel {
 public:
  explicit Longest(std::size_t phases) : phases_(phases) {}
  double expect(const roam::mobile::ResidentView&, double seconds, Past& past) const override {
    if (past.size() == phases_) past.erase(past.begin());
    past.push_back(seconds);
    return std::ranges::max(past);
  }
  bool remembers() const override { return true; }
  std::string name() const override { return "longest"; }

 private:
  const std::size_t phases_;
};
// [model]

// [registration]
const roam::balance::LoadModelRegistrar registrar{
    {.name = "longest",
     .description = "the longest of the last phases",
     .parameters = {{.name = "phases",
                     .description = "how many",
                     .default_value = "3",
                     .minimum = 1,
                     .maximum = 1000,
                     .is_integer = true}},
     .create = [](const roam::balance::Parameters& parameters)
         -> std::unique_ptr<roam::balance::PhaseModel> {
       return std::make_unique<Longest>(static_cast<std::size_t>(parameters.integer("phases")));
     }}};
// [registration]

}  // namespace

// [library]
const roam::balance::PluginLibrary roam_plugin{.load_model = "longest"};
// [library]
