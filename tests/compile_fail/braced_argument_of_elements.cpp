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

struct Drawing {
  Drawing() = default;
  explicit Drawing(const Shape& s) : shape(s) {}
  Shape shape;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(shape);
  }
};

roam::Task<> bad(roam::Runtime& rt) {
  const roam::Index<1> extent{4};
  const auto row = co_await rt.create_collection<Drawing>(extent, roam::Placement::cyclic(),
                                                          Shape{"a triangle"});
}
