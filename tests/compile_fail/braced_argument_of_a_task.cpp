// SPDX-License-Identifier: Apache-2.0
// EXPECT: give_this_argument_a_name_because_gcc_12_would_destroy_a_temporary_twice.*Shape
// ERRORS: 1
#include <roam/offload/offload.hpp>
#include <roam/roam.hpp>

#include <string>

struct Shape {
  std::string name;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(name);
  }
};

int measure(const Shape& shape) { return static_cast<int>(shape.name.size()); }

roam::Task<int> bad(roam::Runtime& rt) {
  co_return co_await roam::offload::spawn<&measure>(rt, Shape{"a triangle"});
}
