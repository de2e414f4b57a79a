// SPDX-License-Identifier: Apache-2.0
#include "roam/mobile/detail/directory.hpp"

#include <unordered_map>

namespace roam::mobile {

struct HeldCalls::Calls {
  std::unordered_map<ObjectId, CallQueue> of_object;
};

HeldCalls::HeldCalls() = default;
HeldCalls::~HeldCalls() = default;

std::size_t HeldCalls::size() const { return calls_ ? calls_->of_object.size() : 0; }

bool HeldCalls::contains(ObjectId id) const { return calls_ && calls_->of_object.contains(id); }

void HeldCalls::begin(ObjectId id) {
  if (!calls_) calls_ = core::make_owned<Calls>();
  calls_->of_object.try_emplace(id);
}

CallQueue& HeldCalls::of(ObjectId id) { return calls_->of_object.find(id)->second; }

std::optional<CallQueue> HeldCalls::end(ObjectId id) {
  if (!contains(id)) return std::nullopt;
  const auto found = calls_->of_object.find(id);
  const CallQueue held = found->second;
  calls_->of_object.erase(found);
  if (calls_->of_object.empty()) calls_.reset();
  return held;
}

void HeldCalls::for_each(void (*visit)(CallQueue& queue)) {
  if (!calls_) return;
  for (auto& [id, queue] : calls_->of_object) visit(queue);
}

Directory::Directory(std::size_t shards) : count_(shards), shards_(new Shard[shards]()) {}

Directory::~Directory() = default;

}  // namespace roam::mobile
