// SPDX-License-Identifier: Apache-2.0
#include "transport/ucx/tcp_bootstrap.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "roam/core/error.hpp"
#include "transport/ucx/tcp_exchange.hpp"

namespace roam::transport {

namespace {

std::string required(const Variables& variables, const char* name) {
  const char* value = variables(name);
  if (value != nullptr && *value != '\0') return value;
  throw ConfigError(std::string(name) +
                    " is not set: processes that meet without a launcher need ROAM_UCX_RANK (0 ... "
                    "size - 1), ROAM_UCX_SIZE and ROAM_UCX_ROOT (<host>:<port> of rank 0)");
}

std::int32_t number(const char* name, std::string_view text, std::int32_t least,
                    std::int32_t most) {
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= least && value <= most)
    return value;
  throw ConfigError(std::string(name) + "=" + std::string(text) +
                    " is not valid: it must be a number from " + std::to_string(least) + " to " +
                    std::to_string(most));
}

// True for the errors that the system reports for a connection to a machine that no longer answers.
// With other errors the process has ended and its machine has closed the connection.
bool means_silence(int error) {
  return error == ETIMEDOUT || error == EHOSTUNREACH || error == ENETUNREACH || error == EHOSTDOWN;
}

std::string silence(const TcpMeeting& meeting) {
  return "its machine has not answered for " + std::to_string(meeting.peer_timeout.count()) +
         " s (--roam-peer-timeout)";
}

}  // namespace

TcpMeeting read_tcp_meeting(const Variables& variables) {
  TcpMeeting meeting;
  meeting.size = number("ROAM_UCX_SIZE", required(variables, "ROAM_UCX_SIZE"), 1, 1 << 24);
  meeting.rank = number("ROAM_UCX_RANK", required(variables, "ROAM_UCX_RANK"), 0, meeting.size - 1);
  const std::string root = required(variables, "ROAM_UCX_ROOT");
  const std::size_t colon = root.rfind(':');
  meeting.host = root.substr(0, colon);
  meeting.port = colon == std::string::npos ? "" : root.substr(colon + 1);
  if (meeting.host.size() > 2 && meeting.host.front() == '[' && meeting.host.back() == ']')
    meeting.host = meeting.host.substr(1, meeting.host.size() - 2);  // [::1]:4711
  if (meeting.host.empty() || meeting.port.empty()) {
    throw ConfigError("ROAM_UCX_ROOT=" + root +
                      " is not valid: it must be <host>:<port>, for example node17:4711");
  }
  number("the port of ROAM_UCX_ROOT", meeting.port, 1, 65535);
  if (const char* patience = variables("ROAM_UCX_TIMEOUT"))
    meeting.patience = std::chrono::seconds(number("ROAM_UCX_TIMEOUT", patience, 1, 86400));
  return meeting;
}

std::vector<std::string> TcpBootstrap::allgather(const std::string& mine) {
  std::vector<std::string> texts(static_cast<std::size_t>(meeting_.size));
  if (meeting_.size == 1) {
    texts[0] = mine;
  } else if (is_root()) {
    texts[0] = mine;
    for (Socket& socket : accept_all(meeting_, texts)) {
      send_texts(socket, texts);
      add_connection(std::move(socket));
    }
  } else {
    Socket socket = connect_to_root(meeting_, mine);
    texts = receive_texts(meeting_, socket);
    add_connection(std::move(socket));
  }
  return texts;
}

void TcpBootstrap::add_connection(Socket socket) {
  notice_silence(socket, meeting_.peer_timeout);
  if (!readable_) readable_ = Socket(epoll_create1(EPOLL_CLOEXEC));
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = connections_.size();
  if (epoll_ctl(readable_.descriptor(), EPOLL_CTL_ADD, socket.descriptor(), &event) != 0)
    throw Error(std::string("epoll_ctl: ") + std::strerror(errno));
  connections_.push_back({std::move(socket), {}, false});
}

std::optional<LostProcess> TcpBootstrap::lost() {
  epoll_event event{};
  if (readable_ && lost_.empty() && epoll_wait(readable_.descriptor(), &event, 1, 0) == 1)
    read_news(event.data.u64);
  if (lost_.empty()) return std::nullopt;
  LostProcess first = std::move(lost_.front());
  lost_.pop_front();
  return first;
}

Rank TcpBootstrap::peer_of(std::size_t connection) const {
  return is_root() ? Rank(static_cast<std::int32_t>(connection) + 1) : Rank(0);
}

void TcpBootstrap::read_news(std::size_t connection) {
  Connection& from = connections_[connection];
  std::array<char, 64 * sizeof(News)> part;
  while (!from.ended) {
    const ssize_t bytes = ::recv(from.socket.descriptor(), part.data(), part.size(), MSG_DONTWAIT);
    if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (bytes <= 0) {
      connection_ended(connection, bytes < 0 ? errno : 0);
      return;
    }
    from.unread.append(part.data(), static_cast<std::size_t>(bytes));
    std::size_t used = 0;
    for (News news{}; from.unread.size() - used >= sizeof news; used += sizeof news) {
      std::memcpy(&news, from.unread.data() + used, sizeof news);
      handle(connection, news);
    }
    from.unread.erase(0, used);
  }
}

void TcpBootstrap::handle(std::size_t connection, const News& news) {
  switch (news.kind) {
    case Kind::lost:
      lost_.push_back({news.value, "its process has ended, as rank 0 has noticed"});
      return;
    case Kind::silent:
      lost_.push_back({news.value, silence(meeting_) + ", as rank 0 has noticed"});
      return;
    case Kind::left:
      end(connection);
      return;
    case Kind::abort:
      if (is_root()) tell_all(news);
      std::_Exit(news.value);
  }
}

void TcpBootstrap::connection_ended(std::size_t connection, int error) {
  end(connection);
  const Rank peer = peer_of(connection);
  const bool is_silent = means_silence(error);
  lost_.push_back({peer, is_silent ? silence(meeting_) : "its process has ended"});
  if (is_root()) tell_all({is_silent ? Kind::silent : Kind::lost, peer.value()});
}

// Marks a connection as ended: nothing more is read from it.
void TcpBootstrap::end(std::size_t connection) {
  connections_[connection].ended = true;
  epoll_ctl(readable_.descriptor(), EPOLL_CTL_DEL, connections_[connection].socket.descriptor(),
            nullptr);
}

// Does not wait for peers that are gone or do not read.
void TcpBootstrap::tell(std::size_t connection, const News& news) {
  const Connection& to = connections_[connection];
  if (!to.ended) ::send(to.socket.descriptor(), &news, sizeof news, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void TcpBootstrap::tell_all(const News& news) {
  for (std::size_t i = 0; i < connections_.size(); ++i) tell(i, news);
}

void TcpBootstrap::leave() { tell_all({Kind::left, meeting_.rank}); }

void TcpBootstrap::abort(int status) {
  tell_all({Kind::abort, status});
  std::_Exit(status);
}

}  // namespace roam::transport
