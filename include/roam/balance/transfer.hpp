// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "roam/balance/policy.hpp"
#include "roam/core/error.hpp"

namespace roam::balance {

/// An underloaded rank's request for work.
struct WorkRequest {
  Rank from;                ///< the asking rank
  RankLoad load;            ///< of the asking rank
  double want_seconds = 0;  ///< the most work that is of use to it, apart from `count`
  std::uint32_t count = 1;  ///< number of workers that have nothing to run, or soon will: at least
                            ///< so many objects are welcome, whatever their size
};

/// What has been given in answer to a request.
struct Transfer {
  std::uint32_t objects = 0;  ///< how many
  double seconds = 0;         ///< their unfinished work
};

/// The time in seconds by which the work of `object` starts earlier at the end of the asking rank's
/// queue, after what was `given`, than at the end of ours. Moving the object gains that time, but
/// no more than its work.
[[nodiscard]] double earlier_start(const RankLoad& ours, const RankLoad& theirs,
                                   const Transfer& given, std::uint32_t welcome,
                                   const ObjectLoad& object);

/// Gives objects of this rank to the asking one; `reason` goes into the decision log. The rules,
/// for any policy:
/// - small objects move together, in one message. They do if all gain more than that costs, and
///   each of them more than it adds to the cost (B3); four times more if it has arrived only just
///   now (no ping-pong);
/// - where work comes in cycles, it moves if it is better off there in the next ones, too (the
///   workers there have been less busy, by more than its work), or if it waits for four times its
///   work while they, as in the last cycles, have time for it; what has never run yet, or waits
///   for longer than two cycles, is not part of any;
/// - an object that has run for twice the work it has now, and so will have more, moves if the
///   workers there have been idle for more of the time lately (idle_evidence), by twice its share,
///   and have not waited for this rank because it was interrupted;
/// - all together at most what was asked for, and at most what makes both ranks' load per worker
///   equal (of two like ranks: half the difference), largest first;
/// - beyond that one object for each worker without work, if its work will then end before this
///   rank's does, or if it is the smallest there is: the last objects of a run, each larger than
///   half the difference.
Transfer give(PolicyHost& host, const WorkRequest& request, std::string_view reason);

/// True if work waits for a worker and is worth a move.
[[nodiscard]] bool has_spare(const PolicyHost& host, const RankLoad& load);

/// Delays giving away work that has only just come, because the asking rank may be about to get
/// work of its own (at the start of a program or a phase). The delay is a thousandth of an object's
/// work, or the time that a tree of messages to all ranks takes; at most 50 ms. In the first 10 ms
/// of a job in real time nothing is given, since threads and processes do not start at the same
/// time.
class Settling {
 public:
  /// The longest delay.
  static constexpr double most_seconds = 0.05;
  /// Must be called with this rank's load before every use.
  void watch(const PolicyHost& host, const RankLoad& load);
  /// Seconds until the spare work may be given away; 0: now, or there is none.
  [[nodiscard]] double seconds_left(const PolicyHost& host, const RankLoad& load) const;

 private:
  Instant spare_since_ = never;  // never: there is none
};

/// @cond
/// Throws MalformedMessage unless the numbers can be a load.
void check_load(const RankLoad& load);
/// @endcond

/// Reads a policy's message, which the sender copied as bytes and which contains its load; `policy`
/// is named in the report. Throws MalformedMessage if it has another size or the load is not valid.
template <class Note>
[[nodiscard]] Note read_note(std::span<const std::byte> message, const char* policy) {
  Note note;
  if (message.size() != sizeof note)
    throw MalformedMessage(std::string(policy) + ": size of a message");
  std::memcpy(&note, message.data(), sizeof note);
  check_load(note.load);
  return note;
}

}  // namespace roam::balance
