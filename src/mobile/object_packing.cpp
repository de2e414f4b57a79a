// SPDX-License-Identifier: Apache-2.0
#include "object_packing.hpp"

#include <cstring>
#include <utility>
#include <vector>

#include "handed_object.hpp"
#include "move_state.hpp"
#include "rare_state.hpp"
#include "roam/core/error.hpp"

namespace roam::mobile {

void ObjectPacking::pack_call(core::Packer& packer, const Call& call) {
  am::write_message(packer, call.header());
  const std::uint64_t placeholder = 0;
  const std::size_t at = packer.size();
  packer.write(&placeholder, sizeof placeholder);
  call.pack_arguments(packer);
  const std::uint64_t length = packer.size() - at - sizeof placeholder;
  std::memcpy(packer.buffer().data() + at, &length, sizeof length);
}

Call* ObjectPacking::unpack_call(core::Unpacker& bytes, const Resident& object) const {
  const auto header = am::read_field<CallHeader>(bytes);
  const auto length = core::unpack<std::uint64_t>(bytes);
  const auto arguments = bytes.view(static_cast<std::size_t>(length));
  const Method& method = arrived_.check(header);
  if (header.object != object.id.value()) throw MalformedMessage("call of another object");
  if (method.type() != nullptr && method.type() != &object.type)
    throw MalformedMessage("method of another class");
  core::Buffer copy = core::Buffer::allocate(arguments.size());
  copy.append(arguments.data(), arguments.size());
  return method.from_wire()(space_, method, header, std::move(copy), 0, {});
}

void ObjectPacking::pack(core::Packer& packer, core::ArrayOutlet* outlet,
                         Resident& resident) const {
  pack_without_state(packer, resident);
  packer.set_outlet(outlet);
  resident.type.functions().pack(packer, resident.object);
  packer.set_outlet(nullptr);
  if (outlet != nullptr) outlet->attachment.bytes_behind = packer.size() - outlet->place;
}

void ObjectPacking::pack_without_state(core::Packer& packer, Resident& resident) const {
  inside_shard.assert_held();  // in transit
  const MoveState& move = MoveState::of(resident);
  const auto& early = resident.rare().early;
  std::uint64_t calls = 0;
  for (const Call* call = move.leaving.first; call != nullptr; call = call->next) ++calls;
  core::pack(packer, resident.type.id(), resident.record, resident.expected.all(), calls);
  for (const Call* call = move.leaving.first; call != nullptr; call = call->next)
    pack_call(packer, *call);
  core::pack(packer, static_cast<std::uint64_t>(early.size()));
  for (const auto& [key, call] : early) pack_call(packer, *call);
}

std::unique_ptr<Resident> ObjectPacking::unpack(core::Unpacker& bytes, ObjectId id,
                                                std::uint32_t version) const {
  inside_shard.assert_held();  // no other thread knows it yet
  const auto type_id = core::unpack<std::uint64_t>(bytes);
  const ObjectType* type = ObjectType::find(type_id);
  if (type == nullptr) throw MalformedMessage("object of an unknown class");
  auto resident = std::make_unique<Resident>(space_, id, *type, nullptr);
  resident->version = version;
  resident->record = core::unpack<Record>(bytes);
  const auto expected = core::unpack<std::vector<ExpectedSequences::Expected>>(bytes);
  for (const auto& caller : expected) {
    if (caller.origin < 0 || caller.origin >= residents_.messenger().size())
      throw MalformedMessage("caller out of range");
  }
  resident->expected.set(expected);
  unpack_calls(bytes, *resident);
  if (HandedObject* const handed = HandedObject::of(bytes.attachment())) {
    if (&handed->type() != type || bytes.remaining() > 0)
      throw MalformedMessage("object that is none of its message's");
    resident->object = handed->take();
    if (resident->object == nullptr) throw MalformedMessage("object that was taken before");
    static_cast<void>(bytes.take_attachment());
    return resident;
  }
  resident->object = type->functions().unpack(bytes);
  if (bytes.has_attachment()) throw MalformedMessage("an array that is none of the object's");
  return resident;
}

void ObjectPacking::unpack_calls(core::Unpacker& bytes, Resident& resident) const {
  for (auto calls = core::unpack<std::uint64_t>(bytes); calls > 0; --calls)
    resident.take_arrived(unpack_call(bytes, resident));
  for (auto calls = core::unpack<std::uint64_t>(bytes); calls > 0; --calls) {
    std::unique_ptr<Call> call(unpack_call(bytes, resident));
    const std::pair key(call->header().origin, call->header().sequence);
    if (!resident.rare().early.emplace(key, call.get()).second)
      throw MalformedMessage("a call set aside twice");
    static_cast<void>(call.release());
  }
}

}  // namespace roam::mobile
