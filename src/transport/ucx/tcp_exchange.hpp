// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "transport/ucx/tcp_bootstrap.hpp"

namespace roam::transport {

/// The exchange of one text per rank over TCP. Both throw roam::Error when the patience of the
/// meeting has run out.

/// At rank 0: accepts a connection and a text from every other rank, by rank; strangers are turned
/// away. `texts` has this rank's own.
[[nodiscard]] std::vector<Socket> accept_all(const TcpMeeting& meeting,
                                             std::vector<std::string>& texts);
/// Elsewhere: connects to rank 0, waiting for it to start, and brings this rank's text.
[[nodiscard]] Socket connect_to_root(const TcpMeeting& meeting, const std::string& text);
/// Rank 0 hands out what accept_all() gathered, and the others take it.
void send_texts(const Socket& socket, const std::vector<std::string>& texts);
[[nodiscard]] std::vector<std::string> receive_texts(const TcpMeeting& meeting,
                                                     const Socket& socket);

/// From here on the connection breaks when the machine at its other end has been silent for `limit`
/// (0: never) and up to half as long again: what is sent is not acknowledged, or there is no answer
/// to keepalive probes, which the systems exchange whatever their processes do. It survives shorter
/// interruptions.
void notice_silence(const Socket& socket, std::chrono::seconds limit);

}  // namespace roam::transport
