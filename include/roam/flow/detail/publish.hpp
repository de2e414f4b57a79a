// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roam/flow/collection.hpp"
#include "roam/flow/publications.hpp"

namespace roam::flow::detail {

/// Issues a task that reads the datum and publishes its value.
void publish(Scope& scope, Datum& datum, const ElementType& type, const Key& key, Readers readers,
             const SourceLine& where);
/// A new datum, with a reference for the caller; a task gives it what is published as that.
[[nodiscard]] Datum* fetch(Scope& scope, const ElementType& type, const Key& key,
                           const SourceLine& where);

}  // namespace roam::flow::detail
