// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roam/mobile/call.hpp"

namespace roam::mobile {

/// An exclusive call that brings its object to a rank and holds it there, where nothing else runs
/// on it until its holder releases it (M9).
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
  /// True if this rank has not yet sent the object there for this call.
  [[nodiscard]] bool first_try() const { return tries_ == 0; }
  /// Called when the object is to be sent there, for the first time or after it came back. True if
  /// that may be done once more.
  [[nodiscard]] bool may_try_again() { return ++tries_ <= most_tries; }

 private:
  static constexpr int most_tries = 16;
  Rank where_;
  std::uint64_t holder_;
  int tries_ = 0;
};

}  // namespace roam::mobile
