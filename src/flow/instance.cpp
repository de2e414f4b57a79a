// SPDX-License-Identifier: Apache-2.0
#include "roam/flow/detail/instance.hpp"

#include <algorithm>
#include <utility>

#include "roam/flow/core.hpp"
#include "roam/flow/detail/part_line.hpp"

namespace roam::flow {

const char* verb_of(Effect effect) {
  switch (effect) {
    case Effect::read:
      return "reads";
    case Effect::modify:
      return "modifies";
    case Effect::overwrite:
      return "overwrites";
    case Effect::commute:
      return "modifies (in any order)";
    case Effect::accumulate:
      return "adds to";
    case Effect::schedule:
    case Effect::schedule_read:
      return "schedules tasks on";
    case Effect::part_read:
      return "reads a part of";
    case Effect::part_modify:
      return "modifies a part of";
    case Effect::parts:
      return "uses parts of";
  }
  return "uses";
}

namespace {

// Tasks that read and tasks whose children read form one group.
Effect group_of(Effect effect) { return effect == Effect::schedule_read ? Effect::read : effect; }

// The group in a segment of a PartLine. Tasks that accumulate take turns there: what they have
// contributed is added in their order in any case.
Effect group_in_parts(Effect effect) {
  switch (effect) {
    case Effect::read:
    case Effect::schedule_read:
    case Effect::part_read:
      return Effect::read;
    case Effect::commute:
      return Effect::commute;
    default:
      return Effect::modify;
  }
}

}  // namespace

Instance::Rarely::Rarely() = default;
Instance::Rarely::~Rarely() = default;

Instance::~Instance() {
  if (is_kept()) [[unlikely]]
    core().forget_kept(*this);
  if (rarely_ == nullptr) return;
  // Remains only if the job has failed.
  while (rarely_->first != nullptr) delete std::exchange(rarely_->first, rarely_->first->next);
}

void* Instance::operator new(std::size_t bytes, Core& core) {
  return core.pool().take(BlockPool::Kind::instance, bytes);
}
void Instance::operator delete(void* memory) {  // NOLINT(misc-new-delete-overloads): of the pool
  BlockPool::free(memory);
}
void Instance::operator delete(void* memory, Core& /*core*/) { BlockPool::free(memory); }

Instance::Rarely& Instance::rarely() {
  if (rarely_ == nullptr) rarely_ = std::make_unique<Rarely>();
  return *rarely_;
}

// Commuting and accumulating tasks, and those that use parts, need further state, made by the
// thread that enters, which also determines the order in which values are added.
[[gnu::noinline]] void Instance::prepare(Access& access) {
  Rarely& rarely = this->rarely();
  if (access.effect == Effect::commute) return;
  if (is_part(access.effect)) return use_parts();
  access.is_special = true;
  const core::LockGuard guard(lock_);
  (rarely.last == nullptr ? rarely.first : rarely.last->next) = access.partial;
  rarely.last = access.partial;
}

// From the first use of a part on, all accesses go through the PartLine, which waits for those that
// are here.
void Instance::use_parts() {
  Rarely& rarely = this->rarely();
  if (rarely.parts != nullptr) return;
  auto parts = std::make_unique<PartLine>(*this);
  const core::LockGuard guard(lock_);
  if (active_ == 0 && waiting_.front() == nullptr) {
    active_ = 1;
    group_ = Effect::parts;
    AccessList nobody;
    parts->open(nobody);
  } else {
    waiting_.push_back(parts->gate());
  }
  rarely.parts = std::move(parts);
}

void Instance::open_parts(AccessList& let_in) {
  const core::LockGuard guard(lock_);
  rarely_->parts->open(let_in);
}

// Marks the first of those that read and wait, if another waits behind them: they will get a copy.
// If nobody waits in front of this one, they have been let in already. A Replay's instances are
// those of all its tasks, and stay the same.
void Instance::wait_in_line(Access& access, Effect group) {
  Rarely& rarely = *rarely_;
  Access*& first = rarely.first_reader;
  if (waiting_.front() == nullptr) first = nullptr;
  if (group != Effect::read) {
    if (first != nullptr && rarely.copy != nullptr && !rarely.has_border) first->is_border = true;
    first = nullptr;
  } else {
    if (first == nullptr) {
      first = &access;
      rarely.has_border = false;
    }
    rarely.has_border = rarely.has_border || access.is_border;
  }
  waiting_.push_back(access);
}

void Instance::note_copy(std::int64_t bytes) {
  rarely().copied = std::make_unique<detail::CopiedBytes>(core(), bytes);
}

void Instance::make_copy(Access& first, AccessList& let_in) {
  lock_.lock();
  const std::uint32_t readers = active_;
  lock_.unlock();
  Instance* const copy = copy_for(readers);
  if (copy == nullptr) return;
  first.instance = copy;
  Access* other = let_in.front();
  for (std::uint32_t i = 1; i < readers; ++i, other = other->next) other->instance = copy;
  (void)leave(readers, let_in);  // not dead, since others wait
}

// An instance that the readers use instead of this one.
Instance* Instance::copy_for(std::uint32_t readers) {
  if (!is_fine()) return nullptr;
  Instance* const copy = rarely_->copy(core(), *this);
  if (copy == nullptr) return nullptr;
  copy->lock_.lock();
  copy->active_ = readers;
  copy->group_ = Effect::read;
  copy->lock_.unlock();
  (void)copy->retire();
  return copy;
}

// Puts an access into the line. Returns true if it need not wait, in a PartLine.
[[gnu::noinline]] bool Instance::wait(Access& access, Effect group) {
  if (rarely_->parts == nullptr) {
    wait_in_line(access, group);
    return false;
  }
  PartLine& parts = *rarely_->parts;
  access.is_special = true;
  if (is_part(access.effect)) return parts.enter(*access.use);
  PartUse*& use = access.effect == Effect::accumulate ? access.partial->use : access.use;
  return parts.enter_whole(access, group_in_parts(group), use);
}

bool Instance::enter(Access& access) {
  if (is_one_of<Effect::commute, Effect::accumulate, Effect::part_read, Effect::part_modify>(
          access.effect)) [[unlikely]]
    prepare(access);
  const core::LockGuard guard(lock_);
  return enter_now(access);
}

bool Instance::enter_row(Access& first, Access* second, Access* third) {
  const core::LockGuard guard(lock_);
  const bool is_open = enter_now(first);
  for (Access* const access : {second, third}) {
    if (access == nullptr) break;
    (void)enter_now(*access);
  }
  return is_open;
}

inline bool Instance::enter_now(Access& access) {
  const Effect group = group_of(access.effect);
  const bool is_open = active_ == 0 || (is_shared(group) && group == group_);
  if (waiting_.front() != nullptr || !is_open) {
    if (rarely_ != nullptr) [[unlikely]]
      return wait(access, group);
    waiting_.push_back(access);
    return false;
  }
  ++active_;
  group_ = group;
  return true;
}

// A back end that orders tasks knows no parts. What failures of parts need is made now, before
// other threads use it.
bool Instance::count_use(Access& access, Effect joint) {
  (void)rarely();
  if (access.effect == Effect::accumulate) prepare(access);
  const Effect group = joint == Effect::part_read ? Effect::read : group_of(joint);
  const core::LockGuard guard(lock_);
  const Effect before = std::exchange(group_, group);
  if (active_++ == 0 || before == group) return false;
  return is_one_of<Effect::read, Effect::accumulate>(before) &&
         is_one_of<Effect::read, Effect::accumulate>(group);
}

// Prefetches the next of many waiting tasks, which are no longer in a cache.
void Instance::let_in(AccessList& let_in) {
  Access* access = waiting_.pop_front();
  if (access == nullptr) return;
  group_ = group_of(access->effect);
  do {
    ++active_;
    __builtin_prefetch(&access->task(), 1);
    let_in.push_back(*access);
    access = waiting_.front();
    if (access == nullptr) return;
    if (!is_shared(group_) || group_of(access->effect) != group_) break;
    (void)waiting_.pop_front();
  } while (true);
  __builtin_prefetch(access->next);
}

inline bool Instance::leave(std::uint32_t count, AccessList& let_in_now) {
  const core::LockGuard guard(lock_);
  active_ -= count;
  if (active_ == 0) let_in(let_in_now);
  return is_dead();
}

bool Instance::leave(Access& access, AccessList& let_in_now) {
  if (access.is_special) [[unlikely]]
    return leave_specially(access, let_in_now);
  return leave(1, let_in_now);
}

bool Instance::leave_specially(Access& access, AccessList& let_in_now) {
  const bool accumulates = access.effect == Effect::accumulate;
  PartUse* const use = accumulates ? access.partial->use : access.use;
  const std::uint32_t left = accumulates ? add_partials(access) : 1;
  if (left == 0) return false;  // another thread leaves for this task, which may be deleted already
  if (use == nullptr || rarely_->parts == nullptr) return leave(left, let_in_now);
  const core::LockGuard guard(lock_);
  PartLine& parts = *rarely_->parts;
  parts.leave(*use, let_in_now);
  if (!is_part(access.effect)) {
    parts.recycle(*use);
    access.use = nullptr;
    access.is_special = false;  // a border enters again
  }
  return is_retired_ && parts.is_empty();
}

// The first thread that finds all predecessors done adds what is complete; threads that come
// meanwhile leave their values to it. Thus values are added in the order of the program, by one
// thread at a time.
std::uint32_t Instance::add_partials(Access& access) {
  Rarely& rarely = *rarely_;
  lock_.lock();
  access.partial->is_done = true;
  if (rarely.is_adding) {
    lock_.unlock();
    return 0;
  }
  rarely.is_adding = true;
  std::uint32_t added = 0;
  while (rarely.first != nullptr && rarely.first->is_done) {
    Partial* const partial = rarely.first;
    rarely.first = partial->next;
    if (rarely.first == nullptr) rarely.last = nullptr;
    lock_.unlock();
    add(*partial);
    delete partial;
    ++added;
    lock_.lock();
  }
  rarely.is_adding = false;
  lock_.unlock();
  return added;
}

bool Instance::take(Access& access) {
  const core::LockGuard guard(lock_);
  if (!std::exchange(rarely_->is_taken, true)) return true;
  rarely_->want_it.push_back(access);
  return false;
}

Access* Instance::yield() {
  const core::LockGuard guard(lock_);
  Access* const next = rarely_->want_it.pop_front();
  if (next == nullptr) rarely_->is_taken = false;
  return next;
}

bool Instance::retire() {
  const core::LockGuard guard(lock_);
  is_retired_ = true;
  if (is_idle()) return true;
  // Under the lock, since another thread may delete it as soon as its last task is over.
  if (is_counted_) static_cast<CountedInstance&>(*this).hold();
  return false;
}

bool Instance::is_unused() const {
  const core::LockGuard guard(lock_);
  return is_idle();
}

std::vector<const Access*> Instance::waiting() const {
  std::vector<const Access*> line;
  const core::LockGuard guard(lock_);
  for (const Access* access = waiting_.front(); access != nullptr; access = access->next) {
    // A task's access knows its place in the task.
    if (access->offset != 0) line.push_back(access);
  }
  return line;
}

bool Instance::is_idle() const {
  if (rarely_ != nullptr && rarely_->parts != nullptr) return rarely_->parts->is_empty();
  return active_ == 0 && waiting_.front() == nullptr;
}

void Instance::drop_value() {
  if (Instance* const holder = std::exchange(holder_, nullptr)) {
    value_ = nullptr;
    delete holder;
    return;
  }
  void* const value = std::exchange(value_, nullptr);
  if (value != nullptr && !std::exchange(is_borrowed_, false)) destroy(value);
}

void Instance::share(std::shared_ptr<const void> value) {
  drop_value();
  value_ = const_cast<void*>(value.get());  // its datum is only read
  is_borrowed_ = true;
  rarely_->shared = std::move(value);
  if (is_counted_) static_cast<CountedInstance&>(*this).note_value();
}

void Instance::take_back(Instance* last) {
  set_failure(last->any_failure());
  if (last->value_ != value_) {
    drop_value();
    if (last->value_ != nullptr) {
      value_ = last->value_;
      holder_ = last;
    }
  }
  if (holder_ != last) delete last;
  if (is_counted_) static_cast<CountedInstance&>(*this).note_value();
}

void Instance::put_place_holder() {
  renew();
  if (is_counted_) static_cast<CountedInstance&>(*this).note_value();
}

std::int64_t Instance::measured_bytes() {
  return is_counted_ ? std::max<std::int64_t>(0, static_cast<CountedInstance&>(*this).bytes()) : 0;
}

// --- counted ---

CountedInstance::~CountedInstance() {
  if (is_held_) core().hold(-bytes_);
}

void CountedInstance::note_value() {
  const bool has_own = value() != nullptr && !is_borrowed();
  const std::int64_t bytes = has_own ? measure_(core(), value()) : 0;
  const core::LockGuard guard(bytes_lock_);
  if (is_held_) core().hold(bytes - bytes_);
  bytes_ = bytes;
}

// A value that a task will write is expected to be as large as others of its type; if there was
// none, a part of the window, so that the first ones are awaited.
void CountedInstance::hold() {
  const core::LockGuard guard(bytes_lock_);
  if (bytes_ == TypeSizes::unknown) bytes_ = core().expected_bytes(label().type);
  is_held_ = true;
  core().hold(bytes_);
}

}  // namespace roam::flow
