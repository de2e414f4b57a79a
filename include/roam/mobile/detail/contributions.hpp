// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reductions to which the elements contribute by themselves: each contributes a value to a phase,
// from any of its methods, and a coroutine awaits the combined value.
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "roam/core/detail/owned.hpp"
#include "roam/mobile/detail/element_operations.hpp"

namespace roam::mobile {

template <class V, class Operator>
class TypedPhase final : public Phase {
 public:
  TypedPhase() : Phase(core::type_name<V>(), core::type_name<Operator>()) {}
  static core::Owned<Phase> make() { return core::make_owned<TypedPhase>(); }
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
  static ContributionPhases::Key key(std::uint64_t number) {
    return {number, detail::operation_type<PhaseReduction>.id()};
  }

 protected:
  [[nodiscard]] std::uint32_t prepare(CollectionState& /*state*/) override { return 1; }
  void start_part(CollectionState& state, std::uint32_t /*position*/) override {
    state.phases().ask(key(number_), &TypedPhase<V, Operator>::make,
                       std::static_pointer_cast<PhaseOperation>(this->shared_from_this()));
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
      fail(state, "cannot be taken: the collection could not be made");
      return true;
    }
    const auto position = static_cast<std::uint32_t>(state.home().position(linear_));
    if (state.is_gone(position)) {
      fail(state, "came after the element had been erased");
      return true;
    }
    state.phases().contribute(PhaseReduction<V, Operator>::key(number_),
                              &TypedPhase<V, Operator>::make, position, [&](Phase& phase) {
                                static_cast<TypedPhase<V, Operator>&>(phase).tree.put(
                                    position, std::optional<V>(std::move(value_)));
                              });
    return true;
  }

 private:
  void fail(const CollectionState& state, const std::string& what) const {
    state.collections().engine().report_error("the contribution of " + state.name_of(linear_) +
                                              " to phase " + std::to_string(number_) + " " + what);
  }
  const std::uint64_t number_;
  const std::uint64_t linear_;
  V value_;
  const am::EpochWork work_;
};

/// The handler on an element's home rank.
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
