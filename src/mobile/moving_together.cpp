// SPDX-License-Identifier: Apache-2.0
// Small objects that move to one rank together: their hand-overs (migration.cpp) share a message
// there and its answer, and are as independent of each other as if each had its own.
#include <cstring>
#include <utility>

#include "roam/core/error.hpp"
#include "roam/mobile/object_space.hpp"
#include "roam/mobile/resident.hpp"

namespace roam::mobile {

namespace {

// What is larger goes alone: its array need not be copied then, and latency matters little.
constexpr std::uint64_t largest_object = 16384;
// Others can be unpacked while more are packed.
constexpr std::size_t full_message = 65536;

}  // namespace

std::vector<ObjectId> ObjectSpace::migrate_idle(std::span<const ObjectId> ids, Rank target) {
  std::vector<ObjectId> stay;
  std::vector<Resident*> packed;
  core::Buffer message;
  for (const ObjectId id : ids) {
    Resident* const resident = begin_idle_transit(id, target);
    if (resident == nullptr) {
      stay.push_back(id);
      continue;
    }
    engine().preemption_point();
    if (resident->record.packed_bytes > largest_object || ids.size() == 1) {
      transfer(*resident);
      continue;
    }
    if (packed.empty()) message = messenger_.begin(full_message / 4).take();
    const std::size_t begin = message.size();
    // A packer of its own: one recognises what it has packed before, and the target unpacks each
    // object by itself.
    core::Packer packer(std::move(message));
    const std::uint64_t placeholder = 0;
    packer.write(&placeholder, sizeof placeholder);
    const bool leaves = pack_to_leave(packer, nullptr, *resident);
    message = packer.take();
    if (!leaves) {
      message.set_size(begin);
      continue;
    }
    const std::uint64_t length = message.size() - begin - sizeof length;
    std::memcpy(message.data() + begin, &length, sizeof length);
    resident->record.packed_bytes = length;
    resident->uncommon().message_objects = 0;
    count_leaving(*resident, 1);
    packed.push_back(resident);
    if (message.size() >= full_message)
      transfer_together(std::exchange(packed, {}), std::exchange(message, {}));
  }
  if (!packed.empty()) transfer_together(std::move(packed), std::move(message));
  return stay;
}

// The message is the objects one after the other, each behind its length.
void ObjectSpace::transfer_together(std::vector<Resident*>&& residents, core::Buffer&& message) {
  Resident::Uncommon& first = residents.front()->uncommon();
  first.message_objects = static_cast<std::uint32_t>(residents.size());
  first.message_bytes = message.size();
  engine().preemption_point();
  messenger_.post(first.target, am::constant_handler_id("roam.install_together"),
                  core::Packer(std::move(message)), true);
  for (Resident* const resident : residents) resident->release();
}

void ObjectSpace::on_install_together(void* self, am::Incoming&& message) {
  auto& space = *static_cast<ObjectSpace*>(self);
  core::Unpacker bytes(message.payload());
  std::vector<Arrival> arrivals;
  bool is_malformed = false;
  std::string problem;
  try {
    while (bytes.remaining() > 0) {
      const auto length = core::unpack<std::uint64_t>(bytes);
      core::Unpacker object(bytes.view(static_cast<std::size_t>(length)));
      arrivals.push_back(space.take_in_object(object, message.source, length, is_malformed));
      space.engine().preemption_point();
    }
  } catch (const MalformedMessage& error) {  // those before it have arrived all the same
    problem = error.what();
  }
  core::Packer packer = space.messenger_.begin();
  core::pack(packer, arrivals);
  space.messenger_.post(message.source, am::constant_handler_id("roam.installed_together"),
                        std::move(packer), true);
  if (is_malformed) throw MalformedMessage("arrival of an object that does not decode");
  if (!problem.empty()) throw MalformedMessage(problem);
}

void ObjectSpace::on_installed_together(void* self, am::Incoming&& message) {
  auto& space = *static_cast<ObjectSpace*>(self);
  core::Unpacker bytes(message.payload());
  for (const Arrival& arrival : core::unpack<std::vector<Arrival>>(bytes))
    space.end_hand_over(arrival, message.source);
}

}  // namespace roam::mobile
