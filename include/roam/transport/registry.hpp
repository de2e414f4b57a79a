// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "roam/core/plugin/registrar.hpp"
#include "roam/transport/network.hpp"

namespace roam::transport {

/// What a job requires of its network.
struct NetworkRequest {
  /// The number of ranks. If not set: one in this process, or as many as the launcher started.
  std::optional<std::int32_t> ranks;
  /// How long the machine of a rank may be silent before its ranks count as lost; 0: for ever. For
  /// networks that watch machines themselves.
  std::chrono::seconds peer_timeout{60};
  /// How many of the last ranks are helpers, whose loss the others survive where the network can do
  /// that. It only passes on what it is told of it.
  std::int32_t helpers = 0;
};

/// A way to connect ranks, named by --roam-transport. Registered by one line next to its
/// implementation:
///
///   const NetworkRegistrar registrar{{.name = "mpi", ...}};
struct NetworkKind {
  const char* name;         ///< for --roam-transport
  const char* description;  ///< one line for --roam-help
  /// Opens the network. Throws roam::ConfigError if the request cannot be met, roam::Error if the
  /// network cannot be opened.
  std::unique_ptr<Network> (*create)(const NetworkRequest& request);
  /// True if this process was started in a way that calls for this network; nullptr: "auto" never
  /// chooses it.
  bool (*detected)();
  /// True if the environment asks for this network by name, whatever launcher there is: then "auto"
  /// chooses it. nullptr: never.
  bool (*is_asked_for)() = nullptr;
};

}  // namespace roam::transport

template <>
struct roam::plugin::Family<roam::transport::NetworkKind> {
  static constexpr const char* name = "transport";
  static constexpr std::uint32_t interface = 1;
  static constexpr std::uint64_t layout =
      layout_of<transport::NetworkKind, transport::NetworkRequest>();
};

namespace roam::transport {

/// Registers a transport by its existence, as a static constant beside the transport's
/// implementation.
using NetworkRegistrar = plugin::Registrar<NetworkKind>;

/// Opens the network called `name`. "auto" means the one whose launcher started this process, else
/// "in-process". A name with a slash is the path of a shared library that brings a transport.
/// Throws roam::ConfigError for an unknown name (the message lists the known ones), for a library
/// that brings none, for a launcher whose network is not part of this program, and for a number of
/// ranks that contradicts the launcher's.
[[nodiscard]] std::unique_ptr<Network> make_network(std::string_view name,
                                                    const NetworkRequest& request);

}  // namespace roam::transport
