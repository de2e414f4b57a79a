// SPDX-License-Identifier: Apache-2.0
#pragma once

// Messenger with all that its templates need: what programs and the rooms above send with.
#include "roam/am/detail/messenger_class.hpp"
#include "roam/am/detail/program_messages.hpp"
#include "roam/am/detail/system_handlers.hpp"
