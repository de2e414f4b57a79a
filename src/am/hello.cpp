// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "roam/am/messenger.hpp"

namespace roam::am {

// Every rank sends hash, build and names of its handlers to its parent in the binary tree of ranks;
// a parent that differs names the ranks and the first differing handler. Equality along all edges
// is equality of all (A6).
void Messenger::announce_handlers() {
  if (rank_ == 0) return;
  const Rank parent((rank_.value() - 1) / 2);
  std::vector<std::string> names;
  for (const auto name : table_.names()) names.emplace_back(name);
  core::Packer packer = begin();
  core::pack(packer, table_.hash(), std::string(build_id()), names);
  post(parent, constant_handler_id("roam.hello"), std::move(packer), false);
}

void Messenger::on_hello(void* self, Incoming&& message) {
  auto& messenger = *static_cast<Messenger*>(self);
  core::Unpacker bytes(message.payload());
  if (core::unpack<std::uint64_t>(bytes) == messenger.table_.hash()) return;
  const auto their_build = core::unpack<std::string>(bytes);
  const auto theirs = core::unpack<std::vector<std::string>>(bytes);
  const auto ours = messenger.table_.names();
  const auto [mine, other] = std::mismatch(ours.begin(), ours.end(), theirs.begin(), theirs.end());
  const std::string first = mine == ours.end() || (other != theirs.end() && *other < *mine)
                                ? (other == theirs.end() ? std::string("(none)") : *other)
                                : std::string(*mine);
  const std::string report =
      "ranks " + std::to_string(messenger.rank_.value()) + " and " +
      std::to_string(message.source.value()) + " do not run the same program: " +
      (their_build != build_id() ? "one was built as \"" + std::string(build_id()) +
                                       "\", the other as \"" + their_build + "\""
                                 : "the first handler that only one of them has is " + first);
  if (messenger.on_failure_) messenger.on_failure_(report);
}

}  // namespace roam::am
