// SPDX-License-Identifier: Apache-2.0
#include "roam/flow/detail/publish.hpp"

#include <functional>
#include <string>
#include <utility>

#include "arriving_task.hpp"
#include "flow/flow_part.hpp"
#include "flow/replica.hpp"
#include "roam/flow/core.hpp"

namespace roam::flow::detail {

namespace {

Publications& publications_of(const Core& core) {
  return FlowPart::of(core.engine()).publications();
}

// 53 bits, since JSON has no more; the same on all ranks.
std::uint64_t number_of(const Key& key) { return (std::hash<Key>()(key) >> 11) | 1; }

class PublishTask final : public TaskRecord {
 public:
  PublishTask(Scope& scope, const SourceLine& where, Datum& datum, const ElementType& type,
              const Key& key, Readers readers, bool is_frozen)
      : TaskRecord(scope, "publish", where),
        type_(type),
        key_(key),
        readers_(readers),
        is_frozen_(is_frozen && readers != 1) {
    access_.datum = &datum;
    access_.effect = Effect::read;
    set_accesses(&access_, 1);
    set_priority(Priority::high);  // other ranks may wait for it
  }
  [[nodiscard]] ParcelTag parcel() const override {
    return {number_of(key_), ParcelTag::Use::send};
  }
  void call() override {
    core::Packer packer{core::Buffer()};
    type_.pack(packer, access_.instance->value());
    const auto bytes = packer.buffer().bytes();
    Publication one = begin();
    one.value.assign(bytes.begin(), bytes.end());
    publish(std::move(one));
  }
  void cannot_run(const FailureRef& failure) override {
    // Then it was call() that failed.
    if (core().runs_at_once() && access_.instance->is_fine()) return;
    Publication one = begin();
    one.failure = failure;
    publish(std::move(one));
  }

 private:
  [[nodiscard]] Publication begin() const {
    return {key_, {}, {}, type_.name, where(), readers_, is_frozen_, nullptr};
  }
  void publish(Publication&& one) {
    Publications& all = publications_of(core());
    core().runs_at_once() ? all.publish_here(std::move(one)) : all.publish(std::move(one));
  }

  const ElementType& type_;
  const Key key_;
  const Readers readers_;
  const bool is_frozen_;
  Access access_;
};

class FetchTask final : public ArrivingTask, public KeyReceiver {
 public:
  FetchTask(Scope& scope, const SourceLine& where, Datum& datum, const ElementType& type,
            const Key& key)
      : ArrivingTask(scope, "fetch", where, datum, type), key_(key) {}
  [[nodiscard]] ParcelTag parcel() const override {
    return {number_of(key_), ParcelTag::Use::receive};
  }
  [[nodiscard]] std::string awaits_elsewhere() const override {
    return "the value of key " + key_.text() + ", fetched at " + to_string(where()) +
           ": nobody has published it, or all its readers have come";
  }
  void arrived(Arrived&& parcel) override { ArrivingTask::arrived(std::move(parcel)); }
  void shares(std::shared_ptr<Replica> replica) override {
    replica_ = std::move(replica);
    core().arrived(*this);
  }
  void call() override {
    if (replica_ == nullptr) return ArrivingTask::call();
    const std::shared_ptr<Replica> replica = std::move(replica_);
    if (replica->has_failed()) throw TaskFailed(replica->failure(), nullptr);
    target().share(replica->value(type()));
  }

 private:
  const Key key_;
  std::shared_ptr<Replica> replica_;
};

}  // namespace

void publish(Scope& scope, Datum& datum, const ElementType& type, const Key& key, Readers readers,
             bool is_frozen, const SourceLine& where) {
  Core& core = scope.core();
  core.submit(new (core) PublishTask(scope, where, datum, type, key, readers, is_frozen));
}

Datum* fetch(Scope& scope, const ElementType& type, const Key& key, const SourceLine& where) {
  Core& core = scope.core();
  Publications& all = publications_of(core);
  if (core.runs_at_once()) {
    const Publication one = all.fetch_here(key, type.name, where);
    auto* const datum = new Datum(scope, type.make, {.type = type.name, .where = where});
    datum->note_written();
    if (one.failure) {
      datum->instance().set_failure(one.failure);
    } else if (one.replica != nullptr) {
      datum->instance().prepare_to_share();
      datum->instance().share(one.replica->value(type));
    } else {
      core::Unpacker unpacker(one.value);
      type.unpack(datum->instance(), unpacker);
    }
    return datum;
  }
  auto* const datum = new Datum(scope, type.make, {.type = type.name, .where = where});
  datum->instance().prepare_to_share();
  auto* const task = new (core) FetchTask(scope, where, *datum, type, key);
  core.submit_expected(task);
  all.fetch(key, type.name, *task);
  return datum;
}

}  // namespace roam::flow::detail
