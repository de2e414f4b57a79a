// SPDX-License-Identifier: Apache-2.0
#include "uq/report.hpp"

#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace uq {

void check(const Settings& settings, const Outcome& outcome) {
  const Ensemble& ensemble = settings.ensemble;
  const Statistics& found = outcome.statistics;
  const auto samples = static_cast<double>(outcome.rounds * ensemble.samples_of_round());
  if (found.count != samples) throw std::runtime_error("samples are missing");
  const double h = 1 / static_cast<double>(ensemble.elements);
  const Moments exact = ensemble.field.exact_moments();
  const double off = std::abs(found.mean - exact.mean);
  if (!(off <= 5 * found.error() + h * h * exact.mean))
    throw std::runtime_error("the mean differs from the closed form by " + std::to_string(off));
  const double variance_off = std::abs(found.variance() - exact.variance);
  if (!(variance_off <= 5 * exact.error_of_variance(samples) + h * h * exact.variance))
    throw std::runtime_error("the variance differs from the closed form by " +
                             std::to_string(variance_off));
}

void report(const Settings& settings, const Outcome& outcome) {
  const Statistics& found = outcome.statistics;
  const Moments exact = settings.ensemble.field.exact_moments();
  std::printf("ranks                  %14d\n", outcome.ranks);
  std::printf("elements               %14" PRId64 "\n", settings.ensemble.elements);
  std::printf("samples                %14.0f   in %" PRId64 " rounds\n", found.count,
              outcome.rounds);
  std::printf("mean of u(1/2)         %20.17g\n", found.mean);
  std::printf("closed form            %20.17g   differs by %.3g: %.2f standard errors\n",
              exact.mean, found.mean - exact.mean, (found.mean - exact.mean) / found.error());
  std::printf("variance               %20.17g\n", found.variance());
  std::printf("closed form            %20.17g   differs by %.3g: %.2f standard errors\n",
              exact.variance, found.variance() - exact.variance,
              (found.variance() - exact.variance) / exact.error_of_variance(found.count));
  std::printf("time                   %14.6f s\n", outcome.seconds);
  std::printf("rate                   %14.1f thousand samples/s\n",
              1e-3 * found.count / outcome.seconds);
}

}  // namespace uq
