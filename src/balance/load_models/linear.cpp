// SPDX-License-Identifier: Apache-2.0
// A line fitted to the last phases by least squares and extended by one phase (vt's LinearModel):
// for work that grows or shrinks steadily.
#include <algorithm>

#include "roam/balance/load_models.hpp"
#include "window.hpp"

namespace roam::balance {
namespace {

double next_on_line(const PhaseModel::Past& values) {
  const auto count = static_cast<double>(values.size());
  const double middle = (count - 1) / 2;
  double mean = 0;
  double slope = 0;
  double spread = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double offset = static_cast<double>(i) - middle;
    mean += values[i] / count;
    slope += offset * values[i];
    spread += offset * offset;
  }
  return spread > 0 ? mean + slope / spread * (count - middle) : mean;
}

class Linear final : public PhaseModel {
 public:
  explicit Linear(std::size_t phases) : phases_(phases) {}
  [[nodiscard]] double expect(const mobile::ResidentView&, double seconds,
                              Past& past) const override {
    keep_last(past, seconds, phases_);
    return std::max(0.0, next_on_line(past));
  }
  [[nodiscard]] bool remembers() const override { return true; }
  [[nodiscard]] std::string name() const override { return "linear"; }

 private:
  const std::size_t phases_;
};

const LoadModelRegistrar linear_registrar{
    {.name = "linear",
     .description = "the line through the last phases, one phase on; never below 0",
     .parameters = {{.name = "phases",
                     .description = "how many",
                     .default_value = "4",
                     .minimum = 2,
                     .maximum = 1000,
                     .is_integer = true}},
     .create = [](const plugin::Parameters& parameters) -> std::unique_ptr<PhaseModel> {
       return std::make_unique<Linear>(static_cast<std::size_t>(parameters.integer("phases")));
     }}};

}  // namespace
}  // namespace roam::balance
