// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "roam/core/serialise.hpp"
#include "roam/flow/collection.hpp"
#include "roam/flow/detail/exchange.hpp"
#include "roam/flow/effects.hpp"
#include "roam/flow/task_record.hpp"

namespace roam::flow {

/// One rank's part of a reduction over a collection: waits for the contributions of its tasks and
/// of the ranks below it, passes their combination on, and gives a datum the result that comes
/// back. The tree of ranks is binomial, so that a rank and those below it have consecutive elements
/// if the collection is placed in blocks.
class ReductionTask : public TaskRecord, public exec::ReadyItem {
 public:
  /// `contributions`: number of contributing tasks on this rank; `elements` are spread over several
  /// ranks.
  ReductionTask(Scope& scope, const SourceLine& where, Exchange& exchange, const ParcelName& name,
                const CollectionRecord& elements, std::uint64_t contributions, Datum& datum,
                Effect effect);
  ~ReductionTask() override;
  /// To be called once, after all contributing tasks have been issued.
  void submit();

  void run(exec::Context& context) override;
  void call() override;
  [[nodiscard]] std::string awaits_elsewhere() const override;
  [[nodiscard]] ParcelTag parcel() const override { return {tag(), ParcelTag::Use::combine}; }
  /// The number of this reduction and the others of its operation in the trace, the same on all
  /// ranks. 0: there is none, since each rank reduces by itself.
  [[nodiscard]] std::uint64_t tag() const;
  /// Says which reduction is the first of the operation, by its number.
  void set_first(std::uint64_t number) { first_number_ = number; }

 protected:
  /// Reports that a task has contributed, or cannot.
  void contributed();
  /// Combines what has been contributed on this rank into parts.
  virtual void combine() = 0;
  virtual void read_parts(core::Unpacker& bytes) = 0;
  virtual void write_parts(core::Packer& bytes) = 0;
  /// Computes the result, or its failure, from the parts of all ranks.
  virtual void conclude() = 0;
  virtual void read_result(core::Unpacker& bytes) = 0;
  virtual void write_result(core::Packer& bytes) = 0;
  /// Gives the result to the datum.
  virtual void deliver() = 0;

  /// The failure of the first element, in the order of indices, that could not contribute.
  struct FirstFailure {
    std::uint64_t element = ~std::uint64_t{0};
    std::string words;
  };
  void note_failure(std::uint64_t element, const std::string& words) {
    if (element < failure_.element) failure_ = {element, words};
  }
  [[nodiscard]] Access& access() { return access_; }

 private:
  class Inlet final : public Receiver {
   public:
    void set(ReductionTask& task, bool is_result) {
      task_ = &task;
      is_result_ = is_result;
    }
    void arrived(Arrived&& parcel) override;
    Arrived parcel;

   private:
    ReductionTask* task_ = nullptr;
    bool is_result_ = false;
  };
  void expect(Inlet& inlet, std::uint64_t number, std::uint64_t detail);
  void send_down(bool has_failed, std::span<const std::byte> bytes);
  void one_is_there();
  void all_are_there();

  Exchange& exchange_;
  const ParcelName name_;
  std::uint64_t first_number_;
  const Rank rank_;
  std::vector<Rank> below_;
  Rank above_ = no_rank;
  std::unique_ptr<Inlet[]> inlets_;  // one for each rank below, and a last one for the result
  std::atomic<std::uint64_t> missing_;
  FirstFailure failure_;
  bool has_result_ = false;  // the result was computed here
  Access access_;
};

namespace detail {

/// The combined value of the 2^level numbers from `first` on: a node of the binary tree over all
/// numbers. Some numbers of a node may have no value.
template <class T>
struct TreePart {
  std::uint64_t first = 0;
  std::uint32_t level = 0;
  std::optional<T> value;
};

template <class T, class Op>
void combine_into(std::optional<T>& left, std::optional<T>&& right) {
  if (!right) return;
  if (left) {
    *left = Op()(std::as_const(*left), std::as_const(*right));
  } else {
    left = std::move(right);
  }
}

/// Adds a node to a list sorted by number; two halves of a node are combined.
template <class T, class Op>
void merge_parts(std::vector<TreePart<T>>& parts) {
  std::vector<TreePart<T>*> in_order;  // values stay where they are while their nodes are sorted
  in_order.reserve(parts.size());
  for (TreePart<T>& part : parts) in_order.push_back(&part);
  std::sort(in_order.begin(), in_order.end(),
            [](const auto* a, const auto* b) { return a->first < b->first; });
  std::vector<TreePart<T>> merged;
  for (TreePart<T>* const part : in_order) {
    merged.push_back(std::move(*part));
    while (merged.size() > 1) {
      TreePart<T>& left = merged[merged.size() - 2];
      TreePart<T>& right = merged.back();
      const std::uint64_t length = std::uint64_t{1} << left.level;
      if (left.level != right.level || left.first + length != right.first ||
          left.first % (2 * length) != 0)
        break;
      combine_into<T, Op>(left.value, std::move(right.value));
      ++left.level;
      merged.pop_back();
    }
  }
  parts = std::move(merged);
}

/// Combines everything; the last node may lack its other half.
template <class T, class Op>
[[nodiscard]] std::optional<T> whole(std::vector<TreePart<T>>& parts) {
  while (parts.size() > 1) {
    combine_into<T, Op>(parts[parts.size() - 2].value, std::move(parts.back().value));
    parts.pop_back();
  }
  return parts.empty() ? std::nullopt : std::move(parts.front().value);
}

template <class T, class Op>
class ReductionOf final : public ReductionTask {
 public:
  /// One contribution for each of the elements that are here.
  ReductionOf(Scope& scope, const SourceLine& where, Exchange& exchange, const ParcelName& name,
              const CollectionRecord& elements, Datum& datum, Effect effect)
      : ReductionTask(scope, where, exchange, name, elements, elements.local_count(), datum,
                      effect),
        gaps_(elements.distribution().gaps()),
        contributions_(elements.local_count()) {
    for (std::uint64_t k = 0; k < contributions_.size(); ++k)
      contributions_[k].first = elements.linear(k);
    if (effect == Effect::accumulate) access().partial = new PartialOf<T, Op>;
  }
  /// The value of one element, on the rank that has it; no contribution on the others.
  ReductionOf(Scope& scope, const SourceLine& where, Exchange& exchange, const ParcelName& name,
              const CollectionRecord& elements, std::uint64_t element, Datum& datum)
      : ReductionTask(scope, where, exchange, name, elements, elements.is_here(element) ? 1 : 0,
                      datum, Effect::overwrite),
        contributions_(elements.is_here(element) ? 1 : 0) {
    for (Contribution& one : contributions_) one.first = element;
  }

  void give(std::uint64_t k, std::optional<T>&& value) {
    contributions_[k].value = std::move(value);
    contributed();
  }
  void fail(std::uint64_t k, const FailureRef& failure) {
    contributions_[k].failure = failure;
    contributed();
  }

 private:
  struct Contribution {
    std::uint64_t first = 0;
    std::optional<T> value;
    FailureRef failure;
  };
  void combine() override {
    for (Contribution& one : contributions_) {
      if (one.failure) {
        note_failure(one.first, one.failure->text());
        one.failure->note_told();
      }
      parts_.push_back({one.first, 0, std::move(one.value)});
    }
    contributions_.clear();
    for (const IndexGap& gap : gaps_) parts_.push_back({gap.first, gap.level, std::nullopt});
    merge_parts<T, Op>(parts_);
  }
  void read_parts(core::Unpacker& bytes) override {
    const auto count = core::unpack<std::uint64_t>(bytes);
    for (std::uint64_t i = 0; i < count; ++i) {
      TreePart<T> part;
      part.first = core::unpack<std::uint64_t>(bytes);
      part.level = core::unpack<std::uint32_t>(bytes);
      read(bytes, part.value);
      parts_.push_back(std::move(part));
    }
    merge_parts<T, Op>(parts_);
  }
  void write_parts(core::Packer& bytes) override {
    core::pack(bytes, std::uint64_t{parts_.size()});
    for (const TreePart<T>& part : parts_) {
      core::pack(bytes, part.first, part.level);
      write(bytes, part.value);
    }
  }
  void conclude() override { result_ = whole<T, Op>(parts_); }
  void read_result(core::Unpacker& bytes) override { read(bytes, result_); }
  void write_result(core::Packer& bytes) override { write(bytes, result_); }
  void deliver() override {
    if (access().effect == Effect::accumulate) {
      static_cast<PartialOf<T, Op>*>(access().partial)->sum = std::move(result_);
      return;
    }
    auto& instance = static_cast<InstanceOf<T>&>(*access().instance);
    if (result_) {
      instance.emplace(std::move(*result_));
    } else {
      instance.clear();
    }
  }
  static void read(core::Unpacker& bytes, std::optional<T>& value) {
    if (core::unpack<bool>(bytes)) value = core::unpack<T>(bytes);
  }
  static void write(core::Packer& bytes, const std::optional<T>& value) {
    core::pack(bytes, value.has_value());
    if (value) core::pack(bytes, *value);
  }

  const std::span<const IndexGap> gaps_;  // of the Distribution, which exists as long as its Flow
  std::vector<Contribution> contributions_;
  std::vector<TreePart<T>> parts_;
  std::optional<T> result_;
};

}  // namespace detail

}  // namespace roam::flow
