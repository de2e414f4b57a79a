// SPDX-License-Identifier: Apache-2.0
#include "lent_objects.hpp"

#include <map>

#include "roam/mobile/detail/object_space.hpp"
#include "roam/mobile/detail/resident.hpp"

namespace roam::mobile {

/// Lends a part of an object. The object's destructor is code of the program and must not run where
/// the network releases a buffer, unless nothing else is left to run it.
class LentObjects::Lent final : public core::Lender, public exec::ReadyItem {
 public:
  Lent(std::shared_ptr<LentObjects> all, Resident& resident)
      : all_(std::move(all)), resident_(&resident) {
    resident.add_reference();
    const core::LockGuard guard(all_->lock_);
    after_ = all_->first_;
    if (after_ != nullptr) after_->before_ = this;
    all_->first_ = this;
  }
  ~Lent() {
    const core::LockGuard guard(all_->lock_);
    (before_ == nullptr ? all_->first_ : before_->after_) = after_;
    if (after_ != nullptr) after_->before_ = before_;
  }

  void take_back(std::span<std::byte> memory) noexcept override {
    {
      const core::LockGuard guard(all_->lock_);
      if (all_->messenger_ != nullptr) {
        all_->messenger_->engine().push(this);
        return all_->messenger_->end_lending(memory.size());
      }
    }
    delete this;
  }
  void run(exec::Context& /*context*/) override { drop(); }
  void drop() override {
    if (resident_ != nullptr) resident_->release();
    delete this;
  }

 private:
  friend class LentObjects;
  const std::shared_ptr<LentObjects> all_;
  Resident* resident_;            // nullptr once the ObjectSpace has ended
  std::shared_ptr<void> object_;  // the object itself, after the ObjectSpace has ended
  Lent* before_ = nullptr;        // under the lock
  Lent* after_ = nullptr;         // under the lock
};

core::Buffer LentObjects::lend(Resident& resident, std::span<const std::byte> elements) {
  auto lent = std::make_unique<Lent>(shared_from_this(), resident);
  core::Buffer buffer = core::Buffer::borrow_to_send(elements, lent.get());
  static_cast<void>(lent.release());  // it owns itself until take_back()
  resident.space.messenger().begin_lending(elements.size());
  return buffer;
}

void LentObjects::close() {
  // This is a map because an object that was refused and sent again is lent twice.
  std::map<Resident*, std::shared_ptr<void>> objects;
  std::vector<Resident*> residents;
  {
    const core::LockGuard guard(lock_);
    messenger_ = nullptr;
    for (Lent* lent = first_; lent != nullptr; lent = lent->after_) {
      Resident* const resident = residents.emplace_back(std::exchange(lent->resident_, nullptr));
      std::shared_ptr<void>& object = objects[resident];
      if (object == nullptr)
        object = {std::exchange(resident->object, nullptr), resident->type.functions().destroy};
      lent->object_ = object;
    }
  }
  for (Resident* const resident : residents) resident->release();
}

}  // namespace roam::mobile
