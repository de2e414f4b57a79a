// SPDX-License-Identifier: Apache-2.0
// EXPECT: give_this_argument_a_name_because_gcc_12_would_destroy_a_temporary_twice.*Shape
// ERRORS: 1
#include <roam/roam.hpp>

#include <string>

struct Shape {
  std::string name;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(name);
  }
};

roam::Task<> bad(roam::Runtime& rt) { const auto all = co_await rt.allgather(Shape{"a triangle"}); }
