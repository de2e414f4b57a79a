// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Everything a program needs: roam::run, roam::main, roam::Runtime, roam::here, roam::mobile_ptr,
/// roam::Task, roam::Session.
#include "roam/core/version.hpp"
#include "roam/mobile/mobile_ptr.hpp"
#include "roam/runtime/main.hpp"
#include "roam/runtime/run.hpp"
#include "roam/runtime/runtime.hpp"
#include "roam/runtime/session.hpp"
