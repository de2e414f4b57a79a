// SPDX-License-Identifier: Apache-2.0
// The name of a header that strategies written for Roam before it had the room placement include.
#pragma once

#include "roam/balance/strategy.hpp"
