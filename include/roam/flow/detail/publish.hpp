// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roam/flow/collection.hpp"
#include "roam/flow/publications.hpp"

namespace roam::flow::detail {

/// Issues a task that reads the datum and publishes its value. `is_frozen`: fetches of one rank
/// share it.
void publish(Scope& scope, Datum& datum, const ElementType& type, const Key& key, Readers readers,
             bool is_frozen, const SourceLine& where);
/// Makes a datum, with a reference for the caller; a task gives it the value published under this
/// key.
[[nodiscard]] Datum* fetch(Scope& scope, const ElementType& type, const Key& key,
                           const SourceLine& where);

}  // namespace roam::flow::detail
