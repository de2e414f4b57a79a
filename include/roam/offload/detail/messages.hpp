// SPDX-License-Identifier: Apache-2.0
#pragma once

// What ranks that offload tasks say to each other; see am/system_message.hpp for the form.
#include <cstdint>
#include <tuple>

#include "roam/am/detail/system_message.hpp"
#include "roam/am/reply.hpp"

namespace roam::offload {

/// Computes a task for the rank that sends it, whose arguments follow.
struct Shipped {
  static constexpr am::MessageKind kind{"roam.offload.shipped", am::Counted::yes,
                                        am::Behind::bytes_and_array};
  std::uint64_t token = 0;     ///< of the sender's table
  std::uint32_t function = 0;  ///< TaskFunctionRegistrar::id()
  static constexpr auto fields(auto& m) { return std::tie(m.token, m.function); }
};

/// The result of the task, or a text if it failed, follows.
struct Returned {
  static constexpr am::MessageKind kind{"roam.offload.returned", am::Counted::yes,
                                        am::Behind::bytes_and_array};
  std::uint64_t token = 0;
  float seconds = 0;  ///< that computing it has taken
  am::ReplyStatus status = am::ReplyStatus::value;
  static constexpr auto fields(auto& m) { return std::tie(m.token, m.seconds, m.status); }
};

/// The sender computes the task itself: not to be begun any more.
struct Recall {
  static constexpr am::MessageKind kind{"roam.offload.recall", am::Counted::yes};
  std::uint64_t token = 0;
  static constexpr auto fields(auto& m) { return std::tie(m.token); }
};

/// It has not been begun here and will not be: it was recalled, or there is no room for it.
struct SentBack {
  static constexpr am::MessageKind kind{"roam.offload.sent_back", am::Counted::yes};
  std::uint64_t token = 0;
  static constexpr auto fields(auto& m) { return std::tie(m.token); }
};

/// Some ranks' measurements of a step, on their way up the tree of ranks; they follow.
struct StepReport {
  static constexpr am::MessageKind kind{"roam.offload.step", am::Counted::no, am::Behind::bytes};
  std::uint64_t step = 0;
  static constexpr auto fields(auto& m) { return std::tie(m.step); }
};

/// What has been decided after a step, on its way down: the quotas of ranks below follow.
struct StepVerdict {
  static constexpr am::MessageKind kind{"roam.offload.verdict", am::Counted::no, am::Behind::bytes};
  std::uint64_t step = 0;
  static constexpr auto fields(auto& m) { return std::tie(m.step); }
};

}  // namespace roam::offload
