// SPDX-License-Identifier: Apache-2.0
#include "roam/mobile/detail/issued_calls.hpp"

#include "call_epochs.hpp"
#include "dead_letters.hpp"
#include "mobile/call_graph.hpp"
#include "owners.hpp"
#include "resident_steps.hpp"
#include "roam/am/detail/system_handlers.hpp"
#include "roam/mobile/detail/object_space.hpp"

namespace roam::mobile {

IssuedCalls::IssuedCalls(ObjectSpace& space, Residents& residents)
    : space_(space), residents_(residents), memory_(residents.engine()) {}

IssuedCalls::~IssuedCalls() = default;

[[gnu::flatten]] IssuedCalls::Route IssuedCalls::begin(Shard& shard, const CallHeader& header) {
  Residents& residents = residents_;  // in a register
  const ObjectId id(header.object);
  Directory::Entry* entry = residents.entry_for_calling(shard, id);
  if (entry == nullptr) return {};
  Resident* const resident = entry->resident();
  const std::uint32_t sequence =
      resident != nullptr ? resident->next_sequence++ : entry->take_sequence();
  if (residents.watch().is_on()) [[unlikely]] {
    CallHeader numbered = header;
    numbered.sequence = sequence;
    residents.watch().saw(Step::issued, numbered, entry->location(), entry->version());
  }
  if (!shard.closing.empty() && shard.closing.contains(id))
    return {Route::To::held, resident, no_rank, sequence};
  if (resident != nullptr) {
    if (residents.engine().is_ahead_of_time())
      return {Route::To::rank, nullptr, residents.rank(), sequence};
    return {Route::To::resident, resident, no_rank, sequence};
  }
  entry->set_recent(true);
  return {Route::To::rank, nullptr, residents.way_to(*entry), sequence};
}

[[gnu::cold]] void IssuedCalls::take_back_number(Shard& shard, const Route& route,
                                                 CallHeader& header) {
  header.sequence = route.sequence;
  if (route.resident != nullptr) {
    route.resident->next_sequence = route.sequence;
  } else {
    shard.find(ObjectId(header.object))->set_next_sequence(route.sequence);
  }
  residents_.watch().saw(Step::withdrawn, header);
}

[[gnu::flatten]] Effects<effect::Ready> IssuedCalls::enqueue(Shard& shard, const Route& route,
                                                             Call* call) {
  count_for_epoch(residents_.messenger().epochs(), *call);
  Effects<effect::Ready> effects;
  if (route.to == Route::To::resident) {
    effects.ready = residents_.accept(*route.resident, call);
  } else {
    shard.closing.of(ObjectId(call->header().object)).push(call);
  }
  return effects;
}

void IssuedCalls::lose(const CallHeader& header) { space_.owners().dead_letters.lose(header); }

void IssuedCalls::post_empty(const CallHeader& header, Rank to) {
  residents_.messenger().post(to, header);
}

// The code that awaits the call gets the exception; the answer that it was cancelled ends the
// request.
[[gnu::cold]] void IssuedCalls::post_in_place_of(const CallHeader& unpacked, Rank to) {
  CallHeader header = unpacked;
  header.flags |= CallHeader::is_cancelled;
  post_empty(header, to);
  if (header.epoch != 0) residents_.messenger().epochs().sent(header.epoch, to);
}

CallReader IssuedCalls::record_calls() {
  if (call_graph_ == nullptr) {
    exec::Engine& engine = residents_.engine();
    call_graph_ = std::make_unique<CallGraph>(engine.slot_count());
    engine.services().set<CallGraph>(call_graph_.get());
  }
  return CallReader(*call_graph_);
}

// Calls by a main program or by a handler of the rank are not counted, because they do not depend
// on where objects are.
void IssuedCalls::note_call(ObjectId to, std::size_t bytes) {
  if (!call_graph_->is_counting()) return;
  const exec::Context* const context = exec::current();
  if (context == nullptr || !context->subject || context->subject == to) return;
  call_graph_->add(context->slot, {context->subject.value(), to.value(), 1, bytes});
}

void IssuedCalls::lose_a_call_for_test(ObjectId id) {
  CallHeader header;
  header.object = id.value();
  Shard& shard = residents_.shard(id);
  const ShardLock lock(shard);
  static_cast<void>(begin(shard, header));
}

}  // namespace roam::mobile
