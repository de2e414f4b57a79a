// SPDX-License-Identifier: Apache-2.0
#include "roam/offload/detail/guest_task.hpp"

#include <algorithm>

namespace roam::offload {

GuestTask::GuestTask(am::Messenger& messenger, const TaskFunctionRegistrar& function,
                     std::uint64_t token, double expected_seconds, am::Incoming&& message)
    : messenger_(messenger),
      function_(function),
      token_(token),
      expected_seconds_(expected_seconds),
      message_(std::move(message)),
      bytes_(message_.buffer.capacity() + message_.attachment.data.capacity()) {}

void GuestTask::run() {
  begin_ = messenger_.engine().now();
  function_.function().run_guest(*this);
}

std::string GuestTask::describe() const {
  return function_.describe() + " of rank " + std::to_string(home().value());
}

Returned GuestTask::answer() const {
  // Two threads may read a clock, or a sum over workers, in either order.
  const auto of = [](Duration time) {
    return static_cast<float>(seconds(std::max(time, Duration::zero())));
  };
  return {.token = token_,
          .seconds = of(messenger_.engine().now() - begin_),
          .waited = of(begin_ - arrived_),
          .starved = of(starved_)};
}

void GuestTask::fail(const std::exception_ptr& error) {
  std::string text =
      function_.describe() + " on rank " + std::to_string(messenger_.rank().value()) + ": ";
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& known) {
    text += known.what();
  } catch (...) {
    text += "an exception of unknown type";
  }
  Returned answer = this->answer();
  answer.status = am::ReplyStatus::handler_failed;
  messenger_.post_behind(home(), answer, std::type_identity<std::tuple<std::string>>{}, text);
}

}  // namespace roam::offload
