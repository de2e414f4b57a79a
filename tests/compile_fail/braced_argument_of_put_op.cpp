// SPDX-License-Identifier: Apache-2.0
// EXPECT: give_this_argument_a_name_because_gcc_12_would_destroy_a_temporary_twice.*Shape
// ERRORS: 1
#include <roam/roam.hpp>

#include <span>
#include <string>

struct Shape {
  std::string name;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(name);
  }
};

void fill(std::span<int> landed, const Shape& shape) {
  landed[0] = static_cast<int>(shape.name.size());
}

roam::Task<> bad(roam::Runtime& rt, roam::remote_ptr<int> there, std::span<const int> from) {
  co_await rt.memory().put_op<&fill>(there, from, Shape{"a triangle"});
}
