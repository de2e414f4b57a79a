// SPDX-License-Identifier: Apache-2.0
// Failures of parts of a datum: who uses other parts is not concerned.
#include <algorithm>
#include <string>
#include <utility>

#include "roam/flow/core.hpp"
#include "roam/flow/detail/instance.hpp"
#include "roam/flow/detail/part_line.hpp"

namespace roam::flow {

void PartFailures::add(const PartUse& range, const FailureRef& failure) {
  for (const One& one : all_) {
    if (one.range.begin <= range.begin && range.end <= one.range.end) return;
  }
  all_.push_back({range, failure});
}

FailureRef PartFailures::first(const PartUse& range) const {
  const One* lowest = nullptr;
  const auto place = [&](const One& one) { return std::max(one.range.begin, range.begin); };
  for (const One& one : all_) {
    if (overlap(one.range, range) && (lowest == nullptr || place(one) < place(*lowest)))
      lowest = &one;
  }
  return lowest == nullptr ? FailureRef() : lowest->failure;
}

// In a program whose tasks run at once, nobody enters, and this is the first to be known of parts.
// A part without elements takes the place of one with the next, which has not failed.
void Instance::set_part_failure(const Access& access, const FailureRef& failure) {
  if (range_of(access).has_none) return;
  Rarely& rarely = this->rarely();
  const core::LockGuard guard(lock_);
  if (rarely.failures == nullptr) rarely.failures = std::make_unique<PartFailures>();
  rarely.failures->add(range_of(access), failure);
}

FailureRef Instance::failure_of(const Access& access) const {
  if (is_failed_as_whole() || rarely_ == nullptr) return failure_;
  const core::LockGuard guard(lock_);
  return rarely_->failures == nullptr ? FailureRef() : rarely_->failures->first(range_of(access));
}

FailureRef Instance::any_failure() const { return failure_of(Access()); }

void Instance::forget_part_failures() {
  if (rarely_ == nullptr) return;
  const core::LockGuard guard(lock_);
  rarely_->failures = nullptr;
}

bool Instance::has_part_failures() const {
  if (rarely_ == nullptr) return false;
  const core::LockGuard guard(lock_);
  return rarely_->failures != nullptr;
}

void Instance::recover(const Access& access) {
  if (access.is_special) forget_part_failures();
  if (failure_) set_failure({});
}

bool Instance::is_failed_in_parts() const {
  return value_ != nullptr && !is_failed_as_whole() && has_part_failures();
}

bool Instance::is_failed_in_parts(const Access& access) const {
  return (access.is_special || is_failed_in_parts_) && is_failed_in_parts();
}

void Instance::write_part_failures(core::Packer& packer) const {
  const core::LockGuard guard(lock_);
  const auto& all = rarely_->failures->all();
  core::pack(packer, std::uint64_t{all.size()});
  for (const PartFailures::One& one : all) {
    core::pack(packer, std::uint64_t{one.range.begin}, std::uint64_t{one.range.end},
               one.failure->text());
  }
}

void Instance::read_part_failures(core::Unpacker& bytes, bool is_copy) {
  auto failures = std::make_unique<PartFailures>();
  for (auto count = core::unpack<std::uint64_t>(bytes); count > 0; --count) {
    PartUse range;
    range.begin = core::unpack<std::uint64_t>(bytes);
    range.end = core::unpack<std::uint64_t>(bytes);
    const FailureRef failure(
        new Failure(core().engine(), core::unpack<std::string>(bytes), nullptr));
    if (is_copy) failure->note_told();
    failures->add(range, failure);
  }
  failure_ = failures->first(PartUse());
  is_failed_in_parts_ = true;
  const core::LockGuard guard(lock_);
  rarely_->failures = std::move(failures);
}

void Instance::note_failures_told() const {
  if (failure_) failure_->note_told();
  if (!has_part_failures()) return;
  const core::LockGuard guard(lock_);
  for (const PartFailures::One& one : rarely_->failures->all()) one.failure->note_told();
}

}  // namespace roam::flow
