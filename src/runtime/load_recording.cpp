// SPDX-License-Identifier: Apache-2.0
// Option --roam-lb-data: records the phases of each rank, from the start of the job to its end.
#include "roam/balance/detail/phases.hpp"
#include "roam/core/error.hpp"
#include "roam/placement/detail/lb_recorder.hpp"
#include "roam/runtime/detail/rank_part.hpp"
#include "roam/runtime/runtime.hpp"

namespace roam {

namespace {

class LoadRecording final : public RankPart {
 public:
  explicit LoadRecording(Runtime& rank) : rank_(rank) {
    rank.phases().set_recorder(
        std::make_unique<placement::LbRecorder>(rank.options().lb_data, rank.rank(), rank.size()));
  }
  void start() override { rank_.phases().begin_recording(); }
  void finish(std::function<void()> done) override {
    try {
      rank_.phases().finish_recording();
    } catch (const Error& error) {
      rank_.abort(error.what());
    }
    done();
  }
  void leave_records(LastRecords& /*records*/, bool /*is_at_rest*/) override {
    rank_.phases().leave_recording();
  }

 private:
  Runtime& rank_;
};

std::unique_ptr<RankPart> make_load_recording(Runtime& rank) {
  if (rank.options().lb_data.empty()) return nullptr;
  return std::make_unique<LoadRecording>(rank);
}

const RankPartRegistrar load_recording{{.name = "load recording", .make = make_load_recording}};

}  // namespace

}  // namespace roam
