// SPDX-License-Identifier: Apache-2.0
// The median of the last phases: a phase that differs from the others does not count (vt's
// PersistenceMedianLastN).
#include <algorithm>

#include "roam/balance/load_models.hpp"
#include "window.hpp"

namespace roam::balance {
namespace {

double median_of(PhaseModel::Past values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  if (values.size() % 2 == 1) return values[middle];
  return values[middle - 1] + (values[middle] - values[middle - 1]) / 2;
}

class Median final : public PhaseModel {
 public:
  explicit Median(std::size_t phases) : phases_(phases) {}
  [[nodiscard]] double expect(const mobile::ResidentView&, double seconds,
                              Past& past) const override {
    keep_last(past, seconds, phases_);
    return median_of(past);
  }
  [[nodiscard]] bool remembers() const override { return true; }
  [[nodiscard]] std::string name() const override { return "median"; }

 private:
  const std::size_t phases_;
};

const LoadModelRegistrar median_registrar{
    {.name = "median",
     .description = "the median of the last phases; an outlier does not count",
     .parameters = {{.name = "phases",
                     .description = "how many",
                     .default_value = "5",
                     .minimum = 1,
                     .maximum = 1000,
                     .is_integer = true}},
     .create = [](const plugin::Parameters& parameters) -> std::unique_ptr<PhaseModel> {
       return std::make_unique<Median>(static_cast<std::size_t>(parameters.integer("phases")));
     }}};

}  // namespace
}  // namespace roam::balance
