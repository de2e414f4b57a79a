// SPDX-License-Identifier: Apache-2.0
#include "roam/balance/detail/model_stack.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <string>

#include "roam/balance/load_models.hpp"
#include "roam/core/error.hpp"

namespace roam::balance {

ModelStack::ModelStack(mobile::ObjectSpace& space, const std::vector<PluginChoice>& models)
    : space_(space), models_(make_load_models(models)) {
  remembers_ = std::ranges::any_of(models_, [](const auto& model) { return model->remembers(); });
  space.messenger().bind<&ModelStack::on_past>(*this);
}

ModelStack::~ModelStack() = default;

void ModelStack::add(std::unique_ptr<PhaseModel> model) {
  const std::lock_guard guard(lock_);
  if (round_ > 0) {
    throw Error("rank " + std::to_string(space_.rank().value()) + ": the load model " +
                model->name() + " was added after the end of a phase; add it before the first");
  }
  remembers_ = remembers_ || model->remembers();
  models_.insert(models_.begin() + static_cast<std::ptrdiff_t>(added_++), std::move(model));
}

void ModelStack::begin_round() {
  const std::lock_guard guard(lock_);
  ++round_;
}

double ModelStack::expect(const mobile::ResidentView& object, double seconds) {
  const std::lock_guard guard(lock_);
  Memory none;
  Memory& memory = remembers_ ? memory_[object.id] : none;
  memory.round = round_;
  memory.pasts.resize(models_.size());
  for (std::size_t i = 0; i < models_.size(); ++i) {
    const double expected = models_[i]->expect(object, seconds, memory.pasts[i]);
    if (!std::isfinite(expected) || expected < 0) {
      throw Error("rank " + std::to_string(space_.rank().value()) + ", object " +
                  to_string(object.id) + ": the load model " + models_[i]->name() + " expects " +
                  std::to_string(expected) + " s; allowed is a finite number, not below 0");
    }
    seconds = expected;
  }
  return seconds;
}

// Objects that are just leaving are not visited; what is remembered about them is retained for one
// round.
void ModelStack::end_round() {
  const std::lock_guard guard(lock_);
  std::erase_if(memory_, [this](const auto& entry) { return entry.second.round + 1 < round_; });
}

void ModelStack::follow(const mobile::MigrationOutcome& outcome) {
  if (!outcome.moved) return;
  Memory memory;
  {
    const std::lock_guard guard(lock_);
    const auto found = memory_.find(outcome.object);
    if (found == memory_.end()) return;
    memory = found->second;
  }
  space_.messenger().post(outcome.target, PastOfObject{outcome.object, memory});
}

// The object may have moved on already: this rank has handed it over, so it knows a later place,
// and the message follows. If two memories of an object meet, the newer one counts.
void ModelStack::on_past(const PastOfObject& past) {
  if (!remembers_ || past.memory.pasts.size() != models_.size()) {
    throw MalformedMessage("what other load models remember of an object");
  }
  {
    const std::lock_guard guard(lock_);
    Memory& memory = memory_[past.object];
    if (memory.pasts.empty() || memory.round < past.memory.round) memory = past.memory;
  }
  const std::optional<mobile::Place> place = space_.place_of(past.object);
  if (place && place->rank != space_.rank()) space_.messenger().post(place->rank, past);
}

}  // namespace roam::balance
