// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "roam/balance/phase_model.hpp"
#include "roam/core/detail/spin_lock.hpp"
#include "roam/core/plugin_choice.hpp"
#include "roam/mobile/detail/object_space.hpp"

namespace roam::balance {

/// The load models of one rank, one on the other, and what they remember of the objects that are
/// here. When an object has moved, by whomever, the rank it has left sends what it remembers after
/// it, in one counted message: the next phase's end finds it where the object is. Thread-safe.
class ModelStack {
 public:
  /// Binds the handler "roam.past". Before the first step. Throws ConfigError for models that do
  /// not exist.
  ModelStack(mobile::ObjectSpace& space, const std::vector<PluginChoice>& models);
  ModelStack(const ModelStack&) = delete;
  ModelStack& operator=(const ModelStack&) = delete;
  ~ModelStack();

  /// Below the models named at construction, above those added so before. Before the first phase
  /// ends, the same on every rank: throws roam::Error later.
  void add(std::unique_ptr<PhaseModel> model);

  /// Begins a phase's end: expect() then follows, once for each object of the rank.
  void begin_round();
  /// What is expected of the object, having taken `seconds`. Throws roam::Error, naming the model,
  /// for what is no number or below 0.
  [[nodiscard]] double expect(const mobile::ResidentView& object, double seconds);
  /// Ends it: forgets the objects that have left and those that are gone.
  void end_round();

  /// To be told of every move that started here.
  void follow(const mobile::MigrationOutcome& outcome);

 private:
  struct Memory {
    std::uint32_t round = 0;              // in which the object was last seen
    std::vector<PhaseModel::Past> pasts;  // one for each model
    static constexpr auto fields(auto& m) { return std::tie(m.round, m.pasts); }
  };
  /// What is remembered of an object, sent after it.
  struct PastOfObject {
    static constexpr am::MessageKind kind{"roam.past", am::Counted::yes};
    ObjectId object;
    Memory memory;
    static constexpr auto fields(auto& m) { return std::tie(m.object, m.memory); }
  };
  void on_past(const PastOfObject& past);

  mobile::ObjectSpace& space_;
  std::vector<std::unique_ptr<PhaseModel>> models_;  // changed before the first round
  std::size_t added_ = 0;
  bool remembers_ = false;
  mutable core::SpinLock lock_;
  std::uint32_t round_ = 0;                      // under lock_
  std::unordered_map<ObjectId, Memory> memory_;  // under lock_
};

}  // namespace roam::balance
