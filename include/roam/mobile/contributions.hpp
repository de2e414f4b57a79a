// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reductions of what elements bring themselves: each contributes a value to a phase, from whichever
// of its methods, and somebody awaits what they make together.
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "roam/mobile/element_operations.hpp"

namespace roam::mobile {

template <class V, class Operator>
class TypedPhase final : public Phase {
 public:
  ValueTree<V, Operator> tree;

 protected:
  void reset(std::uint32_t positions) override { tree.reset(positions); }
  void put_nothing(std::uint32_t position) override { tree.put(position, std::nullopt); }
};

/// Waits for the elements' contributions to one phase.
template <class V, class Operator>
class PhaseReduction final : public Combining<V, Operator, PhaseOperation> {
  using Base = Combining<V, Operator, PhaseOperation>;

 public:
  static constexpr auto effect = OperationType::Effect::uses;
  PhaseReduction(Collections& collections, const OperationHeader& header, const SharedBytes& body)
      : Base(collections, detail::operation_type<PhaseReduction>, header) {
    core::Unpacker bytes(body.view());
    number_ = core::unpack<std::uint64_t>(bytes);
  }
  void take_phase(Phase& phase) override {
    this->value_ = static_cast<TypedPhase<V, Operator>&>(phase).tree.take_result();
  }
  static CollectionState::PhaseKey key(std::uint64_t number) {
    return {number, detail::operation_type<PhaseReduction>.id()};
  }
  /// The phase, opened by whoever comes first.
  static TypedPhase<V, Operator>& phase(CollectionState& state, std::uint64_t number) {
    auto& place = state.phases[key(number)];
    if (place == nullptr) {
      place = std::make_unique<TypedPhase<V, Operator>>();
      place->open(state);
    }
    return static_cast<TypedPhase<V, Operator>&>(*place);
  }

 protected:
  [[nodiscard]] std::uint32_t prepare(CollectionState& /*state*/) override { return 1; }
  void start_part(CollectionState& state, std::uint32_t /*position*/) override {
    auto& opened = phase(state, number_);
    if (opened.reduction != nullptr)
      throw Error("phase " + std::to_string(number_) + " of this type is being reduced already");
    opened.reduction = std::static_pointer_cast<PhaseOperation>(this->shared_from_this());
    settle_phase(state, key(number_));
  }

 private:
  std::uint64_t number_ = 0;
};

/// One element's contribution, at its home; work of the epoch in which it is made.
template <class V, class Operator>
class Contribution final : public CollectionWork {
 public:
  Contribution(Collections& collections, std::uint64_t number, std::uint64_t linear, V value)
      : number_(number),
        linear_(linear),
        value_(std::move(value)),
        work_(am::EpochWork::begin(collections.messenger())) {}
  bool step(CollectionState& state) override {
    const am::EpochScope scope(work_.epoch());
    if (!state.has_home()) {
      state.collections().engine().report_error(name(state) + " is to one that could not be made");
      return true;
    }
    const auto position = static_cast<std::uint32_t>(state.home().position(linear_));
    if (state.is_gone(position)) {
      state.collections().engine().report_error(name(state) + " was erased before it arrived");
      return true;
    }
    auto& phase = PhaseReduction<V, Operator>::phase(state, number_);
    if (phase.has_come[position]) {
      if (phase.failure.empty()) phase.failure = name(state) + " is its second";
      return true;
    }
    phase.take(position, [&] { phase.tree.put(position, std::optional<V>(std::move(value_))); });
    settle_phase(state, PhaseReduction<V, Operator>::key(number_));
    return true;
  }

 private:
  [[nodiscard]] std::string name(const CollectionState& state) const {
    return "the contribution of element " +
           state.shape().describe(state.shape().coordinates(linear_)) + " to phase " +
           std::to_string(number_);
  }
  const std::uint64_t number_;
  const std::uint64_t linear_;
  V value_;
  const am::EpochWork work_;
};

/// Handler on an element's home rank.
template <class V, class Operator>
void contribute_here(std::uint64_t base, std::uint64_t number, std::uint64_t linear, V value) {
  Collections& collections = current_collections();
  const auto state = collections.find(base);
  if (state == nullptr) return collections.report_gone({}, base);
  if (state->shape().dimensions == 0 || linear >= state->shape().count() ||
      state->shape().home(linear) != collections.rank())
    throw MalformedMessage("a contribution of no element of this rank");
  state->add(
      std::make_shared<Contribution<V, Operator>>(collections, number, linear, std::move(value)));
}

template <class V, class Operator>
void contribute(const CollectionShape& shape, const Coordinates& at, std::uint64_t number,
                V value) {
  Collections& collections = current_collections();
  const Rank home = shape.element(at).home();
  const std::uint64_t linear = shape.linear(at);
  if (collections.is_now(home)) {
    contribute_here<V, Operator>(shape.base, number, linear, std::move(value));
  } else {
    collections.messenger().send<&contribute_here<V, Operator>>(home, shape.base, number, linear,
                                                                std::move(value));
  }
}

}  // namespace roam::mobile
