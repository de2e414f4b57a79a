// SPDX-License-Identifier: Apache-2.0
// The old name of a header, included by strategies that were written before the room placement
// existed.
#pragma once

#include "roam/balance/strategy.hpp"
