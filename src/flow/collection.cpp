// SPDX-License-Identifier: Apache-2.0
#include "roam/flow/collection.hpp"
#include "arriving_task.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "roam/am/detail/system_handlers.hpp"
#include "roam/core/error.hpp"
#include "roam/flow/core.hpp"

namespace roam::flow {

/// Reads an element and sends it to another rank.
class CollectionRecord::SendTask : public TaskRecord {
 public:
  SendTask(const CollectionRecord& of, const SourceLine& where, Rank to, std::uint64_t linear,
           Datum& datum)
      : TaskRecord(of.scope_, "send", where),
        exchange_(of.exchange_),
        type_(of.type_),
        to_(to),
        name_{of.distribution_->name().flow, of.number_, of.deliveries_, linear} {
    access_.datum = &datum;
    access_.effect = Effect::read;
    set_accesses(&access_, 1);
    set_priority(Priority::high);  // another rank waits for it
  }
  void call() override {
    auto message = exchange_.begin(name_, false);
    type_.pack(message.packer(), access_.instance->value());
    exchange_.messenger().post(to_, std::move(message));
  }
  // The reader may use parts that are fine.
  void send_in_parts() {
    const Instance& instance = *access_.instance;
    auto message = exchange_.begin(name_, true);
    instance.write_part_failures(message.packer());
    type_.pack(message.packer(), instance.value());
    exchange_.messenger().post(to_, std::move(message));
  }
  [[nodiscard]] ParcelTag parcel() const override { return {tag_of(name_), ParcelTag::Use::send}; }
  void cannot_run(const FailureRef& failure) override {
    if (access_.instance->is_failed_in_parts(access_)) return send_in_parts();
    const std::string& words = failure->text();
    exchange_.send(to_, name_, true, std::as_bytes(std::span(words)));
    failure->note_told();  // the failure is reported on the other rank
  }

 protected:
  [[nodiscard]] std::uint64_t index() const { return name_.detail; }
  void set_to(Rank to) { to_ = to; }

 private:
  Exchange& exchange_;
  const ElementType& type_;
  Rank to_;
  const ParcelName name_;
  Access access_;
};

/// Like SendTask, to the rank that has an index, which has to be found out first.
class CollectionRecord::LateSendTask final : public SendTask {
 public:
  LateSendTask(const CollectionRecord& of, const CollectionRecord& tasks, const SourceLine& where,
               std::uint64_t reader, std::uint64_t linear, Datum& datum)
      : SendTask(of, where, no_rank, linear, datum),
        distribution_(tasks.distribution_),
        sent_(of.sent_),
        reader_(reader) {}
  void call() override {
    if (must_send()) SendTask::call();
  }
  void cannot_run(const FailureRef& failure) override {
    if (must_send()) SendTask::cannot_run(failure);
  }
  [[nodiscard]] std::string awaits_elsewhere() const override {
    if (distribution_->rank_of(reader_)) return {};
    return "the rank that has element " + std::to_string(reader_) + ", which reads element " +
           std::to_string(index()) + " at " + to_string(where());
  }

 private:
  // Several of the elements that read it may turn out to be on one rank.
  [[nodiscard]] bool must_send() {
    const Rank to = *distribution_->rank_of(reader_);
    set_to(to);
    return sent_->note(index(), to, static_cast<std::uint64_t>(distribution_->shape().ranks));
  }

  const std::shared_ptr<Distribution> distribution_;
  const std::shared_ptr<SentElements> sent_;
  const std::uint64_t reader_;
};

/// Gives a datum the value that another rank has sent.
class CollectionRecord::ReceiveTask final : public ArrivingTask {
 public:
  ReceiveTask(const CollectionRecord& of, const SourceLine& where, Datum& datum,
              std::optional<Rank> from)
      : ArrivingTask(of.scope_, "receive", where, datum, of.type_),
        distribution_(of.distribution_),
        from_(from),
        version_(of.version_),
        name_{of.distribution_->name().flow, of.number_, of.deliveries_,
              static_cast<std::uint64_t>(datum.label().element)} {}
  [[nodiscard]] ParcelTag parcel() const override {
    return {tag_of(name_), ParcelTag::Use::receive};
  }
  [[nodiscard]] std::string awaits_elsewhere() const override {
    return "version " + std::to_string(version_) + " of " + element_in_words() + " from " +
           (from_ ? "rank " + std::to_string(from_->value()) : "the rank that has it") +
           ", read at " + to_string(where());
  }

 private:
  // With its index in place of its number: "rim[3, 4] (Rim, jacobi.cpp:8)".
  [[nodiscard]] std::string element_in_words() const {
    const mobile::CollectionShape& shape = distribution_->shape();
    const mobile::Coordinates at = shape.coordinates(name_.detail);
    std::string index = std::to_string(at[0]);
    for (std::size_t d = 1; d < static_cast<std::size_t>(shape.dimensions); ++d)
      index += ", " + std::to_string(at[d]);
    return to_string(target().label(), index);
  }

  const std::shared_ptr<Distribution> distribution_;
  const std::optional<Rank> from_;
  const std::uint64_t version_;
  const ParcelName name_;
};

CollectionRecord::CollectionRecord(Scope& scope, Exchange& exchange,
                                   std::shared_ptr<Distribution> where, std::uint32_t number,
                                   const ElementType& type, const DatumLabel& label)
    : scope_(scope),
      exchange_(exchange),
      distribution_(std::move(where)),
      number_(number),
      type_(type),
      label_(label),
      sent_(std::make_shared<SentElements>()) {
  const std::uint64_t count = distribution_->count();
  elements_.reserve(count);
  for (std::uint64_t k = 0; k < count; ++k) elements_.push_back(make_element(linear(k)));
  distribution_->add(*this);
}

Datum* CollectionRecord::make_element(std::uint64_t linear) const {
  return new Datum(scope_, type_.make, label_of(linear));
}

std::uint64_t CollectionRecord::number_of(const mobile::Coordinates& at) const {
  if (!shape().contains(at) || !distribution_->exists(shape().linear(at)))
    throw Error(shape().describe(at) + " is no element of " + to_string(label_));
  return shape().linear(at);
}

ObjectId CollectionRecord::object_of(const mobile::Coordinates& at) const {
  const std::uint64_t linear = number_of(at);
  if (!is_here(linear)) return {};
  const std::vector<ObjectId>& groups = distribution_->groups();
  const std::uint64_t position = distribution_->position(linear);
  return position < groups.size() ? groups[position] : ObjectId();
}

CollectionRecord::~CollectionRecord() {
  distribution_->remove(*this);
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

void CollectionRecord::forget_sent() {
  ++deliveries_;
  for (const auto& [linear, datum] : arriving_) datum->release();
  arriving_.clear();
  sent_ = std::make_shared<SentElements>();
}

void CollectionRecord::note_written() {
  ++version_;
  forget_sent();
  for (Datum* element : elements_) element->note_written();
}

// Finds the element at offset times sign from another. Returns false if there is none.
bool CollectionRecord::find(std::uint64_t linear, const Offset& offset, std::int64_t sign,
                            std::uint64_t& found) const {
  const mobile::CollectionShape& shape = this->shape();
  mobile::Coordinates at = shape.coordinates(linear);
  for (std::size_t d = 0; d < at.size(); ++d) {
    at[d] += sign * offset.by[d];
    if (offset.is_periodic) at[d] = (at[d] % shape.extent[d] + shape.extent[d]) % shape.extent[d];
  }
  if (!shape.contains(at)) return false;
  found = shape.linear(at);
  return distribution_->exists(found);
}

namespace {

[[noreturn]] void contradict(const CollectionRecord& elements, const CollectionRecord& tasks,
                             const mobile::Coordinates& element, const mobile::Coordinates& task) {
  throw Error("the functions of an argument at<Map, Readers>() contradict each other: of " +
              to_string(elements.label()) + ", only one of them says that the task of " +
              tasks.shape().describe(task) + " reads " + elements.shape().describe(element));
}

}  // namespace

// Finds the element that a task reads by a map. Returns false if there is none.
bool CollectionRecord::find_mapped(std::uint64_t linear, const Offset& offset,
                                   const CollectionRecord& tasks, std::uint64_t& found) const {
  const mobile::CollectionShape& shape = this->shape();
  const mobile::Coordinates task = tasks.shape().coordinates(linear);
  const mobile::Coordinates at = offset.map->element(task, shape.extent);
  if (!shape.contains(at)) return false;
  found = shape.linear(at);
  if (!distribution_->exists(found)) return false;
  std::vector<mobile::Coordinates> readers;
  offset.map->readers(at, shape.extent, readers);
  if (std::find(readers.begin(), readers.end(), task) == readers.end())
    contradict(*this, tasks, at, task);
  return true;
}

void CollectionRecord::offer(const Offset& offset, const CollectionRecord& tasks,
                             const SourceLine& where) {
  if (shape().ranks == 1 || offset.is_own()) return;
  if (offset.map != nullptr) return offer_mapped(offset, tasks, where);
  for (std::uint64_t k = 0; k < elements_.size(); ++k) {
    std::uint64_t reader = 0;
    if (find(distribution_->index(k), offset, -1, reader)) offer_to(k, reader, tasks, where);
  }
}

void CollectionRecord::offer_mapped(const Offset& offset, const CollectionRecord& tasks,
                                    const SourceLine& where) {
  const mobile::CollectionShape& of_tasks = tasks.shape();
  std::vector<mobile::Coordinates> readers;
  for (std::uint64_t k = 0; k < elements_.size(); ++k) {
    const mobile::Coordinates at = shape().coordinates(distribution_->index(k));
    readers.clear();
    offset.map->readers(at, shape().extent, readers);
    for (const mobile::Coordinates& reader : readers) {
      if (!of_tasks.contains(reader) || !tasks.distribution_->exists(of_tasks.linear(reader)))
        continue;
      if (offset.map->element(reader, shape().extent) != at) contradict(*this, tasks, at, reader);
      offer_to(k, of_tasks.linear(reader), tasks, where);
    }
  }
}

// Sends the k-th element to the rank of a task, unless that is this one or has got it.
void CollectionRecord::offer_to(std::uint64_t k, std::uint64_t reader,
                                const CollectionRecord& tasks, const SourceLine& where) {
  Distribution& of_tasks = *tasks.distribution_;
  if (of_tasks.contains(reader)) return;
  Core& core = scope_.core();
  const std::uint64_t linear = distribution_->index(k);
  const std::optional<Rank> to = of_tasks.rank_of(reader);
  if (!to) {
    auto* const task = new (core) LateSendTask(*this, tasks, where, reader, linear, *elements_[k]);
    core.submit_expected(task);
    of_tasks.find_for(reader, *task);
  } else if (sent_->note(linear, *to, static_cast<std::uint64_t>(shape().ranks))) {
    core.submit(new (core) SendTask(*this, where, *to, linear, *elements_[k]));
  }
}

Datum& CollectionRecord::to_read(std::uint64_t linear, const Offset& offset,
                                 const CollectionRecord& tasks, Datum* border,
                                 const SourceLine& where) {
  std::uint64_t found = linear;
  const bool is_there = offset.map != nullptr ? find_mapped(linear, offset, tasks, found)
                                              : offset.is_own() || find(linear, offset, 1, found);
  if (!is_there) return border != nullptr ? *border : beyond();
  if (is_here(found)) return local_of(found);
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
  Datum* const datum = make_element(linear);
  place->second = datum;
  Core& core = scope_.core();
  if (has_parts_) datum->instance().prepare_part_failures();
  auto* const task = new (core) ReceiveTask(*this, where, *datum, distribution_->rank_of(linear));
  core.submit_expected(task);
  std::optional<Arrived> early =
      exchange_.expect({distribution_->name().flow, number_, deliveries_, linear}, *task);
  if (early) task->arrived(std::move(*early));
  return *datum;
}

// --- the end of a phase ---

namespace {

// In 8 bytes, so that values behind it are aligned, and can be read faster.
enum class ElementState : std::uint64_t { empty, value, failed, failed_in_parts };

}  // namespace

void CollectionRecord::write_element(core::Packer& packer, std::uint64_t k) const {
  const Instance* const instance = elements_[k]->current();
  if (instance != nullptr && instance->is_failed_in_parts()) {
    core::pack(packer, ElementState::failed_in_parts);
    instance->write_part_failures(packer);
    return type_.pack(packer, instance->value());
  }
  if (instance != nullptr && instance->failure()) {
    core::pack(packer, ElementState::failed, instance->failure()->text());
  } else if (instance != nullptr && instance->value() != nullptr) {
    core::pack(packer, ElementState::value);
    type_.pack(packer, instance->value());
  } else {
    core::pack(packer, ElementState::empty);
  }
}

void CollectionRecord::read_element(core::Unpacker& bytes, std::uint64_t k) {
  const auto state = core::unpack<ElementState>(bytes);
  if (state == ElementState::failed) {
    elements_[k]->instance().set_failure(
        FailureRef(new Failure(scope_.core().engine(), core::unpack<std::string>(bytes), nullptr)));
    return;
  }
  if (state == ElementState::empty) return;
  Instance& instance = elements_[k]->instance();
  if (state == ElementState::failed_in_parts) {
    instance.prepare_part_failures();
    instance.read_part_failures(bytes, false);
  }
  type_.unpack(instance, bytes);
}

void CollectionRecord::rearrange(std::span<const std::uint64_t> positions_before) {
  std::vector<Datum*> before = std::move(elements_);
  elements_.clear();
  elements_.reserve(positions_before.size());
  for (std::uint64_t k = 0; k < positions_before.size(); ++k) {
    const std::uint64_t position = positions_before[k];
    Datum* const stays =
        position < before.size() ? std::exchange(before[position], nullptr) : nullptr;
    elements_.push_back(stays != nullptr ? stays : make_element(linear(k)));
    if (is_written()) elements_.back()->note_written();
  }
  for (Datum* const gone : before) {
    if (gone == nullptr) continue;
    // The failure is reported where the element is now.
    if (gone->current() != nullptr) gone->current()->note_failures_told();
    gone->release();
  }
}

void CollectionRecord::begin_phase() { forget_sent(); }

}  // namespace roam::flow
