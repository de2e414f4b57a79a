// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <utility>

#include "roam/flow/core.hpp"
#include "roam/flow/detail/exchange.hpp"
#include "roam/flow/task_record.hpp"

namespace roam::flow {

/// A task that gives a datum the value, or the failure, that arrives from another rank.
class ArrivingTask : public TaskRecord, public Receiver {
 public:
  ArrivingTask(Scope& scope, const char* name, const SourceLine& where, Datum& datum,
               const ElementType& type)
      : TaskRecord(scope, name, where), type_(type) {
    access_.datum = &datum;
    access_.effect = Effect::overwrite;
    set_accesses(&access_, 1);
    set_priority(Priority::high);  // it is short, and tasks that wait for it become ready
  }
  void arrived(Arrived&& parcel) override {
    parcel_ = std::move(parcel);
    core().arrived(*this);
  }
  void call() override {
    const std::span<const std::byte> bytes = parcel_.bytes.payload();
    if (parcel_.has_failed) {
      throw TaskFailed(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
                       nullptr);
    }
    core::Unpacker unpacker(bytes);
    if (parcel_.has_failed_in_parts) [[unlikely]]
      access_.instance->read_part_failures(unpacker, true);
    type_.unpack(*access_.instance, unpacker);
  }

 protected:
  [[nodiscard]] const Instance& target() const { return *access_.instance; }
  [[nodiscard]] Instance& target() { return *access_.instance; }
  [[nodiscard]] const ElementType& type() const { return type_; }

 private:
  const ElementType& type_;
  Arrived parcel_;
  Access access_;
};

}  // namespace roam::flow
