// SPDX-License-Identifier: Apache-2.0
#include "roam/balance/registry.hpp"

namespace roam::balance {
namespace {

const PolicyRegistrar registrar{
    {.name = "none",
     .description = "objects stay where they are",
     .parameters = {},
     .create = [](const Parameters&, PolicyHost&) { return std::unique_ptr<Policy>(); }}};

}  // namespace
}  // namespace roam::balance
