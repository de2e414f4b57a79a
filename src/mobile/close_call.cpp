// SPDX-License-Identifier: Apache-2.0
#include "close_call.hpp"

#include "owners.hpp"
#include "roam/core/error.hpp"
#include "roam/mobile/detail/object_space.hpp"

namespace roam::mobile {

namespace {
Call* make_close_call(ObjectSpace& space, const Method&, const CallHeader& header, core::Buffer&&,
                      std::size_t, core::Attachment&& attachment) {
  if (attachment.data) throw MalformedMessage("the method takes no array");
  return new CloseCall(space, space.messenger(), header);
}
const Method close_method{{"roam.close", "roam.close"}, nullptr, false, &make_close_call};
}  // namespace

const Method& CloseCall::descriptor() { return close_method; }

void CloseCall::invoke(exec::Context& context, void*) {
  space_.owners().forgetting.close_stream(*resident, Rank(header_.origin));
  context.finished = this;
}

}  // namespace roam::mobile
