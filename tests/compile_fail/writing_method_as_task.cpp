// SPDX-License-Identifier: Apache-2.0
// EXPECT: what is computed by a task is a const method, or a function whose first parameter is a const reference
#include <roam/offload/as_task.hpp>
#include <roam/roam.hpp>

struct Widget {
  int size = 0;
  void resize(int to) { size = to; }
};

void bad(roam::mobile_ptr<Widget> widget) {
  widget.send<roam::offload::as_task<&Widget::resize>>(3);
}
