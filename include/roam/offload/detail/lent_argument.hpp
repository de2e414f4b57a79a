// SPDX-License-Identifier: Apache-2.0
#pragma once

// How the largest array among a task's arguments is sent from where it lies, although the task may
// still be computed here.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "roam/core/array.hpp"
#include "roam/core/detail/parameters.hpp"

namespace roam::offload::detail {

/// A container of elements with several users, of any thread: the task, and messages that are on
/// their way. The last one deletes it.
template <class Container>
class SharedElements {
 public:
  explicit SharedElements(Container&& values) : values_(std::move(values)) {}
  SharedElements(const SharedElements&) = delete;
  SharedElements& operator=(const SharedElements&) = delete;

  [[nodiscard]] Container& values() { return values_; }
  void add_user() { users_.fetch_add(1, std::memory_order_relaxed); }
  // Release: what a user has read was read before. Acquire: whoever is left may then write.
  void remove_user() {
    if (users_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  /// True if no message needs the elements any more.
  [[nodiscard]] bool has_one_user() const { return users_.load(std::memory_order_acquire) == 1; }

 private:
  ~SharedElements() = default;
  Container values_;
  std::atomic<std::uint32_t> users_{1};
};

/// One user of SharedElements; or elements that belong to somebody else, to be copied. As an
/// argument of a message it gives its elements up, as a container does that is moved: what is sent
/// holds the use then.
template <class Container>
class LentElements {
 public:
  using value_type = std::ranges::range_value_t<Container>;
  /// The elements of `values`, which are those of `shared`; nullptr: elements to be copied.
  LentElements(SharedElements<Container>* shared, Container& values)
      : shared_(shared), data_(values.data()), size_(values.size()) {
    if (shared_ != nullptr) shared_->add_user();
  }
  LentElements(LentElements&& other) noexcept
      : shared_(std::exchange(other.shared_, nullptr)), data_(other.data_), size_(other.size_) {}
  LentElements(const LentElements&) = delete;
  LentElements& operator=(const LentElements&) = delete;
  LentElements& operator=(LentElements&&) = delete;
  ~LentElements() {
    if (shared_ != nullptr) shared_->remove_user();
  }

  [[nodiscard]] value_type* data() { return data_; }
  [[nodiscard]] const value_type* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] value_type* begin() { return data_; }
  [[nodiscard]] value_type* end() { return data_ + size_; }
  [[nodiscard]] const value_type* begin() const { return data_; }
  [[nodiscard]] const value_type* end() const { return data_ + size_; }

 private:
  SharedElements<Container>* shared_;
  value_type* const data_;
  const std::size_t size_;
};

/// The argument of a task that has been sent from where it lies, if any. `Parameters`: the tuple of
/// the parameters of the task's function. Used by one thread at a time.
template <class Parameters>
class LentArgument;
template <class... P>
class LentArgument<std::tuple<P...>> {
 public:
  using Parameters = std::tuple<P...>;
  using Stored = core::StoredParameters<Parameters>;

  LentArgument() = default;
  LentArgument(const LentArgument&) = delete;
  LentArgument& operator=(const LentArgument&) = delete;

  /// Chooses the largest array, if it has `least_bytes`, to be sent from where it lies, now and
  /// each further time. `may_be_written`: whoever gets it may write into the elements that were
  /// sent; then an array that the function takes as its own is not chosen. Returns false if there
  /// is none.
  [[nodiscard]] bool choose(Stored& arguments, std::size_t least_bytes, bool may_be_written) {
    if (is_lent()) return true;
    return choose(arguments, least_bytes, may_be_written, std::index_sequence_for<P...>{});
  }
  /// Argument I in the form in which it is sent once choose() has returned true.
  template <std::size_t I>
  [[nodiscard]] decltype(auto) to_send(Stored& arguments) {
    auto& argument = std::get<I>(arguments);
    if constexpr (can_be_lent<I>) {
      using Container = std::remove_reference_t<decltype(argument)>;
      if (const auto* const use = std::get_if<I + 1>(&use_))
        return LentElements<Container>(use->shared, use->shared->values());
      return LentElements<Container>(nullptr, argument);
    } else {
      return std::as_const(argument);
    }
  }
  /// Puts the argument back to its place, for the function to be called here. It is copied if it is
  /// still being sent.
  void take_back(Stored& arguments) {
    if (is_lent()) take_back(arguments, std::index_sequence_for<P...>{});
  }

 private:
  template <std::size_t I>
  using Parameter = std::tuple_element_t<I, Parameters>;
  template <std::size_t I>
  using Value = std::tuple_element_t<I, Stored>;
  template <std::size_t I>
  static constexpr bool can_be_lent = core::ArrayParameter<Parameter<I>>;
  // A vector or a string is a copy where it arrives, and a span of constants is only read.
  template <std::size_t I>
  static constexpr bool is_only_read = [] {
    if constexpr (core::ViewParameter<Parameter<I>>) {
      return std::is_const_v<typename Parameter<I>::element_type>;
    } else {
      return !std::is_same_v<Value<I>, Array<core::detail::ElementOf<Parameter<I>>>>;
    }
  }();

  template <class Container>
  struct Use {
    explicit Use(SharedElements<Container>* s) : shared(s) {}
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use() { shared->remove_user(); }
    SharedElements<Container>* const shared;
  };
  struct Never {};
  template <std::size_t I>
  [[nodiscard]] static auto use_type() {
    if constexpr (can_be_lent<I>) {
      return std::type_identity<Use<Value<I>>>();
    } else {
      return std::type_identity<Never>();
    }
  }
  template <std::size_t... I>
  [[nodiscard]] static auto variant_type(std::index_sequence<I...>)
      -> std::variant<std::monostate, typename decltype(use_type<I>())::type...>;

  [[nodiscard]] bool is_lent() const { return use_.index() != 0; }
  template <std::size_t... I>
  [[nodiscard]] bool choose(Stored& arguments, std::size_t least_bytes, bool may_be_written,
                            std::index_sequence<I...>) {
    const core::ArraySizes sizes =
        core::array_sizes(std::type_identity<Parameters>{}, std::get<I>(arguments)...);
    if (sizes.largest < least_bytes) return false;
    (lend<I>(arguments, sizes.index_of_largest, may_be_written), ...);
    return is_lent();
  }
  template <std::size_t I>
  void lend(Stored& arguments, std::size_t index, bool may_be_written) {
    if constexpr (can_be_lent<I>) {
      if (index != I || (may_be_written && !is_only_read<I>)) return;
      use_.template emplace<I + 1>(new SharedElements<Value<I>>(std::move(std::get<I>(arguments))));
    }
  }
  template <std::size_t... I>
  void take_back(Stored& arguments, std::index_sequence<I...>) {
    (take_one_back<I>(arguments), ...);
    use_.template emplace<0>();
  }
  template <std::size_t I>
  void take_one_back(Stored& arguments) {
    if constexpr (can_be_lent<I>) {
      const auto* const use = std::get_if<I + 1>(&use_);
      if (use == nullptr) return;
      Value<I>& values = use->shared->values();
      if (use->shared->has_one_user()) {
        std::get<I>(arguments) = std::move(values);
      } else if constexpr (requires { Value<I>::copy_of(values); }) {
        std::get<I>(arguments) = Value<I>::copy_of(values);
      } else {
        std::get<I>(arguments) = values;
      }
    }
  }

  using Uses = decltype(variant_type(std::index_sequence_for<P...>{}));
  Uses use_;
};

}  // namespace roam::offload::detail
