// SPDX-License-Identifier: Apache-2.0
// Types and functions that compilers print alike are told apart (A6).
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "roam/core/detail/type_name.hpp"

namespace roam_symbols_test {
struct Box {
  void put(int) {}
  void put(double) {}
  void put(int) const {}
  template <class T>
  void add(T) {}
  template <class T>
  void clear() {}
  template <int N>
  void step() {}
  static void make(int) {}
  static void make(double) {}
};
template <class T>
struct Shelf {
  void fill() {}
};
inline void mix(int) {}
inline void mix(double) {}
template <class T>
void stir() {}
template <auto Method>
void apply() {}
}  // namespace roam_symbols_test

namespace roam::core::type_symbols_test {
namespace {

using roam_symbols_test::apply;
using roam_symbols_test::Box;
using roam_symbols_test::mix;
using roam_symbols_test::Shelf;
using roam_symbols_test::stir;

TEST(TypeSymbols, A6_overloads_and_template_arguments_belong_to_a_function) {
  const std::string_view symbols[] = {
      value_symbol<static_cast<void (Box::*)(int)>(&Box::put)>(),
      value_symbol<static_cast<void (Box::*)(double)>(&Box::put)>(),
      value_symbol<static_cast<void (Box::*)(int) const>(&Box::put)>(),
      value_symbol<&Box::add<int>>(),
      value_symbol<&Box::add<double>>(),
      value_symbol<&Box::clear<int>>(),
      value_symbol<&Box::clear<double>>(),
      value_symbol<&Box::step<1>>(),
      value_symbol<&Box::step<2>>(),
      value_symbol<static_cast<void (*)(int)>(&Box::make)>(),
      value_symbol<static_cast<void (*)(double)>(&Box::make)>(),
      value_symbol<&Shelf<int>::fill>(),
      value_symbol<&Shelf<Box>::fill>(),
      value_symbol<static_cast<void (*)(int)>(&mix)>(),
      value_symbol<static_cast<void (*)(double)>(&mix)>(),
      value_symbol<&stir<int>>(),
      value_symbol<&stir<double>>(),
      value_symbol<&apply<&Box::add<int>>>(),
      value_symbol<&apply<&Box::add<double>>>(),
      value_symbol<&apply<static_cast<void (Box::*)(int)>(&Box::put)>>(),
      value_symbol<&apply<static_cast<void (Box::*)(double)>(&Box::put)>>()};
  const std::set<std::string_view> different(std::begin(symbols), std::end(symbols));
  EXPECT_EQ(different.size(), std::size(symbols));
  // Reports tell them apart, too, except for overloads as template arguments, which are the last
  // two.
  std::set<std::string> readable;
  for (const std::string_view symbol : symbols) readable.insert(readable_symbol(symbol));
  EXPECT_GE(readable.size(), std::size(symbols) - 1);
}

TEST(TypeSymbols, A6_types_that_are_printed_alike_differ) {
  const auto more = [](int a, int b) { return a > b ? a : b; };
  const auto less = [](int a, int b) { return a < b ? a : b; };
  EXPECT_NE(type_symbol<decltype(more)>(), type_symbol<decltype(less)>());
  EXPECT_NE(type_symbol<const Box>(), type_symbol<Box>());
  EXPECT_NE(type_symbol<Shelf<int>>(), type_symbol<Shelf<long>>());
}

TEST(TypeSymbols, are_readable_in_reports) {
  EXPECT_EQ(readable_symbol(type_symbol<Shelf<int>>()), "roam_symbols_test::Shelf<int>");
  EXPECT_EQ(readable_symbol(value_symbol<static_cast<void (Box::*)(int) const>(&Box::put)>()),
            "roam_symbols_test::Box::put(int) const");
  EXPECT_EQ(readable_symbol(value_symbol<static_cast<void (*)(double)>(&mix)>()),
            "roam_symbols_test::mix(double)");
  EXPECT_EQ(readable_symbol(value_symbol<&Box::add<int>>()),
            "void roam_symbols_test::Box::add<int>(int)");
  EXPECT_EQ(readable_symbol("roam.reply"), "roam.reply");
  EXPECT_EQ(readable_symbol("4Type"), "4Type");
}

}  // namespace
}  // namespace roam::core::type_symbols_test
