// SPDX-License-Identifier: Apache-2.0
#include "roam/mobile/object_space.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "close_call.hpp"
#include "destroy_call.hpp"
#include "hold_call.hpp"
#include "lent_objects.hpp"
#include "roam/core/error.hpp"
#include "roam/mobile/mobile_ptr.hpp"
#include "roam/mobile/resident.hpp"

namespace roam::mobile {

ObjectSpace& current_space() {
  const exec::Context* context = exec::current();
  ObjectSpace* space =
      context == nullptr ? nullptr : context->engine->services().get<ObjectSpace>();
  if (space == nullptr) {
    throw Error("a mobile object was used on a thread where no Roam handler or main program runs");
  }
  return *space;
}

ObjectSpace::ObjectSpace(am::Messenger& messenger, const ObjectSpaceOptions& options)
    : messenger_(messenger),
      options_(options),
      call_memory_(messenger.engine()),
      directory_(messenger.engine().workers() > 1 ? 64 : 4),
      kept_call_(messenger.engine().workers() == 1 ? std::make_unique<KeptCall>() : nullptr),
      lent_(std::make_shared<LentObjects>(*this)) {
  ObjectType::require_different_names();
  for (const Method* method = Method::first(); method != nullptr; method = method->next())
    messenger_.require_everywhere(method->program_name().symbol);
  messenger_.bind("roam.call", this, &ObjectSpace::on_call, true);
  messenger_.bind("roam.migrate", this, &ObjectSpace::on_migrate);
  messenger_.bind("roam.install", this, &ObjectSpace::on_install, true);
  messenger_.bind("roam.installed", this, &ObjectSpace::on_installed);
  messenger_.bind("roam.install_together", this, &ObjectSpace::on_install_together);
  messenger_.bind("roam.installed_together", this, &ObjectSpace::on_installed_together);
  messenger_.bind("roam.location", this, &ObjectSpace::on_location);
  messenger_.bind("roam.gone", this, &ObjectSpace::on_gone);
  messenger_.bind("roam.closed", this, &ObjectSpace::on_closed);
  messenger_.bind("roam.release", this, &ObjectSpace::on_release);
  messenger_.bind("roam.cancel", this, &ObjectSpace::on_cancel);
  messenger_.requests().set_cancel_listener(
      [this](ObjectId id, std::uint64_t token) { cancel(id, rank(), token, 0); });
  engine().services().set<ObjectSpace>(this);
}

ObjectSpace::~ObjectSpace() {
  lent_->close();
  for (auto& [holder, held] : held_) {
    for (HoldCall* call : held.calls) call->abandon();
  }
  for (Shard& shard : directory_) {
    shard.entries.for_each([](Directory::Entry& entry) {
      if (entry.resident() != nullptr) entry.resident()->end_use();
    });
    for (auto& [id, calls] : shard.closing) {
      while (!calls.empty()) delete calls.pop();
    }
  }
}

ObjectSpaceStats ObjectSpace::stats() const {
  const auto get = [](const std::atomic<std::uint64_t>& c) {
    return c.load(std::memory_order_relaxed);
  };
  ObjectSpaceStats stats;
  stats.objects_created = get(counters_.created);
  stats.calls_forwarded = get(counters_.forwarded);
  stats.calls_set_aside = get(counters_.set_aside);
  stats.location_updates = get(counters_.updates);
  stats.locations_forgotten = get(counters_.forgotten);
  stats.migrations_in = get(counters_.in);
  stats.migrations_out = get(counters_.out);
  stats.migrations_refused = get(counters_.refused);
  stats.migrated_bytes_out = get(counters_.bytes_out);
  return stats;
}

ObjectId ObjectSpace::adopt(const ObjectType& type, void* object) {
  const ObjectId id(rank(), next_serial_.fetch_add(1, std::memory_order_relaxed));
  adopt_as(id, type, object);
  return id;
}

void ObjectSpace::add_to(exec::WorkingSet& set) const {
  set.add(*this);
  for (const Directory::Shard& shard : directory_) {
    set.add(shard);
    shard.entries.add_to(set);
  }
  call_memory_.add_to(set);
  methods_.add_to(set);
}

void ObjectSpace::adopt_as(ObjectId id, const ObjectType& type, void* object) {
  auto* resident = new Resident(*this, id, type, object);
  Shard& shard = directory_.shard(id);
  {
    const std::lock_guard guard(shard.lock);
    Directory::Entry& entry = new_entry(shard, id);
    entry.set_place(rank(), 0);
    entry.set_resident(resident);
    if (observer_ != nullptr) observe(Step::created, *resident);
    resident->tell(listener_, LoadListener::Change::arrived);
  }
  engine().preemption_point();
  counters_.created.fetch_add(1, std::memory_order_relaxed);
  resident_count_.fetch_add(1, std::memory_order_relaxed);
}

Directory::Entry* ObjectSpace::entry_for_sending(Shard& shard, ObjectId id) {
  if (Directory::Entry* entry = shard.find(id)) return entry;
  if (id.home() == rank() || !id) return nullptr;
  Directory::Entry& entry = new_entry(shard, id);
  entry.set_place(id.home(), 0);
  return &entry;
}

Directory::Entry& ObjectSpace::new_entry(Shard& shard, ObjectId id) {
  if (id.home() != rank() &&
      ++shard.foreign * directory_.shard_count() > options_.directory_limit &&
      !is_forgetting_.exchange(true, std::memory_order_relaxed)) {
    forget_soon(Duration::zero());
  }
  return shard.entries.insert(id);
}

void ObjectSpace::forget(Shard& shard, Directory::Entry& entry) {
  if (observer_ != nullptr) observe(Step::forgot, entry.id(), no_rank, entry.version());
  if (entry.id().home() != rank()) --shard.foreign;
  shard.entries.erase(entry);
}

[[gnu::flatten]] ObjectSpace::Way ObjectSpace::begin_call(Shard& shard, const CallHeader& header) {
  const ObjectId id(header.object);
  Directory::Entry* entry = entry_for_sending(shard, id);
  if (entry == nullptr) return {};
  Resident* const resident = entry->resident();
  const std::uint32_t sequence =
      resident != nullptr ? resident->next_sequence++ : entry->take_sequence();
  if (observer_ != nullptr) [[unlikely]] {
    CallHeader numbered = header;
    numbered.sequence = sequence;
    observe(Step::issued, numbered, entry->location(), entry->version());
  }
  if (!shard.closing.empty() && shard.closing.contains(id))
    return {Way::To::held, resident, no_rank, sequence};
  if (resident != nullptr) {
    if (engine().is_ahead_of_time()) return {Way::To::rank, nullptr, rank(), sequence};
    return {Way::To::resident, resident, no_rank, sequence};
  }
  entry->set_recent(true);
  const bool is_by_way_of_home =
      options_.location_policy == LocationPolicy::home && id.home() != rank();
  return {Way::To::rank, nullptr, is_by_way_of_home ? id.home() : entry->location(), sequence};
}

[[gnu::cold]] void ObjectSpace::take_back_number(Shard& shard, const Way& way, CallHeader& header) {
  header.sequence = way.sequence;
  if (way.resident != nullptr) {
    way.resident->next_sequence = way.sequence;
  } else {
    shard.find(ObjectId(header.object))->set_next_sequence(way.sequence);
  }
  if (observer_ != nullptr) observe(Step::withdrawn, header);
}

// Whoever awaits it is about to get the exception; the answer that it was cancelled ends the
// request.
[[gnu::cold]] void ObjectSpace::post_in_place_of(const CallHeader& unpacked, Rank to) {
  CallHeader header = unpacked;
  header.flags |= CallHeader::is_cancelled;
  post_empty_call(header, to);
  if (header.epoch != 0) messenger_.epochs().sent(header.epoch, to);
}

namespace {
/// Stands for an object with an urgent call whose own ready item waits among less urgent ones.
class Boost final : public exec::ReadyItem {
 public:
  explicit Boost(Resident& resident) : resident_(resident) {
    priority = resident.urgency();
    announced_work = resident.announced_work;
    resident.add_user();
  }
  void run(exec::Context& context) override {
    Resident& resident = resident_;
    delete this;
    resident.run_boosted(context);
  }
  void drop() override {
    resident_.end_use();
    delete this;
  }

 private:
  Resident& resident_;
};
}  // namespace

[[gnu::noinline]] exec::ReadyItem* ObjectSpace::boost(Resident& resident) {
  resident.boosted = true;
  return new Boost(resident);
}

exec::ReadyItem* ObjectSpace::startable(Resident& resident) {
  if (!resident.can_start()) return nullptr;
  const Priority urgency = resident.urgency();
  if (resident.queued) {
    if (resident.boosted || urgency >= resident.priority) return nullptr;
    return boost(resident);
  }
  resident.queued = true;
  resident.priority = urgency;
  const Record& record = resident.record;
  resident.announced_work = static_cast<float>(record.pending_seconds + record.pending_weight);
  resident.add_user();
  return &resident;
}

void ObjectSpace::take_in(Resident& resident, Call* call) {
  enter(resident, call);
  resident.inbox.push(call);
  resident.count(*call, 1);
}

void ObjectSpace::enter(Resident& resident, Call* call) {
  if (observer_ != nullptr) observe(Step::accepted, call->header());
  CallHeader& header = call->header();
  Record& record = resident.record;
  if (listener_ != nullptr && header.cost_seconds < 0) {
    const double estimate = listener_->estimate(call->method().id(), header.weight, record);
    if (estimate >= 0) {
      header.cost_seconds = static_cast<float>(estimate);
      header.flags |= CallHeader::is_estimated;
    }
  }
  ++record.pending_calls;
  (header.cost_seconds >= 0 ? record.pending_seconds : record.pending_weight) +=
      header.cost_seconds >= 0 ? header.cost_seconds : header.weight;
}

void ObjectSpace::take(Resident& resident, Call* call) {
  if (resident.state == Resident::State::in_transit) {
    if (observer_ != nullptr) observe(Step::parked, call->header());
    return resident.inbox.push(call);  // its sequence is checked where the object goes
  }
  const CallHeader& header = call->header();
  std::uint32_t& expected = resident.expected.of(header.origin);
  if (header.sequence != expected) return set_aside(resident, call);
  ++expected;
  take_in(resident, call);
  if (resident.has_early()) take_in_early(resident, header.origin, expected);
  resident.tell(listener_, LoadListener::Change::load);
}

[[gnu::noinline]] void ObjectSpace::set_aside(Resident& resident, Call* call) {
  const CallHeader& header = call->header();
  counters_.set_aside.fetch_add(1, std::memory_order_relaxed);
  if (observer_ != nullptr) observe(Step::set_aside, header);
  auto& early = resident.uncommon().early;
  if (!early.emplace(std::pair(header.origin, header.sequence), call).second) {
    delete call;  // a copy: cannot happen over a transport that keeps A1
    return;
  }
  early_count_.fetch_add(1, std::memory_order_release);
}

[[gnu::noinline]] void ObjectSpace::take_in_early(Resident& resident, std::int32_t origin,
                                                  std::uint32_t& expected) {
  auto& early = resident.uncommon().early;
  for (auto next = early.find({origin, expected}); next != early.end();
       next = early.find({origin, expected})) {
    ++expected;
    take_in(resident, next->second);
    early.erase(next);
    early_count_.fetch_sub(1, std::memory_order_release);
  }
}

[[gnu::flatten]] exec::ReadyItem* ObjectSpace::keep(Shard& shard, const Way& way, Call* call) {
  keep_for_epoch(*call);
  if (way.to == Way::To::resident) return accept(*way.resident, call);
  shard.closing.find(ObjectId(call->header().object))->second.push(call);
  return nullptr;
}

Call* ObjectSpace::start_first(Resident& resident) {
  Call* const call = resident.inbox.pop();
  resident.count(*call, -1);
  start(resident, call);
  return call;
}

void ObjectSpace::start(Resident& resident, Call* call) {
  const CallHeader& header = call->header();
  if (!header.has(CallHeader::regains_access)) [[likely]] {  // else it had started before
    if (observer_ != nullptr) observe(Step::started, header, no_rank, 0, call);
    if (listener_ != nullptr) {
      resident.activity.begin(header.cost_seconds, header.weight, engine().recent_now());
      resident.tell(listener_, LoadListener::Change::load);
    }
  }
  if (call->method().is_exclusive()) {
    resident.exclusive_running = true;
  } else {
    ++resident.shared_running;
  }
}

// A call that an idle worker has received, and that may start, does so before another takes the
// lock; the inbox does not see it.
exec::ReadyItem* ObjectSpace::accept_arrived(Resident& resident, Call* call) {
  if (kept_call_ == nullptr || !resident.may_start_at_once(*call)) return accept(resident, call);
  std::uint32_t& expected = resident.expected.of(call->header().origin);
  if (call->header().sequence != expected || !engine().keep(kept_call_.get()))
    return accept(resident, call);
  ++expected;
  enter(resident, call);
  resident.add_user();
  start(resident, call);
  kept_call_->put(resident, call);
  return nullptr;
}

void ObjectSpace::KeptCall::run(exec::Context& context) {
  resident_->space.run_started(*resident_, std::exchange(call_, nullptr), context);
}

[[gnu::flatten]] void ObjectSpace::run(Resident& resident, exec::Context& context, bool is_boost) {
  Shard& shard = directory_.shard(resident.id);
  Call* call = nullptr;
  exec::ReadyItem* again = nullptr;
  bool was_last = false;
  {
    const std::lock_guard guard(shard.lock);
    (is_boost ? resident.boosted : resident.queued) = false;
    if (resident.can_start()) {
      call = start_first(resident);
      if (!call->method().is_exclusive()) again = startable(resident);
    } else {
      was_last = resident.remove_user();  // it moved on, or another worker took the call
    }
  }
  engine().preemption_point();
  push_if(again);
  if (was_last) resident.release();
  if (call == nullptr) return;
  run_started(resident, call, context);
}

void ObjectSpace::run_started(Resident& resident, Call* call, exec::Context& context) {
  call->resident = &resident;
  context.execution = call;
  context.label = call->method().name().data();
  context.subject = resident.id;
  context.epoch = call->header().epoch;
  if (!call->header().has(CallHeader::is_cancelled)) [[likely]] {
    call->invoke(context, resident.object);  // it may be gone now
  } else {
    messenger_.answer_failure(call->header().reply_to(), am::ReplyStatus::cancelled, "cancelled");
    context.finished = call;
  }
  context.epoch = 0;
}

[[gnu::flatten]] void ObjectSpace::completed(Call& call, Duration run_time) {
  Resident& resident = *call.resident;
  Shard& shard = directory_.shard(resident.id);
  const CallHeader& header = call.header();
  const bool ends = &call.method() == &DestroyCall::descriptor();
  exec::ReadyItem* next = nullptr;
  bool leaves = false;
  bool was_last = false;
  CallQueue orphans;
  {
    const std::lock_guard guard(shard.lock);
    if (observer_ != nullptr) observe(Step::ended, header, no_rank, 0, &call);
    if (call.method().is_exclusive()) {
      resident.exclusive_running = false;
    } else {
      --resident.shared_running;
    }
    Record& record = resident.record;
    --record.pending_calls;
    if (header.cost_seconds >= 0) {
      record.pending_seconds = std::max(0.0, record.pending_seconds - header.cost_seconds);
    } else {
      record.pending_weight = std::max(0.0, record.pending_weight - header.weight);
    }
    record.phase_seconds += seconds(run_time);
    shard.phase_seconds += seconds(run_time);
    if (listener_ != nullptr) {
      resident.activity.end(header.cost_seconds, header.weight);
      if (header.cost_seconds < 0 || header.has(CallHeader::is_estimated))
        listener_->measured(call.method().id(), header.weight, seconds(run_time), record);
    }
    if (ends) {
      // At once: in between, another worker could start a call that came later, or a move.
      orphans = take_out(shard, resident);
    } else if (resident.state != Resident::State::gone) {
      resident.tell(listener_, LoadListener::Change::load);
      if (resident.state == Resident::State::departing && !resident.is_bound()) {
        begin_transit(resident);
        leaves = true;
      }
      next = startable(resident);
    }
    was_last = resident.remove_user();
  }
  engine().preemption_point();
  push_if(next);
  if (ends) {
    end_object(resident, std::move(orphans));
  } else if (leaves) {
    transfer(resident);
  }
  delete &call;
  if (was_last) resident.release();
}

void ObjectSpace::dead(const CallHeader& header) {
  if (observer_ != nullptr) observe(Step::dead, header);
  // It stands for a call that was not made, of which whoever made it has heard.
  if (header.has(CallHeader::is_cancelled) && !header.reply_to()) return;
  if (header.has(CallHeader::is_part)) {
    if (element_listener_ != nullptr)
      element_listener_->part_is_dead(ObjectId(header.object), header.reply_token);
    return;
  }
  const Method* const method = methods_.find(header.method);
  const std::string name = method == nullptr ? "(unknown)" : method->describe();
  if (method == &DestroyCall::descriptor()) return;  // ended twice: nothing left to do
  if (method == &CloseCall::descriptor())
    return tell_closed(Rank(header.origin), ObjectId(header.object));
  const std::string text = "object " + to_string(ObjectId(header.object)) +
                           " does not exist (it was destroyed or never created); called by rank " +
                           std::to_string(header.origin) + ", handler " + name;
  dead_letter({Rank(header.origin), header.reply_token}, text);
}

void ObjectSpace::dead_letter(const am::ReplyTo& reply_to, const std::string& text) {
  if (reply_to) {
    messenger_.answer_failure(reply_to, am::ReplyStatus::object_gone, text);
  } else if (on_dead_letter_) {
    on_dead_letter_(text);
  } else {
    engine().report_error("rank " + std::to_string(rank().value()) + ": " + text);
  }
}

const Method& ObjectSpace::check(const CallHeader& header) const {
  const Method* const method = methods_.find(header.method);
  if (method == nullptr) throw MalformedMessage("unknown method");
  if (header.origin < 0 || header.origin >= messenger_.size() ||
      ObjectId(header.object).home().value() >= messenger_.size() ||
      header.priority >= priority_count || (header.flags & ~CallHeader::may_travel) != 0) {
    throw MalformedMessage("call header out of range");
  }
  return *method;
}

namespace {
CallHeader read_header(std::span<const std::byte> payload) {
  core::Unpacker bytes(payload);
  return CallHeader::read(bytes);
}
}  // namespace

[[gnu::flatten]] void ObjectSpace::on_call(void* self, am::Incoming&& message) {
  auto& space = *static_cast<ObjectSpace*>(self);
  const CallHeader header = read_header(message.payload());
  const ObjectId id(header.object);
  const Method& method = space.check(header);
  Shard& shard = space.directory_.shard(id);
  exec::ReadyItem* startable = nullptr;
  Rank known_location;
  std::uint32_t settled_version = 0;
  bool accepted = false;
  bool settled = false;
  {
    const std::lock_guard guard(shard.lock);
    if (Directory::Entry* entry = shard.find(id); entry != nullptr) {
      known_location = entry->location();
      settled_version = entry->version();
      if (Resident* resident = entry->resident(); resident != nullptr) {
        const ObjectType* type = method.type();
        if (type != nullptr && type != &resident->type)
          throw MalformedMessage("method of another class");
        Call* call =
            method.from_wire()(space, method, header, std::move(message.buffer),
                               message.offset + header.bytes_read(), std::move(message.attachment));
        space.take_in_for_epoch(*call);
        startable = space.accept_arrived(*resident, call);
        accepted = true;
        settled = resident->state != Resident::State::in_transit;
      }
    }
  }
  space.engine().preemption_point();
  if (!accepted) {
    space.forward_call(std::move(message), header, known_location);
  } else if (settled && header.hops > 0 && Rank(header.origin) != space.rank() &&
             space.options_.location_policy != LocationPolicy::home) {
    space.send_location(Rank(header.origin), id, settled_version);
  }
  // Not before: another worker's answer would come before the location (M7).
  space.push_if(startable);
}

void ObjectSpace::forward_call(am::Incoming&& message, CallHeader header, Rank known_location) {
  const Rank home = ObjectId(header.object).home();
  Rank to = known_location;
  if (to == no_rank || to == rank()) {
    if (home == rank()) {
      pass_on_for_epoch(header, no_rank);
      return dead(header);
    }
    to = home;
  }
  if (header.hops >= options_.max_hops && home != rank()) {
    to = home;
    header.hops = 0;
  }
  ++header.hops;
  pass_on_for_epoch(header, to);
  const CallAddress address = header;  // the details stay as they are
  std::memcpy(message.buffer.data() + message.offset, &address, sizeof address);
  if (observer_ != nullptr) observe(Step::forwarded, header, to);
  counters_.forwarded.fetch_add(1, std::memory_order_relaxed);
  constexpr std::uint32_t call = am::constant_handler_id("roam.call");
  if (message.attachment.data) {
    messenger_.forward_attached(to, call, std::move(message.buffer), std::move(message.attachment),
                                true);
  } else {
    messenger_.forward(to, call, std::move(message.buffer), true);
  }
}

std::uint64_t ObjectSpace::pending_calls() const {
  std::uint64_t pending = 0;
  for (Shard& shard : directory_) {
    const std::lock_guard guard(shard.lock);
    shard.entries.for_each([&](const Directory::Entry& entry) {
      if (entry.resident() != nullptr) pending += entry.resident()->record.pending_calls;
    });
  }
  return pending;
}

}  // namespace roam::mobile
