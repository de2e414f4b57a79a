// SPDX-License-Identifier: Apache-2.0
#include "roam/exec/context.hpp"

namespace roam::exec {

namespace {
thread_local Context* current_context = nullptr;
}  // namespace

Context* current() { return current_context; }

Scope::Scope(Context* context) : previous_(current_context) { current_context = context; }

Scope::~Scope() { current_context = previous_; }

}  // namespace roam::exec
