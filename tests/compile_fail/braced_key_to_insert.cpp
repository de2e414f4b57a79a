// SPDX-License-Identifier: Apache-2.0
// EXPECT: give_this_argument_a_name_because_gcc_12_would_destroy_a_temporary_twice.*Shape
// ERRORS: 1
#include <roam/roam.hpp>

#include <string>

struct Shape {
  std::string name;
  friend bool operator==(const Shape&, const Shape&) = default;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(name);
  }
};

struct Count {
  int times = 0;
  void seen() { ++times; }
  int get() const { return times; }
};

roam::Task<bool> bad(const roam::sparse_collection<Count, Shape>& counts) {
  co_return co_await counts.insert(Shape{"a triangle"});
}
