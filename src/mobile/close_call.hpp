// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roam/mobile/call.hpp"

namespace roam::mobile {

/// The last call of a rank that is going to forget an object. It comes after all others that the
/// rank has issued, so that the object may forget the rank.
class CloseCall final : public Call {
 public:
  CloseCall(ObjectSpace& space, am::Messenger& messenger, const CallHeader& header)
      : Call(space, messenger, descriptor(), header) {}
  void invoke(exec::Context& context, void* object) override;
  void pack_arguments(core::Packer&) const override {}
  [[nodiscard]] static const Method& descriptor();
};

}  // namespace roam::mobile
