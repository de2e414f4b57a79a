// SPDX-License-Identifier: Apache-2.0
#include "roam/flow/collection.hpp"

#include <cstring>
#include <utility>

#include "roam/am/system_handlers.hpp"
#include "roam/core/error.hpp"
#include "roam/flow/core.hpp"

namespace roam::flow {

namespace {

/// Reads an element and sends it to another rank.
class SendTask final : public TaskRecord {
 public:
  SendTask(Scope& scope, const SourceLine& where, Exchange& exchange, const ElementType& type,
           Rank to, const ParcelName& name, Datum& datum)
      : TaskRecord(scope, "send", where), exchange_(exchange), type_(type), to_(to), name_(name) {
    access_.datum = &datum;
    access_.effect = Effect::read;
    set_accesses(&access_, 1);
  }
  void call() override {
    auto message = exchange_.begin(name_, false);
    type_.pack(message.packer(), access_.instance->value());
    exchange_.messenger().post(to_, std::move(message));
  }
  void cannot_run(const FailureRef& failure) override {
    const std::string& words = failure->text();
    exchange_.send(to_, name_, true, std::as_bytes(std::span(words)));
    failure->note_told();  // the other rank is
  }

 private:
  Exchange& exchange_;
  const ElementType& type_;
  const Rank to_;
  const ParcelName name_;
  Access access_;
};

/// Gives a datum the value that another rank has sent.
class ReceiveTask final : public TaskRecord, public Receiver {
 public:
  ReceiveTask(Scope& scope, const SourceLine& where, const ElementType& type, Datum& datum,
              Rank from, std::uint64_t version)
      : TaskRecord(scope, "receive", where), type_(type), from_(from), version_(version) {
    access_.datum = &datum;
    access_.effect = Effect::overwrite;
    set_accesses(&access_, 1);
  }
  void arrived(Arrived&& parcel) override {
    parcel_ = std::move(parcel);
    core().arrived(*this);
  }
  [[nodiscard]] std::string awaits_elsewhere() const override {
    return "version " + std::to_string(version_) + " of " + to_string(access_.instance->label()) +
           " from rank " + std::to_string(from_.value()) + ", read at " + to_string(where());
  }
  void call() override {
    const std::span<const std::byte> bytes = parcel_.bytes.payload();
    if (parcel_.has_failed) {
      throw TaskFailed(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
                       nullptr);
    }
    core::Unpacker unpacker(bytes);
    type_.unpack(*access_.instance, unpacker);
  }

 private:
  const ElementType& type_;
  const Rank from_;
  const std::uint64_t version_;
  Arrived parcel_;
  Access access_;
};

}  // namespace

CollectionRecord::CollectionRecord(Scope& scope, Exchange& exchange, std::uint32_t flow,
                                   std::uint32_t number, const ElementType& type,
                                   const mobile::CollectionShape& shape, Rank rank,
                                   const DatumLabel& label)
    : scope_(scope),
      exchange_(exchange),
      flow_(flow),
      number_(number),
      type_(type),
      shape_(shape),
      rank_(rank),
      label_(label),
      homes_(shape, rank) {
  shape.check();
  elements_.reserve(homes_.count());
  for (std::uint64_t k = 0; k < homes_.count(); ++k)
    elements_.push_back(new Datum(scope, type.make, label_of(homes_.linear(k))));
}

std::uint64_t CollectionRecord::number_of(const mobile::Coordinates& at) const {
  if (!shape_.contains(at))
    throw Error(shape_.describe(at) + " is no element of " + to_string(label_));
  return shape_.linear(at);
}

CollectionRecord::~CollectionRecord() {
  for (Datum* element : elements_) element->release();
  for (const auto& [linear, datum] : arriving_) datum->release();
  if (beyond_ != nullptr) beyond_->release();
}

DatumLabel CollectionRecord::label_of(std::uint64_t linear) const {
  DatumLabel label = label_;
  label.element = static_cast<std::int64_t>(linear);
  return label;
}

void CollectionRecord::set_name(const char* name) {
  label_.name = name;
  for (Datum* element : elements_) element->set_name(name);
}

void CollectionRecord::note_written() {
  ++version_;
  for (const auto& [linear, datum] : arriving_) datum->release();
  arriving_.clear();
  sent_.clear();
  for (Datum* element : elements_) element->note_written();
}

// The element at offset times sign from another. False: it lies beyond the edges.
bool CollectionRecord::find(std::uint64_t linear, const Offset& offset, std::int64_t sign,
                            std::uint64_t& found) const {
  mobile::Coordinates at = shape_.coordinates(linear);
  for (std::size_t d = 0; d < at.size(); ++d) {
    at[d] += sign * offset.by[d];
    if (offset.is_periodic)
      at[d] = (at[d] % shape_.extent[d] + shape_.extent[d]) % shape_.extent[d];
  }
  if (!shape_.contains(at)) return false;
  found = shape_.linear(at);
  return true;
}

void CollectionRecord::offer(const Offset& offset, const SourceLine& where) {
  if (shape_.ranks == 1 || offset.is_own()) return;
  const auto ranks = static_cast<std::uint64_t>(shape_.ranks);
  for (std::uint64_t k = 0; k < elements_.size(); ++k) {
    const std::uint64_t linear = homes_.linear(k);
    std::uint64_t reader = 0;
    if (!find(linear, offset, -1, reader)) continue;
    const Rank to = shape_.home(reader);
    if (to == rank_ ||
        !sent_.insert(linear * ranks + static_cast<std::uint64_t>(to.value())).second)
      continue;
    const ParcelName name{flow_, number_, version_, linear};
    scope_.core().submit(new (scope_.core())
                             SendTask(scope_, where, exchange_, type_, to, name, *elements_[k]));
  }
}

Datum& CollectionRecord::to_read(std::uint64_t linear, const Offset& offset,
                                 const SourceLine& where) {
  std::uint64_t found = linear;
  if (!offset.is_own() && !find(linear, offset, 1, found)) return beyond();
  if (homes_.contains(found)) return *elements_[homes_.position(found)];
  return arriving(found, where);
}

Datum& CollectionRecord::beyond() {
  if (beyond_ == nullptr) {
    beyond_ = new Datum(scope_, type_.make, label_);
    beyond_->instance().renew();
    beyond_->note_written();
  }
  return *beyond_;
}

Datum& CollectionRecord::arriving(std::uint64_t linear, const SourceLine& where) {
  const auto [place, is_new] = arriving_.try_emplace(linear);
  if (!is_new) return *place->second;
  auto* const datum = new Datum(scope_, type_.make, label_of(linear));
  place->second = datum;
  Core& core = scope_.core();
  auto* const task =
      new (core) ReceiveTask(scope_, where, type_, *datum, shape_.home(linear), version_);
  core.submit_expected(task);
  std::optional<Arrived> early = exchange_.expect({flow_, number_, version_, linear}, *task);
  if (early) task->arrived(std::move(*early));
  return *datum;
}

}  // namespace roam::flow
