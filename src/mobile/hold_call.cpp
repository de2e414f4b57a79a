// SPDX-License-Identifier: Apache-2.0
#include "hold_call.hpp"

#include <string>

#include "owners.hpp"
#include "roam/core/error.hpp"
#include "roam/mobile/detail/object_space.hpp"

namespace roam::mobile {

namespace {
Call* make_hold_call(ObjectSpace& space, const Method&, const CallHeader& header,
                     core::Buffer&& message, std::size_t offset, core::Attachment&& attachment) {
  if (attachment.data) throw MalformedMessage("the method takes no array");
  core::Unpacker bytes(message.bytes().subspan(offset));
  const Rank where(core::unpack<std::int32_t>(bytes));
  const auto holder = core::unpack<std::uint64_t>(bytes);
  if (where.value() < 0 || where.value() >= space.messenger().size())
    throw MalformedMessage("a rank to hold an object on that does not exist");
  return new HoldCall(space, space.messenger(), header, where, holder);
}
const Method hold_method{{"roam.hold", "roam.hold"}, nullptr, true, &make_hold_call};
}  // namespace

const Method& HoldCall::descriptor() { return hold_method; }

void HoldCall::pack_arguments(core::Packer& packer) const {
  core::pack(packer, where_.value(), holder_);
}

void HoldCall::invoke(exec::Context& context, void*) {
  Holders& holders = space_.owners().holders;
  if (where_ == space_.rank()) return holders.begin(*this);
  const std::string refusal = first_try() ? std::string() : holders.refusal_of(*resident);
  if (refusal.empty() && may_try_again()) {
    context.execution = nullptr;  // it is a call that waits, again
    return holders.bring_to_holder(*this);
  }
  messenger().answer_failure(
      reply_to(), am::ReplyStatus::handler_failed,
      "object " + to_string(ObjectId(header_.object)) + " could not be brought to rank " +
          std::to_string(where_.value()) +
          (refusal.empty() ? ", which refused it " + std::to_string(most_tries) + " times"
                           : ": " + refusal));
  context.finished = this;
}

}  // namespace roam::mobile
