// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#include "roam/am/detail/messenger.hpp"
#include "roam/am/detail/system_message.hpp"
#include "roam/core/detail/spin_lock.hpp"
#include "roam/flow/detail/distribution.hpp"

namespace roam::flow {

/// To the home of an index: where is it?
struct AskRank {
  static constexpr am::MessageKind kind{"roam.flow.ask_rank", am::Counted::yes};
  std::uint32_t flow = 0;
  std::uint32_t number = 0;
  std::uint64_t index = 0;
  static constexpr auto fields(auto& m) { return std::tie(m.flow, m.number, m.index); }
};

/// To whoever has asked, and (`is_news`) to the home when it has moved: it is at this rank.
struct TellRank {
  static constexpr am::MessageKind kind{"roam.flow.tell_rank", am::Counted::yes};
  std::uint32_t flow = 0;
  std::uint32_t number = 0;
  std::uint64_t index = 0;
  Rank rank;
  bool is_news = false;
  static constexpr auto fields(auto& m) {
    return std::tie(m.flow, m.number, m.index, m.rank, m.is_news);
  }
};

/// Those distributions of a rank that have seen a phase, by name: other ranks may ask where their
/// indices are as long as their tasks run, even when this rank's program has done with them.
/// Thread-safe.
class Distributions {
 public:
  explicit Distributions(am::Messenger& messenger);

  [[nodiscard]] am::Messenger& messenger() const { return messenger_; }
  void keep(const std::shared_ptr<Distribution>& one) ROAM_EXCLUDES(lock_);
  /// While nothing is under way anywhere: gives up those of other flows that nobody uses.
  void forget_all_but(std::uint32_t flow) ROAM_EXCLUDES(lock_);
  /// nullptr: there is none.
  [[nodiscard]] std::shared_ptr<Distribution> find(const DistributionName& name) const
      ROAM_EXCLUDES(lock_);

 private:
  [[nodiscard]] std::shared_ptr<Distribution> require(std::uint32_t flow,
                                                      std::uint32_t number) const;
  void on_ask(const AskRank& question, Rank source);
  void on_tell(const TellRank& answer);

  am::Messenger& messenger_;
  mutable core::SpinLock lock_;
  std::vector<std::shared_ptr<Distribution>> kept_ ROAM_GUARDED_BY(lock_);
};

}  // namespace roam::flow
