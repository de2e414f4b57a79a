// SPDX-License-Identifier: Apache-2.0
// EXPECT: without_a_header_of_cereal.*map.*cereal_types_map_hpp
// ERRORS: 1
#include <map>
#include <roam/roam.hpp>
#include <string>

void count(const std::map<std::string, int>&) {}

void bad(roam::Runtime& rt) { rt.send<&count>(1, std::map<std::string, int>{}); }
