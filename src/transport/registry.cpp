// SPDX-License-Identifier: Apache-2.0
#include "roam/transport/registry.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "roam/core/detail/suggest.hpp"
#include "roam/core/error.hpp"
#include "roam/core/plugin/library.hpp"
#include "roam/transport/detail/launcher.hpp"
#include "roam/transport/in_process.hpp"

namespace roam::transport {

namespace {

std::vector<std::string> known_names() {
  std::vector<std::string> names{"auto"};
  std::ranges::move(plugin::names<NetworkKind>(), std::back_inserter(names));
  return names;
}

bool is_asked_for(const NetworkKind& kind) {
  return kind.is_asked_for != nullptr && kind.is_asked_for();
}

// Networks that a build of Roam may lack, and how to get them.
struct OptionalNetwork {
  std::string_view name;
  const char* remedy;
};
constexpr OptionalNetwork optional_networks[] = {
    {"mpi", "this program was built without MPI: build Roam with ROAM_WITH_MPI=ON"},
    {"ucx",
     "this build of Roam has no UCX: install libucx-dev and configure with -DROAM_WITH_UCX=ON"},
};

// How to get a network whose name is not registered.
std::string remedy_for(std::string_view name, const std::vector<std::string>& names) {
  for (const OptionalNetwork& network : optional_networks) {
    if (network.name == name) return std::string("; ") + network.remedy;
  }
  return core::did_you_mean(name, names);
}

// Throws if a launcher that counts its processes contradicts the request.
void check_ranks(const Launcher& launcher, const NetworkRequest& request) {
  if (!request.ranks || !launcher.ranks || *request.ranks == *launcher.ranks) return;
  throw ConfigError(
      std::to_string(*request.ranks) + " ranks were asked for, but the launcher started " +
      std::to_string(*launcher.ranks) + " (" + launcher.variable +
      " is set): leave out the number of ranks, start another number of processes, or choose the "
      "transport in-process to hold all ranks in each process");
}

std::unique_ptr<Network> make_detected_network(const NetworkRequest& request) {
  for (const NetworkKind* kind : plugin::all<NetworkKind>()) {
    if (is_asked_for(*kind)) return kind->create(request);
  }
  const std::optional<Launcher> launcher = detect_launcher();
  for (const NetworkKind* kind : plugin::all<NetworkKind>()) {
    if (kind->detected == nullptr || !kind->detected()) continue;
    if (launcher) check_ranks(*launcher, request);
    return kind->create(request);
  }
  if (launcher && launcher->ranks != 1) {
    throw ConfigError("this process was started by a launcher together with others (" +
                      launcher->variable +
                      " is set), but this program was built without a transport that connects "
                      "them; its transports "
                      "are: " +
                      core::join_names(known_names()) +
                      ". Build Roam with MPI (ROAM_WITH_MPI=ON) or UCX (ROAM_WITH_UCX=ON), start "
                      "the program without the "
                      "launcher, or choose "
                      "the transport in-process for independent jobs");
  }
  return std::make_unique<InProcessNetwork>(request.ranks.value_or(1));
}

}  // namespace

std::unique_ptr<Network> make_network(std::string_view asked_for, const NetworkRequest& request) {
  if (asked_for == "auto") return make_detected_network(request);
  const std::string name =
      plugin::loaded<NetworkKind>({std::string(asked_for), {}}, "--roam-transport").name;
  const NetworkKind* const kind = plugin::find<NetworkKind>(name);
  if (kind == nullptr) {
    const std::vector<std::string> names = known_names();
    throw ConfigError("there is no transport \"" + name +
                      "\"; known are: " + core::join_names(names) + remedy_for(name, names));
  }
  const std::optional<Launcher> launcher = detect_launcher();
  if (kind->detected != nullptr && launcher && !is_asked_for(*kind))
    check_ranks(*launcher, request);
  return kind->create(request);
}

}  // namespace roam::transport
