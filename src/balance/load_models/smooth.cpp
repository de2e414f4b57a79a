// SPDX-License-Identifier: Apache-2.0
// An exponential moving average: follows slow changes and dampens noise.
#include "roam/balance/load_models.hpp"

namespace roam::balance {
namespace {

class Smooth final : public PhaseModel {
 public:
  explicit Smooth(double weight) : weight_(weight) {}
  [[nodiscard]] double expect(const mobile::ResidentView&, double seconds,
                              Past& past) const override {
    if (past.empty()) past.push_back(seconds);
    past.front() += weight_ * (seconds - past.front());
    return past.front();
  }
  [[nodiscard]] bool remembers() const override { return true; }
  [[nodiscard]] std::string name() const override { return "smooth"; }

 private:
  const double weight_;
};

const LoadModelRegistrar smooth_registrar{
    {.name = "smooth",
     .description = "a moving average in which older phases count ever less",
     .parameters = {{.name = "weight",
                     .description = "of the last phase; that of the average before it is the rest",
                     .default_value = "0.5",
                     .minimum = 0.001,
                     .maximum = 1}},
     .create = [](const plugin::Parameters& parameters) -> std::unique_ptr<PhaseModel> {
       return std::make_unique<Smooth>(parameters.number("weight"));
     }}};

}  // namespace
}  // namespace roam::balance
