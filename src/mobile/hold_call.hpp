// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roam/mobile/call.hpp"

namespace roam::mobile {

/// An exclusive call that brings its object to a rank and keeps it there, running nothing, until
/// its holder releases it (M9).
class HoldCall final : public Call {
 public:
  HoldCall(ObjectSpace& space, am::Messenger& messenger, const CallHeader& header, Rank where,
           std::uint64_t holder)
      : Call(space, messenger, descriptor(), header), where_(where), holder_(holder) {}
  void invoke(exec::Context& context, void* object) override;
  void pack_arguments(core::Packer& packer) const override;
  [[nodiscard]] static const Method& descriptor();

  [[nodiscard]] Rank where() const { return where_; }
  [[nodiscard]] std::uint64_t holder() const { return holder_; }
  /// The object has not yet been sent there for it by this rank.
  [[nodiscard]] bool first_try() const { return tries_ == 0; }
  /// The object was sent there and came back, or is to be sent for the first time.
  [[nodiscard]] bool may_try_again() { return ++tries_ <= most_tries; }

 private:
  static constexpr int most_tries = 16;
  Rank where_;
  std::uint64_t holder_;
  int tries_ = 0;
};

}  // namespace roam::mobile
