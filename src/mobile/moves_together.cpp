// SPDX-License-Identifier: Apache-2.0
#include "moves_together.hpp"

#include <cstring>
#include <string>
#include <utility>

#include "roam/am/detail/system_handlers.hpp"
#include "roam/core/error.hpp"

namespace roam::mobile {

namespace {

// Larger objects are sent alone: then their arrays need not be copied, and latency matters little.
constexpr std::uint64_t largest_object = 16384;
// A message of this size is sent: its objects can be unpacked while more are packed.
constexpr std::size_t full_message = 65536;

std::uint64_t last_packed_bytes(const Resident& resident) {
  inside_shard.assert_held();  // in transit
  return resident.record.packed_bytes;
}

}  // namespace

MovesTogether::MovesTogether(Residents& residents, Migrations& migrations, ArrivedObjects& arrived)
    : residents_(residents), migrations_(migrations), arrived_(arrived) {
  am::Messenger& messenger = residents_.messenger();
  messenger.bind<&MovesTogether::on_install_together>(*this);
  messenger.bind<&MovesTogether::on_installed_together>(*this);
}

bool MovesTogether::migrate(ObjectId id, Rank target) {
  Resident* const resident = migrations_.begin_idle_transit(id, target);
  if (resident == nullptr) return false;
  residents_.engine().preemption_point();
  migrations_.hand_over(*resident);
  return true;
}

std::vector<ObjectId> MovesTogether::migrate(std::span<const ObjectId> ids, Rank target) {
  std::vector<ObjectId> stay;
  std::vector<Resident*> packed;
  core::Buffer message;
  for (const ObjectId id : ids) {
    Resident* const resident = migrations_.begin_idle_transit(id, target);
    if (resident == nullptr) {
      stay.push_back(id);
      continue;
    }
    residents_.engine().preemption_point();
    if (last_packed_bytes(*resident) > largest_object || ids.size() == 1 ||
        migrations_.changes_hands(*resident)) {
      migrations_.hand_over(*resident);
      continue;
    }
    if (packed.empty()) {
      auto begun = residents_.messenger().begin(InstallTogether{}, full_message / 4);
      message = begun.packer().take();
    }
    const std::size_t begin = message.size();
    // Each object has a packer of its own: a packer recognises values that it has packed before,
    // but the target unpacks each object separately.
    core::Packer packer(std::move(message));
    const std::uint64_t placeholder = 0;
    packer.write(&placeholder, sizeof placeholder);
    am::write_message(packer, Migrations::head_of(*resident));
    const bool leaves = migrations_.pack_to_leave(packer, nullptr, *resident);
    message = packer.take();
    if (!leaves) {
      message.set_size(begin);
      continue;
    }
    const std::uint64_t length = message.size() - begin - sizeof length;
    std::memcpy(message.data() + begin, &length, sizeof length);
    migrations_.note_packed(*resident, length, 0);
    packed.push_back(resident);
    if (message.size() >= full_message) post(std::exchange(packed, {}), std::exchange(message, {}));
  }
  if (!packed.empty()) post(std::move(packed), std::move(message));
  return stay;
}

void MovesTogether::post(std::vector<Resident*>&& residents, core::Buffer&& message) {
  Resident& first = *residents.front();
  migrations_.note_message(first, static_cast<std::uint32_t>(residents.size()), message.size());
  residents_.engine().preemption_point();
  residents_.messenger().post(
      migrations_.destination_of(first),
      am::Outgoing<InstallTogether>::resumed(core::Packer(std::move(message))));
  for (Resident* const resident : residents) resident->release();
}

void MovesTogether::on_install_together(const InstallTogether& /*head*/, am::Incoming&& objects) {
  am::Messenger& messenger = residents_.messenger();
  core::Unpacker bytes(objects.payload());
  InstalledTogether answer;
  bool is_malformed = false;
  std::string problem;
  try {
    while (bytes.remaining() > 0) {
      const auto length = core::unpack<std::uint64_t>(bytes);
      core::Unpacker object(bytes.view(static_cast<std::size_t>(length)));
      const auto head = am::read_field<Install>(object);
      answer.arrivals.push_back(
          arrived_.take_in(head, object, objects.source, length, is_malformed));
      messenger.engine().preemption_point();
    }
  } catch (const MalformedMessage& error) {  // the objects before it have arrived nevertheless
    problem = error.what();
  }
  messenger.post(objects.source, answer);
  if (is_malformed) throw MalformedMessage("arrival of an object that does not decode");
  if (!problem.empty()) throw MalformedMessage(problem);
}

void MovesTogether::on_installed_together(const InstalledTogether& message, Rank source) {
  for (const Arrival& arrival : message.arrivals) migrations_.end_hand_over(arrival, source);
}

}  // namespace roam::mobile
