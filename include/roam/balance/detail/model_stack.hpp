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

/// The stacked load models of one rank, and what they remember about the objects that are here.
/// When an object has moved, whoever moved it, the rank that it left sends this memory after it in
/// one counted message, so that it is where the object is at the end of the next phase.
/// Thread-safe.
class ModelStack {
 public:
  /// Binds the handler "roam.past". Must be made before the first step. Throws ConfigError for
  /// models that do not exist.
  ModelStack(mobile::ObjectSpace& space, const std::vector<PluginChoice>& models);
  ModelStack(const ModelStack&) = delete;
  ModelStack& operator=(const ModelStack&) = delete;
  ~ModelStack();

  /// Adds a model below those named at construction, and above those added before. Must be called
  /// before the first phase ends, in the same way on every rank: throws roam::Error later.
  void add(std::unique_ptr<PhaseModel> model);

  /// Begins the end of a phase: expect() then follows, once for each object of the rank.
  void begin_round();
  /// The expected load of the object, which took `seconds`. Throws roam::Error that names the model
  /// if the result is negative or not a number.
  [[nodiscard]] double expect(const mobile::ResidentView& object, double seconds);
  /// Ends the round: forgets objects that have left or no longer exist.
  void end_round();

  /// Must be told of every move that started here.
  void follow(const mobile::MigrationOutcome& outcome);

 private:
  struct Memory {
    std::uint32_t round = 0;              // last round in which the object was here
    std::vector<PhaseModel::Past> pasts;  // one entry per model
    static constexpr auto fields(auto& m) { return std::tie(m.round, m.pasts); }
  };
  /// What is remembered about an object, sent after it to its new rank.
  struct PastOfObject {
    static constexpr am::MessageKind kind{"roam.past", am::Counted::yes};
    ObjectId object;
    Memory memory;
    static constexpr auto fields(auto& m) { return std::tie(m.object, m.memory); }
  };
  void on_past(const PastOfObject& past);

  mobile::ObjectSpace& space_;
  std::vector<std::unique_ptr<PhaseModel>> models_;  // constant once the first round has begun
  std::size_t added_ = 0;
  bool remembers_ = false;
  mutable core::SpinLock lock_;
  std::uint32_t round_ = 0;                      // under lock_
  std::unordered_map<ObjectId, Memory> memory_;  // under lock_
};

}  // namespace roam::balance
