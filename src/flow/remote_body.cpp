// SPDX-License-Identifier: Apache-2.0
#include "roam/flow/detail/remote_body.hpp"

namespace roam::flow {

namespace {
// Written during static initialisation, and while a library is loaded, only.
constinit const RemoteBody* last_body = nullptr;
}  // namespace

RemoteBody::RemoteBody(const char* name, Run run)
    : name_(name),
      run_(run),
      number_(last_body == nullptr ? 1 : last_body->number_ + 1),
      next_(last_body) {
  last_body = this;
}

// Programs have tens of them, and a task that is sent to another rank takes far longer than this.
const RemoteBody* RemoteBody::find(std::uint32_t number) {
  for (const RemoteBody* one = last_body; one != nullptr; one = one->next_) {
    if (one->number_ == number) return one;
  }
  return nullptr;
}

}  // namespace roam::flow
