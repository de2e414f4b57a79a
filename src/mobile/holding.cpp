// SPDX-License-Identifier: Apache-2.0
// Objects held on a rank for a multicast (M9): each by an exclusive call that does not end before
// its holder says so.
#include <algorithm>
#include <mutex>

#include "hold_call.hpp"
#include "roam/mobile/multicast.hpp"
#include "roam/mobile/object_space.hpp"
#include "roam/mobile/resident.hpp"

namespace roam::mobile {

namespace {
Call* make_hold_call(ObjectSpace& space, const Method&, const CallHeader& header,
                     core::Buffer&& message, std::size_t offset, core::Attachment&& attachment) {
  if (attachment.data) throw MalformedMessage("the method takes no array");
  core::Unpacker bytes(message.bytes().subspan(offset));
  const Rank where(core::unpack<std::int32_t>(bytes));
  const auto holder = core::unpack<std::uint64_t>(bytes);
  if (where.value() < 0 || where.value() >= space.messenger().size())
    throw MalformedMessage("a rank to hold an object on that does not exist");
  return new HoldCall(space, space.messenger(), header, where, holder);
}
const Method hold_method{{"roam.hold", "roam.hold"}, nullptr, true, &make_hold_call};
}  // namespace

const Method& HoldCall::descriptor() { return hold_method; }

void HoldCall::pack_arguments(core::Packer& packer) const {
  core::pack(packer, where_.value(), holder_);
}

void HoldCall::invoke(exec::Context& context, void*) {
  if (where_ == space_.rank()) return space_.begin_hold(*this);
  const std::string refusal = first_try() ? std::string() : space_.refusal_of(*resident);
  if (refusal.empty() && may_try_again()) {
    context.execution = nullptr;  // it is a call that waits, again
    return space_.bring_to_holder(*this);
  }
  messenger().answer_failure(
      reply_to(), am::ReplyStatus::handler_failed,
      "object " + to_string(ObjectId(header_.object)) + " could not be brought to rank " +
          std::to_string(where_.value()) +
          (refusal.empty() ? ", which refused it " + std::to_string(most_tries) + " times"
                           : ": " + refusal));
  context.finished = this;
}

am::Reply<void> ObjectSpace::hold(ObjectId id, Rank where, std::uint64_t holder) {
  auto [pending, reply_to] = messenger_.expect_reply("roam.hold", id);
  am::Reply<void> reply(pending);
  CallHeader header;
  header.object = id.value();
  header.reply_token = reply_to.token;
  header.cost_seconds = 0;
  header.origin = rank().value();
  header.method = hold_method.id();
  issue_call(
      header, [&] { return new HoldCall(*this, messenger_, header, where, holder); },
      [&](Rank to, std::uint32_t sequence) {
        header.sequence = sequence;
        core::Packer packer = messenger_.begin(sizeof header + 16);
        header.write(packer);
        core::pack(packer, where.value(), holder);
        messenger_.post(to, am::constant_handler_id("roam.call"), std::move(packer), true);
      });
  return reply;
}

// It is not under way: its last move is over.
std::string ObjectSpace::refusal_of(Resident& resident) const {
  const std::lock_guard guard(directory_.shard(resident.id).lock);
  const Resident::Uncommon* uncommon = resident.uncommon_or_none();
  return uncommon == nullptr ? std::string() : uncommon->refusal;
}

// The object is where its holder wants it: it stays so until release_held().
void ObjectSpace::begin_hold(HoldCall& call) {
  {
    const std::lock_guard guard(held_lock_);
    held_[call.holder()].calls.push_back(&call);
  }
  engine().preemption_point();
  messenger_.answer(call.header().reply_to());
}

// The call is the first of those that travel with the object.
void ObjectSpace::bring_to_holder(HoldCall& call) {
  Resident& resident = *call.resident;
  bool leaves = false;
  exec::ReadyItem* next = nullptr;
  {
    const std::lock_guard guard(directory_.shard(resident.id).lock);
    if (observer_ != nullptr) observe(Step::put_back, call.header(), no_rank, 0, &call);
    call.resident = nullptr;
    resident.exclusive_running = false;
    resident.inbox.push_front(&call);
    resident.count(call, 1);
    // It will start again: for the balancer it ends and is there anew.
    resident.activity.end(call.header().cost_seconds, call.header().weight);
    resident.tell(listener_, LoadListener::Change::load);
    Resident::Uncommon& uncommon = resident.uncommon();
    // Whoever else wanted it moved has to wait for the holder.
    if (resident.state == Resident::State::departing) uncommon.next_target = uncommon.target;
    uncommon.target = call.where();
    resident.state = Resident::State::departing;
    leaves = !resident.is_bound();
    if (leaves) begin_transit(resident);
    next = startable(resident);
    static_cast<void>(resident.remove_user());  // its entry is another
  }
  engine().preemption_point();
  push_if(next);
  if (leaves) transfer(resident);
}

void ObjectSpace::begin_nested(std::uint64_t outer) {
  if (outer == 0) return;
  const std::lock_guard guard(held_lock_);
  const auto found = held_.find(outer);
  if (found == held_.end())
    throw Error("a multicast inside another one has to be issued while that holds its objects");
  ++found->second.users;
}

std::vector<Resident*> ObjectSpace::held_by(std::uint64_t holder) const {
  std::vector<Resident*> residents;
  const std::lock_guard guard(held_lock_);
  const auto found = held_.find(holder);
  if (found == held_.end()) return residents;
  for (const HoldCall* call : found->second.calls) residents.push_back(call->resident);
  return residents;
}

void ObjectSpace::release_held(std::uint64_t holder) {
  // Not before the virtual time that the handler has reached.
  if (!engine().is_ahead_of_time()) return end_hold(holder);
  post_release(rank(), holder);
}

void ObjectSpace::post_release(Rank where, std::uint64_t holder) {
  core::Packer packer = messenger_.begin();
  core::pack(packer, holder);
  messenger_.post(where, am::constant_handler_id("roam.release"), std::move(packer), true);
}

void ObjectSpace::on_release(void* self, am::Incoming&& message) {
  core::Unpacker bytes(message.payload());
  static_cast<ObjectSpace*>(self)->end_hold(core::unpack<std::uint64_t>(bytes));
}

void ObjectSpace::end_hold(std::uint64_t holder) {
  std::vector<HoldCall*> calls;
  {
    const std::lock_guard guard(held_lock_);
    const auto found = held_.find(holder);
    if (found == held_.end() || --found->second.users > 0) return;
    calls = std::move(found->second.calls);
    held_.erase(found);
  }
  engine().preemption_point();
  for (HoldCall* call : calls) completed(*call, Duration::zero());
}

void ObjectSpace::set_holder_execution(std::uint64_t holder, const exec::Execution* execution) {
  const std::lock_guard guard(held_lock_);
  const auto found = held_.find(holder);
  if (found != held_.end()) found->second.execution = execution;
}

std::vector<void*> HeldObjects::find(const std::vector<ObjectId>& ids,
                                     const ObjectType& type) const {
  if (const exec::Context* context = exec::current(); context != nullptr)
    space_.set_holder_execution(holder_, context->execution);
  std::vector<Resident*> held = space_.held_by(holder_);
  const std::vector<Resident*> outer = space_.held_by(outer_);
  held.insert(held.end(), outer.begin(), outer.end());
  std::vector<void*> objects;
  objects.reserve(ids.size());
  for (const ObjectId id : ids) {
    const auto found = std::find_if(held.begin(), held.end(),
                                    [id](const Resident* resident) { return resident->id == id; });
    if (found == held.end() || &(*found)->type != &type)
      throw MalformedMessage("a multicast for an object that is not held or of another class");
    objects.push_back((*found)->object);
  }
  return objects;
}

}  // namespace roam::mobile
