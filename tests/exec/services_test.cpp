// SPDX-License-Identifier: Apache-2.0
// Services are found by their type, however many there are.
#include "roam/exec/detail/services.hpp"

#include <gtest/gtest.h>

#include <tuple>
#include <utility>

namespace roam::exec::services_test {

namespace {

template <int N>
struct Part {
  int number = N;
};

template <int... N>
void each_has_a_place_of_its_own(std::integer_sequence<int, N...>) {
  Services services;
  std::tuple<Part<N>...> parts;
  EXPECT_TRUE(((services.get<Part<N>>() == nullptr) && ...));
  (services.set(&std::get<Part<N>>(parts)), ...);
  EXPECT_TRUE(((services.get<Part<N>>() == &std::get<Part<N>>(parts)) && ...));
  services.set<Part<0>>(nullptr);
  EXPECT_EQ(services.get<Part<0>>(), nullptr);
  EXPECT_EQ(services.get<Part<1>>(), &std::get<Part<1>>(parts));
}

TEST(Services, each_type_has_a_place_of_its_own) {
  each_has_a_place_of_its_own(std::make_integer_sequence<int, 100>{});
}

TEST(Services, ranks_have_parts_of_their_own) {
  Services first;
  Services second;
  Part<0> part;
  first.set(&part);
  EXPECT_EQ(second.get<Part<0>>(), nullptr);
}

}  // namespace

}  // namespace roam::exec::services_test
