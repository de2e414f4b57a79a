// SPDX-License-Identifier: Apache-2.0
#include "roam/flow/detail/for_each.hpp"

#include <memory>
#include <utility>

#include "flow/flow_part.hpp"
#include "roam/flow/core.hpp"

namespace roam::flow::detail {

EachOperation::EachOperation(Scope& scope, const SourceLine& where, Priority priority)
    : scope_(scope), where_(where), priority_(priority) {
  if (scope.task() != nullptr) {
    throw Error("for_each (" + to_string(where) +
                ") inside a task: operations on collections are issued by the main programs of all "
                "ranks");
  }
}

void EachOperation::refuse(const CollectionRecord& record, const std::string& why) const {
  throw Error("for_each (" + to_string(where_) + ") " + why + ": " + to_string(record.label()));
}

// Whether two uses of one collection concern different parts of its elements. A part without
// elements waits like one with the next, and so counts as one where other tasks modify that.
bool EachOperation::are_apart(const Use& use, const Use& other) {
  if (!is_part(use.effect) || !is_part(other.effect)) return false;
  const bool is_of_one_task = use.offset.is_own() && other.offset.is_own();
  return !overlap(use.range, other.range) ||
         (is_of_one_task && (use.range.has_none || other.range.has_none));
}

void EachOperation::uses(CollectionRecord& record, const Offset& offset, Effect effect,
                         const PartUse& range) {
  const Use added{&record, offset, effect, range};
  if (!offset.is_own() && writes(effect))
    refuse(record, std::string(verb_of(effect)) + " an element at an offset; own() may be written");
  if (needs_value(effect) && !record.is_written())
    refuse(record, std::string(verb_of(effect)) + " elements that no task has written");
  if (offset.map == nullptr) {
    if (first_ == nullptr) first_ = &record;
    if (&record.distribution() != &first_->distribution())
      refuse(record, "uses collections of different indices or placement");
  }
  for (const Use& use : uses_) {
    if (use.record != &record || (!writes(use.effect) && !writes(effect))) continue;
    // A value that is overwritten is made anew, beside the one that is read.
    const Effect writing = writes(effect) ? effect : use.effect;
    if (writing == Effect::overwrite && writes(effect) != writes(use.effect)) continue;
    if (are_apart(use, added)) continue;
    refuse(record,
           "modifies a collection of which it uses elements by another argument, too; give Out<T> "
           "to own(), use parts that do not overlap, or use a second collection");
  }
  uses_.push_back(added);
  if (is_part(effect)) record.note_parts();
}

void EachOperation::check_has_element() const {
  if (first_ == nullptr)
    throw Error("for_each (" + to_string(where_) + ") is given no element of a collection");
}

void EachOperation::offer() {
  if (first_->distribution().moves_within_phases()) [[unlikely]]
    FlowPart::of(scope_.core().engine()).element_tasks().prepare(first_->distribution());
  for (const Use& use : uses_) use.record->offer(use.offset, *first_, where_);
  if (first_->distribution().counts_reads()) [[unlikely]]
    count_reads();
}

// The index whose element the task of the k-th index reads as a whole by the argument.
std::optional<std::uint64_t> EachOperation::index_read(const Use& use, std::uint64_t k) const {
  const std::uint64_t own = first_->distribution().index(k);
  if (!reads_whole(use.effect)) return std::nullopt;
  if (use.offset.is_own()) return own;
  std::uint64_t index = 0;
  if (!use.record->find_read(own, use.offset, *first_, index)) return std::nullopt;
  return index;
}

std::size_t EachOperation::count_alike_before(const Use& use, std::uint64_t index,
                                              std::uint64_t k) const {
  std::size_t alike = 0;
  const DatumLabel label = use.record->label_of(index);
  for (const Use* other = uses_.data(); other != &use; ++other) {
    const auto read = index_read(*other, k);
    if (read && are_alike(other->record->label_of(*read), label)) ++alike;
  }
  return alike;
}

// An offset may lead around a periodic collection to the task's own element. A part is not
// measured: the task may run beside others that modify other parts.
void EachOperation::count_reads() {
  Distribution& own = first_->distribution();
  for (std::uint64_t k = 0; k < count(); ++k)
    counted_.push_back(ElementLoadRef::make(std::make_unique<TaskReads>(own.load(k))));
  for (const Use& use : uses_) {
    if (use.offset.is_own() || writes(use.effect)) continue;
    const CollectionRecord& record = *use.record;
    for (std::uint64_t k = 0; k < count(); ++k) {
      std::uint64_t index = 0;
      if (!record.find_read(own.index(k), use.offset, *first_, index)) continue;
      if (&record.distribution() == &own && index == own.index(k)) continue;
      ElementRead& read = own.reads(k).of(record.distribution().name(), record.number(), index);
      if (std::exchange(read.version, record.deliveries()) == record.deliveries()) continue;
      ++read.messages;
      if (is_part(use.effect)) continue;
      counted_[k]->reads()->expect(read, record.type(), record.label_of(index),
                                   count_alike_before(use, index, k));
    }
  }
}

bool EachOperation::is_also_read(const CollectionRecord& record) const {
  for (const Use& use : uses_) {
    if (use.record == &record && !writes(use.effect)) return true;
  }
  return false;
}

Datum& EachOperation::read_at(CollectionRecord& record, const Offset& offset, Datum* border,
                              std::uint64_t k) const {
  return record.to_read(first_->linear(k), offset, *first_, border, where_);
}

DatumArgument EachOperation::argument(CollectionRecord& record, const Offset& offset, Datum* border,
                                      Effect effect, std::uint64_t k) {
  if (!offset.is_own()) return {&read_at(record, offset, border, k), nullptr};
  Datum& datum = record.local(k);
  if (effect != Effect::overwrite || !is_also_read(record)) return {&datum, nullptr};
  renewed_.push_back({&datum, datum.make()});
  return {&datum, renewed_.back().instance};
}

void EachOperation::finish() {
  for (const Renewed& one : renewed_) one.datum->replace(one.instance);
  for (const Use& use : uses_) {
    if (writes(use.effect)) use.record->note_written();
  }
}

ParcelName EachOperation::next_name() {
  const std::uint64_t number = scope_.core().next_operation();
  if (first_reduction_ == 0) first_reduction_ = number;
  return {scope_.core().id(), 0, number, 0};
}

}  // namespace roam::flow::detail
