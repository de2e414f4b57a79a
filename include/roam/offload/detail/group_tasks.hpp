// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a group of offloadable tasks becomes one task, or tasks that begin when what they need is
// there.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "roam/core/detail/named_arguments.hpp"
#include "roam/core/detail/parameters.hpp"
#include "roam/core/serialise.hpp"
#include "roam/offload/detail/group_sizes.hpp"
#include "roam/offload/offload.hpp"

namespace roam::offload::detail {

/// A task of a group with its arguments, each a value or another such task.
template <auto Function, class... A>
struct Call {
  std::tuple<A...> arguments;
};

template <class T>
inline constexpr bool is_call = false;
template <auto Function, class... A>
inline constexpr bool is_call<Call<Function, A...>> = true;

/// Fails to compile, with one line of explanation, unless all arguments that are values are safe in
/// an expression to be awaited. Other tasks are results of functions, which are.
template <class... A>
constexpr void require_named_values() {
  const auto require = []<class V>(std::type_identity<V>) {
    if constexpr (!is_call<std::remove_cvref_t<V>>) core::require_named_arguments<V>();
  };
  (require(std::type_identity<A>()), ...);
}

template <class Tree>
struct Shape;
template <auto Function, class... A>
struct Shape<Call<Function, A...>> {
  using Callable = core::CallableOf<Function>;
  using Parameters = typename Callable::Arguments;
  using Result = typename Callable::Result;
  static_assert(sizeof...(A) == std::tuple_size_v<Parameters>,
                "a task of the group has fewer or more arguments than its function");
  static constexpr std::size_t parts = (std::size_t{is_call<A>} + ... + 0);

  template <std::size_t I>
  using Argument = std::tuple_element_t<I, std::tuple<A...>>;
  template <std::size_t I>
  using Parameter = std::tuple_element_t<I, Parameters>;

  /// The parameters that values from outside are for, of this task and all that it needs, in order.
  template <std::size_t I>
  [[nodiscard]] static auto leaves_of() {
    if constexpr (is_call<Argument<I>>) {
      return typename Shape<Argument<I>>::Leaves();
    } else {
      return std::type_identity<std::tuple<Parameter<I>>>();
    }
  }
  template <class... Tuples>
  [[nodiscard]] static auto joined(std::type_identity<Tuples>...) {
    return std::type_identity<decltype(std::tuple_cat(std::declval<Tuples>()...))>();
  }
  template <std::size_t... I>
  [[nodiscard]] static auto all_leaves(std::index_sequence<I...>) {
    return joined(leaves_of<I>()...);
  }
  using Leaves = decltype(all_leaves(std::index_sequence_for<A...>{}));
  static constexpr std::size_t leaf_count = std::tuple_size_v<typename Leaves::type>;

  template <std::size_t I>
  [[nodiscard]] static constexpr std::size_t width() {
    if constexpr (is_call<Argument<I>>) {
      return Shape<Argument<I>>::leaf_count;
    } else {
      return 1;
    }
  }
  /// The place of the first leaf of argument I among those of this task.
  template <std::size_t I>
  [[nodiscard]] static constexpr std::size_t place() {
    return []<std::size_t... J>(std::index_sequence<J...>) {
      return (width<J>() + ... + std::size_t{0});
    }
    (std::make_index_sequence<I>{});
  }
};

/// The bytes of a value as it would travel as parameter P.
template <class P, class T>
[[nodiscard]] std::size_t travelling_bytes(const T& value) {
  if constexpr (core::SuppliesArray<T, P>) {
    return core::detail::array_bytes<P>(value);
  } else if constexpr (std::is_trivially_copyable_v<T>) {
    return sizeof(T);
  } else {
    core::Packer packer{core::Buffer()};
    core::pack(packer, value);
    return packer.size();
  }
}

template <auto Function, class... A>
[[nodiscard]] std::size_t argument_bytes(const Call<Function, A...>& tree) {
  using Node = Shape<Call<Function, A...>>;
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto bytes_of = [&]<std::size_t J>(std::integral_constant<std::size_t, J>) {
      if constexpr (is_call<typename Node::template Argument<J>>) {
        return argument_bytes(std::get<J>(tree.arguments));
      } else {
        return travelling_bytes<typename Node::template Parameter<J>>(std::get<J>(tree.arguments));
      }
    };
    return (bytes_of(std::integral_constant<std::size_t, I>()) + ... + std::size_t{0});
  }
  (std::index_sequence_for<A...>{});
}

// --- together ---

/// Computes the tasks of a group one after the other. `First`: the place of its first leaf among
/// `leaves`; `inner_bytes`: what they have for each other is added there, unless it is nullptr.
template <class Tree>
struct Evaluate;
template <auto Function, class... A>
struct Evaluate<Call<Function, A...>> {
  using Node = Shape<Call<Function, A...>>;
  template <std::size_t First, class Leaves>
  static decltype(auto) run(Leaves& leaves, std::size_t* inner_bytes) {
    return [&]<std::size_t... I>(std::index_sequence<I...>)->decltype(auto) {
      return Function(argument<I, First + Node::template place<I>()>(leaves, inner_bytes)...);
    }
    (std::index_sequence_for<A...>{});
  }

 private:
  template <std::size_t I, std::size_t Place, class Leaves>
  static decltype(auto) argument(Leaves& leaves, std::size_t* inner_bytes) {
    if constexpr (is_call<typename Node::template Argument<I>>) {
      auto value =
          Evaluate<typename Node::template Argument<I>>::template run<Place>(leaves, inner_bytes);
      if (inner_bytes != nullptr)
        *inner_bytes += travelling_bytes<typename Node::template Parameter<I>>(value);
      return value;
    } else {
      return std::move(std::get<Place>(leaves));
    }
  }
};

template <class Tree, class Leaves>
struct Whole;
/// A group as one task: a function of all that its tasks need from outside.
template <class Tree, class... L>
struct Whole<Tree, std::tuple<L...>> {
  using Result = typename Shape<Tree>::Result;
  static Result run(L... given) {
    auto leaves = std::tie(given...);
    GroupSizes& sizes = Offloader::of(here()).group_sizes();
    const std::uint32_t kind = task_function<&Whole::run>.id();
    if (!sizes.is_due(kind)) return Evaluate<Tree>::template run<0>(leaves, nullptr);
    std::size_t inner_bytes = 0;
    if constexpr (std::is_void_v<Result>) {
      Evaluate<Tree>::template run<0>(leaves, &inner_bytes);
      sizes.add(kind, inner_bytes, 0);
    } else {
      Result result = Evaluate<Tree>::template run<0>(leaves, &inner_bytes);
      sizes.add(kind, inner_bytes, travelling_bytes<Result>(result));
      return result;
    }
  }
  [[nodiscard]] static std::uint32_t kind() { return task_function<&Whole::run>.id(); }
};
template <class Tree>
using WholeOf = Whole<Tree, typename Shape<Tree>::Leaves::type>;

template <class Tree>
[[nodiscard]] std::uint32_t group_kind() {
  return WholeOf<Tree>::kind();
}

/// All arguments of a group that are values, as references.
template <auto Function, class... A>
[[nodiscard]] auto flat(Call<Function, A...>& tree) {
  return std::apply(
      [](auto&... argument) {
        const auto one = [](auto& value) {
          if constexpr (is_call<std::remove_reference_t<decltype(value)>>) {
            return flat(value);
          } else {
            return std::tuple<std::remove_reference_t<decltype(value)>&&>(std::move(value));
          }
        };
        return std::tuple_cat(one(argument)...);
      },
      tree.arguments);
}

template <class Tree>
[[nodiscard]] Result<typename Shape<Tree>::Result> spawn_together(Runtime& rank, Tree&& tree) {
  return std::apply(
      [&](auto&&... values) {
        return spawn_plain<&WholeOf<Tree>::run>(rank, nullptr, std::move(values)...);
      },
      flat(tree));
}

// --- apart ---

/// The arguments of a task that waits for results of others. Shared by those that will supply them.
template <auto Function>
class Join {
 public:
  using Parameters = typename core::CallableOf<Function>::Arguments;
  using Stored = core::StoredParameters<Parameters>;

  /// `task` has both of its references still. It is submitted, with its arguments in `place`, when
  /// `missing` of them have come.
  Join(HomeTasks& tasks, HomeTask& task, std::optional<Stored>& place, std::size_t missing)
      : tasks_(tasks), task_(task), place_(place), missing_(missing) {}
  Join(const Join&) = delete;
  Join& operator=(const Join&) = delete;
  // The job is over before all have come.
  ~Join() {
    if (!is_over_.exchange(true)) task_.release();
  }

  template <std::size_t I, class A>
  void keep(A&& argument) {
    std::get<I>(values_).emplace(
        core::store_argument<std::tuple_element_t<I, Parameters>>(std::forward<A>(argument)));
  }
  /// `time`: what the task took whose result this is.
  template <std::size_t I, class A>
  void put(A&& argument, Duration time) {
    keep<I>(std::forward<A>(argument));
    time_.fetch_add(time.count(), std::memory_order_relaxed);
    if (missing_.fetch_sub(1, std::memory_order_acq_rel) == 1) submit();
  }
  /// Called when a task whose result was to come has failed.
  void fail(const std::string& text) {
    if (!is_over_.exchange(true)) task_.fail_unbegun(text);
  }

 private:
  template <class Tuple>
  struct Optionals;
  template <class... P>
  struct Optionals<std::tuple<P...>> {
    using type = std::tuple<std::optional<P>...>;
  };
  void submit() {
    std::apply([this](auto&... values) { place_.emplace(std::move(*values)...); }, values_);
    is_over_.store(true);
    task_.count_parts(Duration(time_.load(std::memory_order_relaxed)));
    tasks_.submit(&task_);
  }

  HomeTasks& tasks_;
  HomeTask& task_;
  std::optional<Stored>& place_;
  typename Optionals<Stored>::type values_;  // each written by one thread, read after missing_ is 0
  std::atomic<std::size_t> missing_;
  std::atomic<Duration::rep> time_{0};  // of the tasks whose results have come
  std::atomic<bool> is_over_{false};    // submitted, or failed
};

/// What is done with the result of a part: it becomes argument I of the task that needs it.
template <auto Function, std::size_t I>
struct Supply {
  std::shared_ptr<Join<Function>> join;
  const HomeTask* part;
  template <class Value>
  void operator()(Value&& value) const {
    join->template put<I>(std::forward<Value>(value), part->time_with_parts());
  }
};

/// A task whose result another one of its group needs.
template <auto Function, auto Needing, std::size_t I>
class PartTask final : public ContinuedTask<Function, Supply<Needing, I>> {
 public:
  PartTask(Offloader& offloader, std::shared_ptr<Join<Needing>> join)
      : ContinuedTask<Function, Supply<Needing, I>>(Later(), offloader, {join, this}),
        join_(std::move(join)) {}

 protected:
  void on_failure(const std::string& text) override {
    this->ignore();  // who awaits the group hears of it
    join_->fail(text);
  }

 private:
  ~PartTask() override = default;
  const std::shared_ptr<Join<Needing>> join_;
};

template <auto Needing, std::size_t I, auto Function, class... A>
void begin_part(Offloader& offloader, const std::shared_ptr<Join<Needing>>& join,
                Call<Function, A...>&& part);

template <auto Function, class... A>
void begin_apart(Offloader& offloader, HomeTask& task,
                 std::optional<typename Join<Function>::Stored>& place,
                 std::tuple<A...>&& arguments) {
  using Node = Shape<Call<Function, A...>>;
  const auto for_each = [&](auto&& action) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (action(std::integral_constant<std::size_t, I>(), std::get<I>(arguments)), ...);
    }
    (std::index_sequence_for<A...>{});
  };
  if constexpr (Node::parts == 0) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      place.emplace(core::store_argument<typename Node::template Parameter<I>>(
          std::move(std::get<I>(arguments)))...);
    }
    (std::index_sequence_for<A...>{});
    offloader.tasks().submit(&task);
  } else {
    const auto join = std::make_shared<Join<Function>>(offloader.tasks(), task, place, Node::parts);
    for_each([&]<std::size_t I, class T>(std::integral_constant<std::size_t, I>, T& argument) {
      if constexpr (!is_call<T>) join->template keep<I>(std::move(argument));
    });
    for_each([&]<std::size_t I, class T>(std::integral_constant<std::size_t, I>, T& argument) {
      if constexpr (is_call<T>) begin_part<Function, I>(offloader, join, std::move(argument));
    });
  }
}

template <auto Needing, std::size_t I, auto Function, class... A>
void begin_part(Offloader& offloader, const std::shared_ptr<Join<Needing>>& join,
                Call<Function, A...>&& part) {
  auto* const task = new PartTask<Function, Needing, I>(offloader, join);
  begin_apart<Function>(offloader, *task, task->arguments(), std::move(part.arguments));
  task->PendingReply::release();  // nobody awaits it
}

template <auto Function, class... A>
[[nodiscard]] Result<typename core::CallableOf<Function>::Result> spawn_apart(
    Runtime& rank, Call<Function, A...>&& tree) {
  Offloader& offloader = Offloader::of(rank);
  auto* const task = new PlainTask<Function>(Later(), offloader);
  Result<typename core::CallableOf<Function>::Result> result(task);
  begin_apart<Function>(offloader, *task, task->arguments(), std::move(tree.arguments));
  return result;
}

// --- what can be a group ---

template <class Tree>
struct RequireGroup;
template <auto Function, class... A>
struct RequireGroup<Call<Function, A...>> {
  template <class T>
  static constexpr auto value_of() {
    if constexpr (is_call<T>) {
      static_assert(!std::is_void_v<typename Shape<T>::Result>,
                    "a task of a group whose result another one needs has none");
      RequireGroup<T>::require();
      return std::type_identity<typename Shape<T>::Result>();
    } else {
      return std::type_identity<T>();
    }
  }
  static constexpr void require() {
    require_task<Function, typename decltype(value_of<A>())::type...>();
  }
};
template <class Tree>
constexpr void require_group() {
  RequireGroup<Tree>::require();
}

}  // namespace roam::offload::detail
