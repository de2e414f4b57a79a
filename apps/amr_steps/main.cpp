// SPDX-License-Identifier: Apache-2.0
#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

#include <roam/roam.hpp>
#include <string>

#include "program.hpp"
#include "report.hpp"
#include "settings.hpp"

namespace {

roam::Task<> run(roam::Runtime& rt, const amr_steps::Settings& settings) {
  amr_steps::Result result;
  co_await amr_steps::run_steps(rt, settings, result);
  if (rt.rank() != 0) co_return;
  amr_steps::write_csv(settings, result);
  amr_steps::write_json(settings, result, rt.size(), rt.workers());
  amr_steps::print_report(settings, result, rt.size(), rt.workers());
  const double alone =
      amr_steps::least_seconds(settings, rt.size(), rt.workers(), settings.steps - 1).alone;
  const double speedup = alone / amr_steps::usual_step_seconds(settings, result);
  if (speedup >= settings.least_speedup) co_return;
  throw roam::Error("the speed-up is " + std::to_string(speedup) + ", less than " +
                    std::to_string(settings.least_speedup));
}

}  // namespace

int main(int argc, char** argv) {
#ifdef __GLIBC__
  // Each cell's result is new memory. By default the C library gives it back to the system as soon
  // as the result is used, and touching it anew costs a tenth of a task's time
  // (docs/offloading.md).
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
  return roam::main(argc, argv, amr_steps::read_settings, run);
}
