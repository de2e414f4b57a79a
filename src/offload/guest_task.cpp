// SPDX-License-Identifier: Apache-2.0
#include "roam/offload/guest_task.hpp"

#include "roam/exec/context.hpp"
#include "roam/offload/guests.hpp"

namespace roam::offload {

GuestTask::GuestTask(Guests& guests, const TaskFunctionRegistrar& function, std::uint64_t token,
                     am::Incoming&& message)
    : guests_(guests),
      function_(function),
      token_(token),
      message_(std::move(message)),
      bytes_(message_.buffer.capacity() + message_.attachment.data.capacity()) {
  priority = Priority::high;  // before the rank's own work: somebody waits (section 6)
}

void GuestTask::run(exec::Context& context) {
  if (!guests_.begin(*this)) {
    delete this;
    return;
  }
  messenger().engine().preemption_point();
  context.execution = this;
  context.label = function_.function().name.text.data();
  begin_ = messenger().engine().now();
  function_.function().run_guest(*this);
  context.execution = nullptr;
  context.finished = this;
}

void GuestTask::finish(exec::Context& context) {
  guests_.computed(context.run_time);
  delete this;
}

std::string GuestTask::describe() const {
  return function_.describe() + " of rank " + std::to_string(home().value());
}

am::Messenger& GuestTask::messenger() const { return guests_.messenger(); }

Returned GuestTask::answer() const {
  return {token_, static_cast<float>(seconds(messenger().engine().now() - begin_)),
          am::ReplyStatus::value};
}

void GuestTask::fail(const std::exception_ptr& error) {
  std::string text =
      function_.describe() + " on rank " + std::to_string(messenger().rank().value()) + ": ";
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& known) {
    text += known.what();
  } catch (...) {
    text += "an exception of unknown type";
  }
  Returned answer = this->answer();
  answer.status = am::ReplyStatus::handler_failed;
  messenger().post_behind(home(), answer, std::type_identity<std::tuple<std::string>>{}, text);
}

}  // namespace roam::offload
