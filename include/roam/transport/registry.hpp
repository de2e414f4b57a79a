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

/// What the job asks of its network.
struct NetworkRequest {
  /// Ranks wanted. Without: one in this process, or as many as the launcher started.
  std::optional<std::int32_t> ranks;
  /// How long the machine of a rank may be silent before its ranks count as lost; 0: for ever. For
  /// networks that watch machines themselves.
  std::chrono::seconds peer_timeout{60};
};

/// One way to connect ranks, as --roam-transport names it. Registered by one line next to its
/// implementation:
///
///   const NetworkRegistrar registrar{{.name = "mpi", ...}};
struct NetworkKind {
  const char* name;         ///< for --roam-transport
  const char* description;  ///< one line for --roam-help
  /// Throws roam::ConfigError if the request cannot be met, roam::Error if the network cannot be
  /// opened.
  std::unique_ptr<Network> (*create)(const NetworkRequest& request);
  /// True if this process was started in a way that calls for this network; nullptr: never chosen
  /// by "auto".
  bool (*detected)();
  /// True if the environment asks for this very network, whatever launcher there is: then "auto"
  /// means it. nullptr: never.
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

/// Registers a transport by living, as a static constant beside its implementation.
using NetworkRegistrar = plugin::Registrar<NetworkKind>;

/// Opens the network called `name`; "auto" means the one whose launcher started this process, else
/// "in-process". A path (with a slash) is that of a shared library that brings one. Throws
/// roam::ConfigError for an unknown name (the message lists the known ones), for a library that
/// brings none, for a launcher whose network is not part of this program, and for a number of ranks
/// that contradicts the launcher's.
[[nodiscard]] std::unique_ptr<Network> make_network(std::string_view name,
                                                    const NetworkRequest& request);

}  // namespace roam::transport
