// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

namespace roam::flow {

class GraphRun;
class Scope;

namespace detail {

/// While it lives, the tasks that a scope issues are those of a graph.
class GraphCall {
 public:
  GraphCall(Scope& scope, std::string_view name);
  GraphCall(const GraphCall&) = delete;
  GraphCall& operator=(const GraphCall&) = delete;
  ~GraphCall();

 private:
  Scope& scope_;
  std::unique_ptr<GraphRun> run_;  // nullptr: they are issued as always
};

}  // namespace detail

}  // namespace roam::flow
