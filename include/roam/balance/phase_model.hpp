// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "roam/mobile/resident_view.hpp"

namespace roam::balance {

/// What an object will take in the next phase, from what it took in those before. Models stack:
/// each gets the number of the one before it - the first what was measured - and passes its own on;
/// the last one's is what strategies are told. (Load models of vt; DARMA.)
class PhaseModel {
 public:
  /// What a model knows of one object's earlier phases, in numbers of its own; at first empty. It
  /// follows the object to other ranks, so it should be short.
  using Past = std::vector<double>;

  PhaseModel() = default;
  PhaseModel(const PhaseModel&) = delete;
  PhaseModel& operator=(const PhaseModel&) = delete;
  virtual ~PhaseModel() = default;

  /// Called once per phase for each object of the rank, under a directory lock: must be quick and
  /// call nothing of Roam. `seconds`: of the phase that has ended, on a worker of speed 1, as the
  /// model before this one sees it. Must return a finite number, not below 0.
  [[nodiscard]] virtual double expect(const mobile::ResidentView& object, double seconds,
                                      Past& past) const = 0;
  /// True if the model uses `past`.
  [[nodiscard]] virtual bool remembers() const { return false; }
  /// How error messages call the model.
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
