// SPDX-License-Identifier: Apache-2.0
#include "roam/testing/check.hpp"

#include "roam/core/error.hpp"
#include "roam/exec/engine.hpp"

namespace roam::testing {

[[gnu::noinline]] Probe* current_probe() {
  const exec::Context* const context = exec::current();
  return context == nullptr ? nullptr : context->engine->services().get<Probe>();
}

void check(bool holds, std::string_view what) {
  if (holds) return;
  Probe* const probe = current_probe();
  if (probe == nullptr) throw Error("a check failed: " + std::string(what));
  probe->violated(what);
}

void* current_state() {
  Probe* const probe = current_probe();
  void* const state = probe == nullptr ? nullptr : probe->state();
  if (state == nullptr)
    throw Error(
        "roam::testing::state() is for handlers and main programs of a schedule whose "
        "scenario has a state");
  return state;
}

}  // namespace roam::testing
