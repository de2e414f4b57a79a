// SPDX-License-Identifier: Apache-2.0
#include "roam/core/detail/type_name.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace roam_type_name_test {
struct Mesh {
  void refine(double) {}
  int quality() const { return 0; }
};
template <class T, int N>
struct Pair {};
inline void helper(int) {}
}  // namespace roam_type_name_test

namespace roam::core::type_name_test {
namespace {

using roam_type_name_test::Mesh;
using roam_type_name_test::Pair;

TEST(TypeName, is_the_name_in_the_program) {
  static_assert(type_name<int>() == "int");
  static_assert(type_name<Mesh>() == "roam_type_name_test::Mesh");
  EXPECT_EQ((type_name<Pair<Mesh, 3>>()),
            "roam_type_name_test::Pair<roam_type_name_test::Mesh, 3>");
  EXPECT_NE(type_name<std::vector<int>>(), type_name<std::vector<long>>());
  EXPECT_NE(type_name<const Mesh>(), type_name<Mesh>());
}

TEST(TypeName, names_functions_and_members) {
  EXPECT_NE(value_name<&Mesh::refine>().find("Mesh::refine"), std::string_view::npos)
      << value_name<&Mesh::refine>();
  EXPECT_NE(value_name<&Mesh::quality>().find("Mesh::quality"), std::string_view::npos);
  EXPECT_NE(value_name<&roam_type_name_test::helper>().find("helper"), std::string_view::npos);
  EXPECT_NE(value_name<&Mesh::refine>(), value_name<&Mesh::quality>());
}

TEST(TypeName, fnv1a_is_the_published_hash) {
  static_assert(fnv1a("") == 0xcbf29ce484222325ULL);
  static_assert(fnv1a("a") == 0xaf63dc4c8601ec8cULL);
  static_assert(fnv1a("foobar") == 0x85944171f73967e8ULL);
}

}  // namespace
}  // namespace roam::core::type_name_test
