// SPDX-License-Identifier: Apache-2.0
// EXPECT: these_arguments_do_not_match_the_parameters_of_the_handler.*Widget
#include <roam/roam.hpp>

struct Widget {
  int size = 0;
  void resize(int to) { size = to; }
};

auto bad(roam::mobile_ptr<Widget> widget) { return widget.call<&Widget::resize>(); }
