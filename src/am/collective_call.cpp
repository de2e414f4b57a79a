// SPDX-License-Identifier: Apache-2.0
#include "roam/am/detail/collective_call.hpp"

#include "roam/am/detail/collectives.hpp"
#include "roam/core/detail/type_name.hpp"
#include "roam/core/error.hpp"

namespace roam::am {

namespace {
constinit const CollectiveTypes* first_types =
    nullptr;  // written during static initialisation only

constexpr std::string_view names[] = {"barrier",   "broadcast", "reduce",
                                      "allreduce", "gather",    "allgather"};
}  // namespace

CollectiveTypes::CollectiveTypes(const core::ProgramName& value, const core::ProgramName& operation,
                                 std::string_view called)
    : value_(value),
      operation_(operation),
      called_(called),
      id_(id_of(value.symbol, operation.symbol)),
      next_(first_types) {
  first_types = this;
}

std::string CollectiveTypes::describe() const {
  if (!called_.empty()) return " of " + std::string(called_);
  bool has_namesake = false;
  for (const CollectiveTypes* types = first_types; types != nullptr; types = types->next_) {
    has_namesake = has_namesake || (types->id_ != id_ && types->value_.text == value_.text &&
                                    types->operation_.text == operation_.text);
  }
  const auto shown = [has_namesake](const core::ProgramName& name) {
    return has_namesake ? core::readable_symbol(name.symbol) : std::string(name.text);
  };
  std::string text = value_.text.empty() ? "" : " of " + shown(value_);
  if (!operation_.text.empty()) text += " by " + shown(operation_);
  return text;
}

const CollectiveTypes* CollectiveTypes::find(std::uint32_t id) {
  const CollectiveTypes* types = first_types;
  while (types != nullptr && types->id_ != id) types = types->next_;
  return types;
}

std::string describe(const CollectiveKey& key) {
  std::string text(names[static_cast<std::size_t>(key.kind)]);
  const bool has_root = key.kind == CollectiveKind::broadcast ||
                        key.kind == CollectiveKind::reduce || key.kind == CollectiveKind::gather;
  if (has_root) {
    text += key.kind == CollectiveKind::broadcast ? " from rank " : " to rank ";
    text += std::to_string(key.root.value());
  }
  const CollectiveTypes* types = CollectiveTypes::find(key.types);
  return types == nullptr ? text : text + types->describe();
}

CollectiveCall::CollectiveCall(Collectives& collectives, std::uint64_t sequence,
                               const CollectiveKey& key, Rank heard_from)
    : collectives_(collectives), sequence_(sequence), key_(key), heard_from_(heard_from) {
  priority = Priority::high;  // others wait for its messages
}

CollectiveCall::~CollectiveCall() = default;

void CollectiveCall::drop() { queued_.reset(); }

bool CollectiveCall::wait(exec::Suspension* waiter) {
  waiter_.store(waiter, std::memory_order_release);
  std::uint32_t expected = empty;
  return phase_.compare_exchange_strong(expected, waiting, std::memory_order_acq_rel);
}

CollectiveValue& CollectiveCall::open() const {
  if (outcome_ == Outcome::failed) throw Error(text_);
  if (outcome_ == Outcome::aborted) throw JobAborted(text_);
  return *value_;
}

void CollectiveCall::finish(Outcome outcome, std::string text) {
  outcome_ = outcome;
  text_ = std::move(text);
  if (phase_.exchange(done, std::memory_order_acq_rel) == waiting)
    waiter_.load(std::memory_order_acquire)->resume();
}

// The scheduler has a plain pointer only: a queued call refers to itself, so that it is not freed.
void CollectiveCall::queue() {
  queued_ = shared_from_this();
  collectives_.messenger_.engine().push(this);
}

void CollectiveCall::run(exec::Context& context) {
  const auto self = std::move(queued_);
  context.label = "collective";
  advance();
}

void CollectiveCall::advance() {
  for (;;) {
    const CollectiveStep* step = nullptr;
    Incoming message;
    {
      const core::LockGuard guard(collectives_.lock_);
      if (collectives_.ended_) return;
      if (next_step_ < steps_.size()) {
        step = &steps_[next_step_];
        if (step->action != CollectiveStep::Action::send) {
          auto arrival = arrivals_.begin();
          while (arrival != arrivals_.end() && arrival->source != step->peer) ++arrival;
          if (arrival == arrivals_.end()) {
            awaited_.store(step->peer.value(), std::memory_order_relaxed);
            is_running_ = false;
            return;
          }
          message = std::move(*arrival);
          arrivals_.erase(arrival);
        }
        ++next_step_;
      }
    }
    if (step == nullptr) return collectives_.completed(*this);
    try {
      if (step->action == CollectiveStep::Action::send) {
        collectives_.send(*this, *step);
      } else {
        core::Unpacker bytes(message.payload());
        value_->take(bytes, *step);
      }
    } catch (const std::exception& error) {
      if (dynamic_cast<const MalformedMessage*>(&error) != nullptr)
        collectives_.messenger_.reject(step->peer, error.what());
      const bool is_sending = step->action == CollectiveStep::Action::send;
      return collectives_.fail("collective call " + std::to_string(sequence_ + 1) + ", " +
                               am::describe(key_) + ": rank " +
                               std::to_string(collectives_.rank().value()) +
                               (is_sending ? " could not send to rank " : " with rank ") +
                               std::to_string(step->peer.value()) + ": " + error.what());
    }
  }
}

std::string CollectiveCall::waits_for() const {
  std::string text = "collective call " + std::to_string(sequence_ + 1) + ", " + am::describe(key_);
  if (!is_called_.load(std::memory_order_acquire)) return text + ", which this rank has not called";
  const std::int32_t awaited = awaited_.load(std::memory_order_relaxed);
  if (awaited >= 0) text += ": the part of rank " + std::to_string(awaited);
  return text;
}

std::string CollectiveCall::who() const {
  if (!is_called_.load(std::memory_order_acquire))
    return "the part of rank " + std::to_string(heard_from_.value());
  // The suspension ends only after this object has left the list of waits.
  const exec::Suspension* waiter = waiter_.load(std::memory_order_acquire);
  const exec::Execution* execution = waiter == nullptr ? nullptr : waiter->execution();
  return execution == nullptr ? "the program" : execution->describe();
}

}  // namespace roam::am
