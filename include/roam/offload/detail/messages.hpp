// SPDX-License-Identifier: Apache-2.0
#pragma once

// The messages between ranks that offload tasks; see am/system_message.hpp for the form.
#include <cstdint>
#include <tuple>

#include "roam/am/detail/system_message.hpp"
#include "roam/am/reply.hpp"

namespace roam::offload {

/// Seconds that a message says: false for what no task takes. Sums of thousands of possible times
/// fit into a Duration.
[[nodiscard]] constexpr bool is_possible_time(float seconds) {
  constexpr float longest = 1e6;
  return seconds >= 0 && seconds < longest;
}

/// Asks another rank to compute a task; the arguments follow.
struct Shipped {
  static constexpr am::MessageKind kind{"roam.offload.shipped", am::Counted::yes,
                                        am::Behind::bytes_and_array, am::Reach::helpers};
  std::uint64_t token = 0;     ///< the task's token in the sender's table
  std::uint32_t function = 0;  ///< TaskFunctionRegistrar::id()
  float seconds = 0;           ///< that it is expected to take; 0: not known
  bool is_given = false;       ///< because the receiver has asked for tasks
  static constexpr auto fields(auto& m) {
    return std::tie(m.token, m.function, m.seconds, m.is_given);
  }
};

/// Returns the result of a task, or a text if it failed; it follows.
struct Returned {
  static constexpr am::MessageKind kind{"roam.offload.returned", am::Counted::yes,
                                        am::Behind::bytes_and_array, am::Reach::helpers};
  std::uint64_t token = 0;
  float seconds = 0;  ///< time spent on computing it
  float waited = 0;   ///< seconds between its arrival and its beginning
  float starved = 0;  ///< idle seconds of a worker there before it came, since the last of its rank
  am::ReplyStatus status = am::ReplyStatus::value;
  static constexpr auto fields(auto& m) {
    return std::tie(m.token, m.seconds, m.waited, m.starved, m.status);
  }
};

/// Asks not to begin a task any more, since the sender computes it itself.
struct Recall {
  static constexpr am::MessageKind kind{"roam.offload.recall", am::Counted::yes,
                                        am::Behind::nothing, am::Reach::helpers};
  std::uint64_t token = 0;
  static constexpr auto fields(auto& m) { return std::tie(m.token); }
};

/// Answers that a task has not been begun and will not be: it was recalled, or there is no memory
/// for it.
struct SentBack {
  static constexpr am::MessageKind kind{"roam.offload.sent_back", am::Counted::yes,
                                        am::Behind::nothing, am::Reach::helpers};
  std::uint64_t token = 0;
  static constexpr auto fields(auto& m) { return std::tie(m.token); }
};

/// Asks for tasks, since the sender is running out of them. Answered once.
struct Asked {
  static constexpr am::MessageKind kind{"roam.offload.asked", am::Counted::no};
  std::uint64_t step = 0;     ///< of the sender: steps that it has begun
  std::uint32_t tasks = 0;    ///< at most so many
  std::uint32_t workers = 0;  ///< of the sender
  float seconds = 0;          ///< after which one of them is expected to be idle
  static constexpr auto fields(auto& m) { return std::tie(m.step, m.tasks, m.workers, m.seconds); }
};

/// Answers Asked. Tasks that are given, if any, may arrive later: they are longer messages.
struct Answered {
  static constexpr am::MessageKind kind{"roam.offload.answered", am::Counted::no};
  std::uint32_t tasks = 0;  ///< that are given
  float seconds = 0;        ///< for which the sender is still busy with tasks
  static constexpr auto fields(auto& m) { return std::tie(m.tasks, m.seconds); }
};

/// Measurements of a step by some ranks, sent up the tree of ranks; they follow.
struct StepReport {
  static constexpr am::MessageKind kind{"roam.offload.step", am::Counted::no, am::Behind::bytes};
  std::uint64_t step = 0;
  static constexpr auto fields(auto& m) { return std::tie(m.step); }
};

/// Asks a helper, which is in no tree of ranks and has no steps, for its measurements since the
/// last time. From rank 0.
struct HelperAsked {
  static constexpr am::MessageKind kind{"roam.offload.helper_asked", am::Counted::no,
                                        am::Behind::nothing, am::Reach::helpers};
};

/// Answers HelperAsked; the measurements follow.
struct HelperMeasured {
  static constexpr am::MessageKind kind{"roam.offload.helper_measured", am::Counted::no,
                                        am::Behind::bytes, am::Reach::helpers};
};

/// Tells rank 0 that the sender has lost a helper, and how many of its tasks are computed again for
/// that reason. Sent several times if tasks were just being sent; they count once.
struct HelperLost {
  static constexpr am::MessageKind kind{"roam.offload.helper_lost", am::Counted::yes};
  std::int32_t helper = -1;
  std::uint32_t tasks = 0;
  static constexpr auto fields(auto& m) { return std::tie(m.helper, m.tasks); }
};

/// The decision after a step, sent down the tree: what concerns the ranks below follows.
struct StepVerdict {
  static constexpr am::MessageKind kind{"roam.offload.verdict", am::Counted::no, am::Behind::bytes};
  std::uint64_t step = 0;
  std::uint32_t on_request = 0;  ///< tasks that a rank may give, in each step, to each that asks
  static constexpr auto fields(auto& m) { return std::tie(m.step, m.on_request); }
};

}  // namespace roam::offload
