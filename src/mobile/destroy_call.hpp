// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roam/mobile/call.hpp"

namespace roam::mobile {

/// The end of an object: an exclusive call that keeps its place in the order of calls (M8).
class DestroyCall final : public Call {
 public:
  DestroyCall(ObjectSpace& space, am::Messenger& messenger, const CallHeader& header)
      : Call(space, messenger, descriptor(), header) {}
  void invoke(exec::Context& context, void*) override { context.finished = this; }
  void pack_arguments(core::Packer&) const override {}
  [[nodiscard]] static const Method& descriptor() { return method; }

 private:
  static const Method method;
};

}  // namespace roam::mobile
