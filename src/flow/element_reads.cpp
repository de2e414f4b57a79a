// SPDX-License-Identifier: Apache-2.0
#include "roam/flow/detail/element_reads.hpp"

#include "roam/core/serialise.hpp"
#include "roam/flow/collection.hpp"

namespace roam::flow {

ElementLoad::ElementLoad() = default;
ElementLoad::ElementLoad(std::unique_ptr<TaskReads> reads) : reads_(std::move(reads)) {}
ElementLoad::~ElementLoad() = default;

void ElementLoad::took_counted(Duration time, std::span<const Access> accesses) {
  reads_->element().add(time);
  reads_->measure(accesses);
}

ElementLoadRef ElementLoadRef::make(std::unique_ptr<TaskReads> reads) {
  ElementLoadRef made;
  made.load_ = new ElementLoad(std::move(reads));
  return made;
}

std::uint64_t ElementRead::bytes() const {
  const std::uint64_t count = measured.load(std::memory_order_relaxed);
  if (count == 0) return 0;
  return messages * (measured_bytes.load(std::memory_order_relaxed) / count);
}

ElementRead& ElementReads::of(const DistributionName& name, std::uint32_t collection,
                              std::uint64_t index) {
  for (ElementRead& one : all_) {
    if (one.index == index && one.collection == collection && one.of == name) return one;
  }
  ElementRead& made = all_.emplace_back();
  made.of = name;
  made.collection = collection;
  made.index = index;
  return made;
}

void TaskReads::measure(std::span<const Access> accesses) {
  if (has_measured_.exchange(true, std::memory_order_relaxed)) return;
  for (const Expected& expected : expected_) {
    const Instance* const instance = find(expected, accesses);
    if (instance == nullptr || !instance->is_fine()) continue;
    core::Packer packer = core::Packer::counting();
    expected.type->pack(packer, instance->value());
    expected.read->measured.fetch_add(1, std::memory_order_relaxed);
    expected.read->measured_bytes.fetch_add(packer.counted(), std::memory_order_relaxed);
  }
}

const Instance* TaskReads::find(const Expected& expected, std::span<const Access> accesses) {
  std::size_t before = expected.before;
  for (const Access& access : accesses) {
    if (!reads_whole(access.effect)) continue;
    if (!are_alike(access.instance->label(), expected.label)) continue;
    if (before-- == 0) return access.instance;
  }
  return nullptr;
}

}  // namespace roam::flow
