// SPDX-License-Identifier: Apache-2.0
// EXPECT: a parameter of a handler cannot be a non-const reference
// ERRORS: 1
#include <roam/roam.hpp>

#include <string>

struct Widget {
  int size = 0;
  void copy_to(std::string& target) { target = std::to_string(size); }
};

auto bad(roam::mobile_ptr<Widget> widget) {
  std::string name;
  return widget.call<&Widget::copy_to>(name);
}
