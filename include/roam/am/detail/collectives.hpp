// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "roam/am/collective_values.hpp"
#include "roam/am/detail/collective_call.hpp"
#include "roam/am/detail/messenger.hpp"
#include "roam/core/detail/owned.hpp"
#include "roam/core/detail/spin_lock.hpp"

namespace roam::am {

struct CollectivePart;

/// Collective operations over all ranks. Each returns an awaitable for some coroutine of the rank;
/// several may be under way at once, together with messages of any kind.
///
/// Every rank has to make the same calls in the same order, whichever of its coroutines makes them:
/// the k-th call of one rank belongs to the k-th call of all others. A quiescence that is awaited
/// between two calls is part of that order. Calls that do not match (another operation, root, type
/// or operator, or vectors of other lengths) stop the job with a report that names ranks and calls;
/// the report of a stuck job names a call that some rank never makes (M10). A call has copied or
/// moved its arguments when it returns. Only a barrier, an allreduce or an allgather synchronises
/// the ranks: if a rank is the root of many broadcasts and runs ahead of the others, what it sends
/// waits in their memory. A barrier, broadcast, reduction or gathering takes ceil(log2(ranks))
/// rounds of messages, a reduction at most one more (see collective_schedule.hpp).
///
/// Values may be of any type that can be sent. Reductions combine in the order of ranks, so
/// operators need only be associative, and for a given number of ranks the result is the same to
/// the last bit in every run (R1), whatever the order of arrival. Operators are types whose objects
/// have no state (std::plus<>, roam::Min, a lambda without captures) or functions as template
/// arguments. Vectors are combined element by element if the operator takes elements, else as a
/// whole.
///
/// Thread-safe; nothing blocks, except that sending may be held back as for all messages (A3).
/// Operators and serialisation functions of the program run on workers, never inside progress.
class Collectives {
 public:
  /// Must be made before the first message arrives. `messenger` must outlive it.
  explicit Collectives(Messenger& messenger);
  Collectives(const Collectives&) = delete;
  Collectives& operator=(const Collectives&) = delete;
  ~Collectives();

  /// Waits for all ranks: it ends when all have called it.
  [[nodiscard]] Collective<void> barrier() {
    return make<void>(CollectiveKind::barrier, 0, types_of<void, void>(),
                      core::make_owned<NoValue>());
  }
  /// Gives every rank the root's value. The values that the other ranks pass are ignored.
  template <class T>
  [[nodiscard]] Collective<T> broadcast(Rank root, T value = {}) {
    return make<T>(CollectiveKind::broadcast, root, types_of<T, void>(),
                   core::make_owned<PassedValue<T>>(std::move(value)));
  }
  /// Gives the root rank 0's value (op) rank 1's (op) ..., and the other ranks nothing. Throws
  /// roam::Error for a root that does not exist, as all functions here do.
  template <class Operator, class T>
  [[nodiscard]] Collective<std::optional<T>> reduce(Rank root, T value, Operator = {}) {
    using Result = std::optional<T>;
    require_operator<Operator, T>();
    return make<Result>(
        CollectiveKind::reduce, root, types_of<T, Operator>(),
        core::make_owned<CombinedValue<T, Operator, Result>>(std::move(value), root == rank()));
  }
  template <auto Function, class T>
  [[nodiscard]] Collective<std::optional<T>> reduce(Rank root, T value) {
    return reduce<FunctionOperator<Function>>(root, std::move(value));
  }
  /// Gives every rank the result of the reduction.
  template <class Operator, class T>
  [[nodiscard]] Collective<T> allreduce(T value, Operator = {}) {
    require_operator<Operator, T>();
    return make<T>(CollectiveKind::allreduce, 0, types_of<T, Operator>(),
                   core::make_owned<CombinedValue<T, Operator, T>>(std::move(value), true));
  }
  template <auto Function, class T>
  [[nodiscard]] Collective<T> allreduce(T value) {
    return allreduce<FunctionOperator<Function>>(std::move(value));
  }
  /// Gives the root the values of all ranks, by rank, and the other ranks an empty vector. Values
  /// may differ in size.
  template <class T>
  [[nodiscard]] Collective<std::vector<T>> gather(Rank root, T value) {
    return make<std::vector<T>>(
        CollectiveKind::gather, root, types_of<T, void>(),
        core::make_owned<GatheredValues<T>>(std::move(value), rank(), root == rank()));
  }
  /// Gives every rank the values of all ranks, by rank.
  template <class T>
  [[nodiscard]] Collective<std::vector<T>> allgather(T value) {
    return make<std::vector<T>>(
        CollectiveKind::allgather, 0, types_of<T, void>(),
        core::make_owned<GatheredValues<T>>(std::move(value), rank(), true));
  }

  [[nodiscard]] Rank rank() const { return messenger_.rank(); }
  /// Sets the function to which calls that do not match are reported: from any thread, once.
  void set_failure_handler(std::function<void(const std::string&)> handler);
  /// Called when the job stops: present and future calls end with JobAborted.
  void abort_all(const std::string& reason);

 private:
  friend class CollectiveCall;
  /// A call that is over, remembered for the report on a message that comes too late.
  struct Past {
    std::uint64_t sequence;
    CollectiveKey key;
  };
  using Calls = std::map<std::uint64_t, std::shared_ptr<CollectiveCall>>;

  template <class T, class Operator>
  static std::uint32_t types_of();
  template <class Operator, class T>
  static constexpr void require_operator() {
    if constexpr (!std::is_empty_v<Operator>) {
      (void)sizeof(this_operation_has_state_which_other_ranks_do_not_see<Operator>);
    } else if constexpr (!detail::combines_elements<T, Operator> &&
                         !detail::combines<T, Operator>) {
      (void)sizeof(this_operation_does_not_combine_two_values_of_the_type_into_one<Operator, T>);
    }
  }
  template <class R>
  Collective<R> make(CollectiveKind kind, Rank root, std::uint32_t types,
                     core::Owned<CollectiveResult<R>> value) {
    return Collective<R>(start({kind, root, types}, std::move(value)));
  }

  std::shared_ptr<CollectiveCall> start(const CollectiveKey& key,
                                        core::Owned<CollectiveValue> value);
  void on_part(const CollectivePart& part, Incoming&& value);
  void arrived(std::uint64_t sequence, const CollectiveKey& key, Incoming&& message);
  /// The call of that number; a new one if it was not known on this rank.
  CollectiveCall& call(std::uint64_t sequence, const CollectiveKey& key, Rank heard_from)
      ROAM_REQUIRES(lock_);
  [[nodiscard]] std::string late_message(std::uint64_t sequence, const CollectiveKey& key,
                                         Rank source) const ROAM_REQUIRES(lock_);
  [[nodiscard]] static std::string mismatch(std::uint64_t sequence, const CollectiveKey& one,
                                            Rank on_one, const CollectiveKey& other, Rank on_other);
  void send(const CollectiveCall& call, const CollectiveStep& step);
  void completed(CollectiveCall& call);
  void fail(const std::string& report);
  Calls take_all(CollectiveCall::Outcome outcome, const std::string& text);

  Messenger& messenger_;
  std::function<void(const std::string&)> on_failure_;
  core::SpinLock lock_;
  Calls calls_ ROAM_GUARDED_BY(lock_);            // called or heard of, and not over
  std::deque<Past> past_ ROAM_GUARDED_BY(lock_);  // the last few that are over
  // The number of the next call on this rank.
  std::uint64_t next_sequence_ ROAM_GUARDED_BY(lock_) = 0;
  /// How all future calls end, if they end at once.
  std::optional<CollectiveCall::Outcome> ended_ ROAM_GUARDED_BY(lock_);
  std::string ended_text_ ROAM_GUARDED_BY(lock_);
};

namespace detail {
/// The program's call that has values of type T sent: a type of Roam's own states it as `sent_by`.
template <class T>
constexpr std::string_view called_by_program() {
  if constexpr (requires { T::sent_by; }) {
    return T::sent_by;
  } else {
    return {};
  }
}
template <class T, class Operator>
inline const CollectiveTypes collective_types{
    std::is_void_v<T> ? core::ProgramName() : core::program_name_of_type<T>(),
    std::is_void_v<Operator> ? core::ProgramName() : core::program_name_of_type<Operator>(),
    called_by_program<T>()};
}  // namespace detail

template <class T, class Operator>
std::uint32_t Collectives::types_of() {
  if constexpr (!std::is_void_v<T>) core::require_serialisable<T>();
  return detail::collective_types<T, Operator>.id();
}

}  // namespace roam::am
