// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "transport/ucx/tcp_bootstrap.hpp"

namespace roam::transport {

/// The exchange of one text per rank over TCP. Both throw roam::Error when the patience of the
/// meeting has run out.

/// At rank 0: accepts a connection and a text from every other rank, by rank; connections from
/// other programs are closed. `texts` contains this rank's own text.
[[nodiscard]] std::vector<Socket> accept_all(const TcpMeeting& meeting,
                                             std::vector<std::string>& texts);
/// On other ranks: connects to rank 0, waiting until it has started, and sends this rank's text.
[[nodiscard]] Socket connect_to_root(const TcpMeeting& meeting, const std::string& text);
/// Rank 0 sends what accept_all() has gathered, and the others receive it.
void send_texts(const Socket& socket, const std::vector<std::string>& texts);
[[nodiscard]] std::vector<std::string> receive_texts(const TcpMeeting& meeting,
                                                     const Socket& socket);

/// Makes the connection break if the machine at its other end has been silent for between `limit`
/// (0: never) and one and a half times that: it does not acknowledge what is sent, or does not
/// answer the keepalive probes that the operating systems exchange whatever their processes do. It
/// survives shorter interruptions.
void notice_silence(const Socket& socket, std::chrono::seconds limit);

}  // namespace roam::transport
