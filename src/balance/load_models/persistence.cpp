// SPDX-License-Identifier: Apache-2.0
// Persistence (Kale): the next phase will be like this one.
#include "roam/balance/load_models.hpp"

namespace roam::balance {
namespace {

class Persistence final : public PhaseModel {
 public:
  [[nodiscard]] double expect(const mobile::ResidentView&, double seconds, Past&) const override {
    return seconds;
  }
  [[nodiscard]] std::string name() const override { return "persistence"; }
};

const LoadModelRegistrar persistence_registrar{
    {.name = "persistence",
     .description = "the next phase is like this one",
     .parameters = {},
     .create = [](const plugin::Parameters&) -> std::unique_ptr<PhaseModel> {
       return std::make_unique<Persistence>();
     }}};

}  // namespace
}  // namespace roam::balance
