// SPDX-License-Identifier: Apache-2.0
// Multiplies by a factor: for phases that are known to become longer, or models with other units.
#include "roam/balance/load_models.hpp"

namespace roam::balance {
namespace {

class Scale final : public PhaseModel {
 public:
  explicit Scale(double factor) : factor_(factor) {}
  [[nodiscard]] double expect(const mobile::ResidentView&, double seconds, Past&) const override {
    return factor_ * seconds;
  }
  [[nodiscard]] std::string name() const override { return "scale"; }

 private:
  const double factor_;
};

const LoadModelRegistrar scale_registrar{
    {.name = "scale",
     .description = "times a factor",
     .parameters = {{.name = "factor",
                     .description = "seconds for each unit of the model before it",
                     .default_value = "1",
                     .minimum = 0,
                     .maximum = 1e12}},
     .create = [](const plugin::Parameters& parameters) -> std::unique_ptr<PhaseModel> {
       return std::make_unique<Scale>(parameters.number("factor"));
     }}};

}  // namespace
}  // namespace roam::balance
