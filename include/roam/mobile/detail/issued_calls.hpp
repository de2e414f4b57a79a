// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "roam/core/detail/owned.hpp"
#include "roam/mobile/call.hpp"
#include "roam/mobile/detail/argument_bytes.hpp"
#include "roam/mobile/detail/call_memory.hpp"
#include "roam/mobile/detail/call_reader.hpp"
#include "roam/mobile/detail/residents.hpp"

namespace roam::mobile {

class CallGraph;

/// The calls that a rank issues: each gets its number (M3) and is put into the inbox of an object
/// of this rank, or sent to the rank where the object is believed to be.
class IssuedCalls {
 public:
  IssuedCalls(ObjectSpace& space, Residents& residents);
  IssuedCalls(const IssuedCalls&) = delete;
  IssuedCalls& operator=(const IssuedCalls&) = delete;
  ~IssuedCalls();

  [[nodiscard]] CallMemory& memory() { return memory_; }
  /// Issues a call of a method, whose arguments are copied or moved before this returns. Throws
  /// what copying or packing them throws.
  template <auto F, class... A>
  void issue(ObjectId id, const CallOptions& options, std::uint64_t token, bool is_part,
             A&&... arguments);
  /// Numbers a call and starts it on its way: make() makes it if the object is on this rank, else
  /// post(rank, number) sends it. The number is passed separately and not written into the header:
  /// bytes that have just been written cannot be copied together with the bytes beside them until
  /// they have reached the cache.
  template <class Make, class Post>
  void issue_call(CallHeader& header, Make&& make, Post&& post) ROAM_EXCLUDES(inside_shard);
  /// Sends a call without arguments.
  void post_empty(const CallHeader& header, Rank to);
  /// Sends an empty call, which does not run, in place of one that could not be packed: calls with
  /// later numbers would wait for it otherwise (M3).
  void post_in_place_of(const CallHeader& unpacked, Rank to);
  /// Starts to count which objects of this rank call which others. Before the first step.
  [[nodiscard]] CallReader record_calls();
  [[nodiscard]] bool records_calls() const { return call_graph_ != nullptr; }
  void add_to(exec::WorkingSet& set) const { memory_.add_to(set); }
  /// Prefetches the memory of the next call.
  void look_ahead() const { memory_.look_ahead(); }
  /// For tests, a fault: a call to the object takes its number and is lost.
  void lose_a_call_for_test(ObjectId id) ROAM_EXCLUDES(inside_shard);

 private:
  using Shard = Directory::Shard;
  using Step = ProtocolWatch::Step;

  /// Where a call that is being issued has to be put.
  struct Route {
    enum class To : std::uint8_t { rank, resident, held, nowhere } to = To::nowhere;
    Resident* resident = nullptr;
    Rank rank;
    std::uint32_t sequence = 0;  // the call's number, which is not yet in its header
  };
  /// A call that has its number, and what may start now that it is in an inbox.
  struct Begun {
    Route route;
    Effects<effect::Ready> effects;
  };
  /// The step of a call's issue that needs its object's lock. Its result is made where the caller
  /// has it: copied, it would have to wait until its members, written one by one, reach the cache.
  template <class Make>
  [[nodiscard]] Begun begin_call(Shard& shard, CallHeader& header, Make&& make)
      ROAM_EXCLUDES(inside_shard);
  /// Numbers a call and determines where it has to be put.
  [[nodiscard]] Route begin(Shard& shard, const CallHeader& header) ROAM_REQUIRES(inside_shard);
  /// Takes back the number of a call that could not be made, in the step that gave it.
  void take_back_number(Shard& shard, const Route& route, CallHeader& header)
      ROAM_REQUIRES(inside_shard);
  /// Ends the step for a call that stays here for now; returns what may start.
  [[nodiscard]] Effects<effect::Ready> enqueue(Shard& shard, const Route& route, Call* call)
      ROAM_REQUIRES(inside_shard);
  void note_call(ObjectId to, std::size_t bytes);
  void lose(const CallHeader& header);
  template <class... P, class... A>
  void post_call(std::type_identity<std::tuple<P...>> parameters, Rank to, CallHeader& header,
                 std::uint32_t sequence, A&&... arguments);

  ObjectSpace& space_;
  Residents& residents_;
  CallMemory memory_;
  core::Owned<CallGraph> call_graph_;
};

template <class... P, class... A>
void IssuedCalls::post_call(std::type_identity<std::tuple<P...>> parameters, Rank to,
                            CallHeader& header, std::uint32_t sequence, A&&... arguments) {
  constexpr std::uint32_t call = am::message_id<CallHeader>;
  am::Messenger& messenger = residents_.messenger();
  if constexpr (core::is_plain_tuple<std::tuple<P...>>) {
    if (header.is_usual()) {
      return am::detail::post_plain_behind<call, NumberedAddress, am::detail::PassedPlain<P>...>(
          messenger, to, NumberedAddress(header, sequence),
          static_cast<am::detail::PassedPlain<P>>(arguments)...);
    }
  }
  header.sequence = sequence;
  const auto write_head = [&header](core::Packer& packer) { header.write(packer); };
  try {
    messenger.post_parameters(to, call, parameters, write_head, true,
                              std::forward<A>(arguments)...);
  } catch (...) {  // packing them: what follows throws only if nothing can be sent any more
    post_in_place_of(header, to);
    throw;
  }
}

// Inlined, so that the arguments need not be in memory.
template <class Make>
[[gnu::always_inline]] inline IssuedCalls::Begun IssuedCalls::begin_call(Shard& shard,
                                                                         CallHeader& header,
                                                                         Make&& make) {
  const ShardLock lock(shard);
  Begun begun{begin(shard, header), {}};
  if (begun.route.to == Route::To::resident || begun.route.to == Route::To::held) {
    Call* call = nullptr;
    try {
      call = make();
    } catch (...) {  // copying its arguments
      take_back_number(shard, begun.route, header);
      throw;
    }
    call->header().sequence = begun.route.sequence;
    begun.effects = enqueue(shard, begun.route, call);
  }
  return begun;
}

template <class Make, class Post>
[[gnu::always_inline]] inline void IssuedCalls::issue_call(CallHeader& header, Make&& make,
                                                           Post&& post) {
  header.epoch = am::Epochs::current();
  Begun begun = begin_call(residents_.shard(ObjectId(header.object)), header, make);
  residents_.apply(std::move(begun.effects));
  const Route& route = begun.route;
  if (route.to == Route::To::nowhere) lose(header);
  if (route.to != Route::To::rank) return;
  post(route.rank, route.sequence);
  if (header.epoch != 0) residents_.messenger().epochs().sent(header.epoch, route.rank);
}

template <auto F, class... A>
void IssuedCalls::issue(ObjectId id, const CallOptions& options, std::uint64_t token, bool is_part,
                        A&&... arguments) {
  using Arguments = typename detail::TraitsOf<F>::Arguments;
  if constexpr (!core::are_arguments_for<Arguments, std::decay_t<A>...>) {
    (void)sizeof(these_arguments_do_not_match_the_parameters_of_the_handler<decltype(F),
                                                                            std::decay_t<A>...>);
  } else if constexpr (!core::can_parameters_arrive<Arguments>) {
    core::require_parameters<Arguments>();
  } else if constexpr (!core::can_be_kept<Arguments, A...>) {  // an argument would have to be moved
    (void)sizeof(these_arguments_do_not_match_the_parameters_of_the_handler<decltype(F), A...>);
  } else {
    if (call_graph_ != nullptr) [[unlikely]]
      note_call(id, (std::size_t{0} + ... + detail::argument_bytes(arguments)));
    const Method& method = detail::method_instance<F>;
    CallHeader header;
    header.object = id.value();
    header.reply_token = token;
    header.flags = is_part ? CallHeader::is_part : std::uint8_t{0};
    header.cost_seconds = static_cast<float>(options.cost_seconds);
    header.weight = static_cast<float>(options.weight);
    header.origin = residents_.rank().value();
    header.method = method.id();
    header.priority = static_cast<std::uint8_t>(options.priority);

    // One of the two functions is called.
    issue_call(
        header,
        [&] {
          return detail::LocalCall<F>::create(memory_, space_, residents_.messenger(), method,
                                              header, std::forward<A>(arguments)...);
        },
        [&](Rank to, std::uint32_t sequence) {
          post_call(std::type_identity<Arguments>{}, to, header, sequence,
                    std::forward<A>(arguments)...);
        });
  }
}

}  // namespace roam::mobile
