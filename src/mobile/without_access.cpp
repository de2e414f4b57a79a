// SPDX-License-Identifier: Apache-2.0
#include "roam/mobile/without_access.hpp"

#include <utility>

#include "resident_steps.hpp"
#include "roam/core/error.hpp"
#include "roam/mobile/detail/object_space.hpp"

namespace roam::mobile {

/// Stands in the inbox, before all calls that have not started, for a coroutine that wants its
/// access back.
class RegainCall final : public Call {
 public:
  RegainCall(ObjectSpace& space, const Call& original, AccessWait& wait)
      : Call(space, space.messenger(), original.method(), original.header()), wait_(wait) {
    header_.flags = CallHeader::regains_access;
    header_.priority = static_cast<std::uint8_t>(Priority::high);
    header_.reply_token = 0;
  }
  void invoke(exec::Context& context, void*) override {
    Resident& object = *resident;
    AccessWait& wait = wait_;
    {
      const Residents& residents = space_.residents();
      const ShardLock lock(residents.shard(object.id));
      --object.suspended;
      static_cast<void>(object.remove_user());  // the original call is a user, too
      residents.watch().saw(ProtocolEvent::Kind::regained, header_, no_rank, 0, wait.call_);
    }
    delete this;
    wait.go_on(context);
  }
  void pack_arguments(core::Packer&) const override {}
  void lost_object() override {
    AccessWait& wait = wait_;
    delete this;
    wait.lose_object();
  }

 private:
  AccessWait& wait_;
};

void AccessWait::give_up() {
  call_ = dynamic_cast<Call*>(execution());
  if (call_ == nullptr) return;
  exec::Engine& engine = call_->resident->space.engine();
  if (engine.is_ahead_of_time()) return engine.push(&give_up_);
  give_up_now(nullptr);
}

void AccessWait::give_up_now(exec::Context* context) {
  Resident& resident = *call_->resident;
  Residents& residents = resident.space.residents();
  Effects<effect::Ready> effects;
  bool goes_on = false;
  {
    const ShardLock lock(residents.shard(resident.id));
    goes_on = is_wanted_back_;
    if (!goes_on) {
      has_given_up_ = true;
      if (call_->method().is_exclusive()) {
        resident.exclusive_running = false;
      } else {
        --resident.shared_running;
      }
      ++resident.suspended;
      residents.watch().saw(ProtocolEvent::Kind::gave_up, call_->header(), no_rank, 0, call_);
      effects.ready = residents.startable(resident);
    }
  }
  if (goes_on) return go_on(*context);
  residents.apply(std::move(effects));
}

void AccessWait::run(exec::Context& context) {
  if (call_ == nullptr) return Suspension::run(context);
  Resident& resident = *call_->resident;
  Residents& residents = resident.space.residents();
  Effects<effect::Ready> effects;
  bool is_gone = false;
  {
    const ShardLock lock(residents.shard(resident.id));
    if (!has_given_up_) {
      is_wanted_back_ = true;
      return;
    }
    is_gone = is_gone_ = is_gone_ || resident.state == Resident::State::gone;
    if (!is_gone) {
      auto* regain = new RegainCall(resident.space, *call_, *this);
      resident.inbox.push_front(regain);
      resident.count(*regain, 1);
      effects.ready = residents.startable(resident);
    }
  }
  // From here on the coroutine may have gone on elsewhere and ended, and with it this object.
  if (is_gone) return go_on(context);
  residents.apply(std::move(effects));
}

void AccessWait::go_on(exec::Context& context) { Suspension::run(context); }

// Called without a lock; no other thread knows this object any more.
void AccessWait::lose_object() {
  is_gone_ = true;
  resume();
}

void AccessWait::check() const {
  if (is_gone_)
    throw ObjectGone("object " + to_string(call_->resident->id) +
                     " was destroyed while its method " + call_->method().describe() +
                     " waited without access");
}

}  // namespace roam::mobile
