// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "flow/distributions.hpp"
#include "flow/element_tasks.hpp"
#include "flow/task_recorder.hpp"
#include "roam/core/detail/spin_lock.hpp"
#include "roam/flow/core.hpp"
#include "roam/flow/detail/exchange.hpp"
#include "roam/flow/publications.hpp"
#include "roam/runtime/detail/rank_part.hpp"
#include "roam/runtime/runtime.hpp"

namespace roam::flow {

/// One rank's part of flow programs: its back end, and a Core for each Flow. Made with the rank.
class FlowPart final : public RankPart {
 public:
  explicit FlowPart(Runtime& rank);
  ~FlowPart() override;

  [[nodiscard]] static FlowPart& of(Runtime& rank) { return of(rank.engine()); }
  [[nodiscard]] static FlowPart& of(exec::Engine& engine) {
    return *engine.services().get<FlowPart>();
  }
  /// Returns a Core for a new Flow; it lives at least until its tasks are over.
  [[nodiscard]] Core& begin_flow() ROAM_EXCLUDES(lock_) { return begin_flow(kind_.runs_at_once); }
  /// Like begin_flow(), with tasks that run at once.
  [[nodiscard]] Core& begin_flow_at_once() ROAM_EXCLUDES(lock_) { return begin_flow(true); }

  [[nodiscard]] const BackendKind& kind() const { return kind_; }
  [[nodiscard]] Exchange& exchange() { return exchange_; }
  [[nodiscard]] Publications& publications() { return publications_; }
  [[nodiscard]] Distributions& distributions() { return distributions_; }
  [[nodiscard]] ElementTasks& element_tasks() { return element_tasks_; }
  /// Returns the distribution for a new collection, which may be the first of its shape in the
  /// flow.
  [[nodiscard]] std::shared_ptr<Distribution> distribute(Core& core,
                                                         const mobile::CollectionShape& shape,
                                                         const std::shared_ptr<const IndexSet>& set,
                                                         std::uint32_t number);
  /// The number of the next Flow with collections; used by the main program.
  [[nodiscard]] std::uint32_t next_id() { return ++ids_; }
  [[nodiscard]] Runtime& rank() { return rank_; }

  [[nodiscard]] FlowCounts counts() const ROAM_EXCLUDES(lock_);
  void finish(std::function<void()> done) override;
  void add_statistics(Counters& counters) const override;
  void add_to_trace(trace::RankTrace& trace) const override;
  [[nodiscard]] std::vector<std::string> stuck_facts() const override;

 private:
  [[nodiscard]] Core& begin_flow(bool runs_at_once) ROAM_EXCLUDES(lock_);

  Runtime& rank_;
  const BackendKind& kind_;
  const std::unique_ptr<TaskRecorder> recorder_;  // made if the user asks for it
  Exchange exchange_;
  Distributions distributions_;
  ElementTasks element_tasks_;
  Publications publications_;
  std::uint32_t ids_ = 0;
  mutable core::SpinLock lock_;
  std::vector<std::unique_ptr<Core>> cores_ ROAM_GUARDED_BY(lock_);
  // Made for the first Flow, since most ranks of most jobs have none. Declared after the cores,
  // whose tasks it holds.
  std::unique_ptr<Backend> backend_ ROAM_GUARDED_BY(lock_);
};

}  // namespace roam::flow
