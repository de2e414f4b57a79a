// SPDX-License-Identifier: Apache-2.0
#include "put_off_moves.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "roam/core/error.hpp"

namespace roam::balance {

namespace {

// The part of the gain of new moves that the old ones must have. Chosen, as for WaitHistory: loads
// that change slowly take some of it away.
constexpr double least_kept_gain = 0.5;

/// Tells the ranks where objects would go how much work would come.
class JudgedLoads final : public placement::DistributedStrategy {
 public:
  JudgedLoads(double work_seconds, std::map<std::int32_t, double> leaving)
      : work_seconds_(work_seconds), leaving_(std::move(leaving)) {}

  [[nodiscard]] bool step(placement::StepHost& host,
                          std::span<const placement::StepMessage> received) override {
    for (const placement::StepMessage& one : received) {
      core::Unpacker bytes(one.bytes);
      const auto seconds = core::unpack<double>(bytes);
      if (!(seconds >= 0) || bytes.remaining() > 0)
        throw MalformedMessage("phase(): work that cannot be");
      work_seconds_ += seconds;
    }
    if (std::exchange(has_sent_, true)) return false;
    for (const auto& [to, seconds] : leaving_) {
      core::Packer message = host.message();
      core::pack(message, seconds);
      host.send(to, std::move(message));
      work_seconds_ -= seconds;
    }
    return true;
  }
  [[nodiscard]] Result result() override {
    Result judged;
    judged.work_seconds = work_seconds_;
    return judged;
  }

 private:
  double work_seconds_;
  std::map<std::int32_t, double> leaving_;  // by rank
  bool has_sent_ = false;
};

}  // namespace

std::uint32_t PutOffMoves::phases_with(double gain_seconds, double kept_gain_seconds,
                                       std::uint32_t phase) const {
  if (!since_ || kept_gain_seconds <= 0 || kept_gain_seconds < least_kept_gain * gain_seconds)
    return 1;
  return std::min({phase - *since_ + 1, 2 * counted_, most_phases});
}

double PutOffMoves::gain(const std::vector<placement::RankLoads>& loads,
                         const placement::GatheredLoads& gathered, double max_seconds) const {
  if (to_.empty()) return 0;
  std::vector<std::int32_t> place_of(static_cast<std::size_t>(gathered.machine.ranks));
  for (std::int32_t place = 0; place < gathered.machine.ranks; ++place)
    place_of[static_cast<std::size_t>(gathered.rank_of(place))] = place;
  placement::Placement placement = gathered.graph.rank;
  std::size_t object = 0;
  for (const placement::RankLoads& of_rank : loads) {
    for (const std::uint64_t id : of_rank.of.objects) {
      const auto found = to_.find(id);
      if (found != to_.end()) placement[object] = place_of[static_cast<std::size_t>(found->second)];
      ++object;
    }
  }
  return max_seconds - placement::assess(gathered.graph, gathered.machine, placement).max_seconds;
}

std::unique_ptr<placement::DistributedStrategy> PutOffMoves::judge(
    const placement::RankShare& share) const {
  double work = share.fixed_seconds;
  std::map<std::int32_t, double> leaving;
  for (const placement::ObjectNote& note : share.objects) {
    work += note.seconds;
    const auto found = to_.find(note.object);
    if (found != to_.end() && found->second != share.rank.value())
      leaving[found->second] += note.seconds;
  }
  return std::make_unique<JudgedLoads>(work, std::move(leaving));
}

void PutOffMoves::note(const PhaseReport& report, bool counts_work) {
  std::vector<placement::ObjectNote> proposed = std::exchange(proposed_, {});
  if (report.moved_objects > 0) {
    have_failed_ = false;
  } else {
    if (!counts_work) return;
    if (has_any()) {
      const bool have_lasted = report.gain_phases > 1;
      const bool have_failed_before = std::exchange(have_failed_, !have_lasted);
      if (have_lasted) {  // moves that have gained all the time say more than new ones
        counted_ = report.gain_phases;
        return;
      }
      if (!have_failed_before) return;
    }
  }
  to_.clear();
  since_.reset();
  counted_ = 1;
  if (report.moved_objects > 0 || report.gain_seconds <= 0) return;
  since_ = report.phase;
  for (const placement::ObjectNote& note : proposed) to_[note.object] = note.to;
}

}  // namespace roam::balance
