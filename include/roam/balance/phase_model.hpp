// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "roam/mobile/resident_view.hpp"

namespace roam::balance {

/// Predicts what an object will take in the next phase from what it took in earlier ones. Models
/// are stacked: the first gets what was measured, each other one the result of the model before it;
/// strategies get the last result. (Load models of vt; DARMA.)
class PhaseModel {
 public:
  /// What a model remembers about one object's earlier phases: numbers of its own meaning, at first
  /// none. They follow the object to other ranks, so there should be few.
  using Past = std::vector<double>;

  PhaseModel() = default;
  PhaseModel(const PhaseModel&) = delete;
  PhaseModel& operator=(const PhaseModel&) = delete;
  virtual ~PhaseModel() = default;

  /// The expected load of an object in the next phase. Called once per phase for each object of the
  /// rank, under a directory lock: must be quick and call nothing of Roam. `seconds`: load in the
  /// phase that has ended, on a worker of speed 1, as the model before this one returned it. Must
  /// return a finite number, not below 0.
  [[nodiscard]] virtual double expect(const mobile::ResidentView& object, double seconds,
                                      Past& past) const = 0;
  /// True if the model uses `past`.
  [[nodiscard]] virtual bool remembers() const { return false; }
  /// The model's name in error messages.
  [[nodiscard]] virtual std::string name() const = 0;
};

/// The program's own model of the objects of one class: function(const T&, double seconds).
template <class T, class Function>
class ObjectModel final : public PhaseModel {
 public:
  /// `function` may be called by any worker, several at once.
  explicit ObjectModel(Function function) : function_(std::move(function)) {}
  [[nodiscard]] double expect(const mobile::ResidentView& object, double seconds,
                              Past&) const override {
    const T* const value = object.as<T>();
    return value == nullptr ? seconds : function_(*value, seconds);
  }
  [[nodiscard]] std::string name() const override {
    return "the program's for " + std::string(core::type_name<T>());
  }

 private:
  const Function function_;
};

}  // namespace roam::balance
