// SPDX-License-Identifier: Apache-2.0
// EXPECT: these_arguments_do_not_match_the_parameters_of_the_handler.*Widget.*int.*double
// ERRORS: 1
#include <roam/roam.hpp>

struct Widget {
  int size = 0;
  void resize(int to) { size = to; }
};

void bad(roam::mobile_ptr<Widget> widget) { widget.send<&Widget::resize>(2.7); }
