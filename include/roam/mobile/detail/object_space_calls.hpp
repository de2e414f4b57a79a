// SPDX-License-Identifier: Apache-2.0
// Templates of calls that need the whole ObjectSpace; object_space.hpp includes it.
#pragma once

#include <utility>

#include "roam/mobile/detail/object_space.hpp"

namespace roam::mobile {

template <auto F, class... A>
auto ObjectSpace::call(ObjectId id, const CallOptions& options, A&&... arguments) {
  using R = am::ResultOf<typename detail::TraitsOf<F>::Result>;
  auto [pending, reply_to] = messenger().expect_reply(core::value_name<F>().data(), id);
  am::Reply<R> reply(pending);
  if (options.deadline > Duration::zero())
    messenger().requests().cancel_after(options.deadline, reply_to.token);
  send<F>(id, options, reply_to, std::forward<A>(arguments)...);
  return reply;
}

namespace detail {
template <auto F>
Call* make_wire_call(ObjectSpace& space, const Method& method, const CallHeader& header,
                     core::Buffer&& message, std::size_t offset, core::Attachment&& attachment) {
  if (attachment.data && !core::has_array_parameter<typename TraitsOf<F>::Arguments>)
    throw MalformedMessage("the method takes no array");
  return WireCall<F>::create(space.issued().memory(), space, space.messenger(), method, header,
                             std::move(message), offset, std::move(attachment));
}
}  // namespace detail

}  // namespace roam::mobile
