// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "roam/transport/ucx/bootstrap.hpp"

namespace roam::transport {

/// What the variables ROAM_UCX_... say.
struct TcpMeeting {
  std::int32_t rank = 0;
  std::int32_t size = 1;
  std::string host;  // where rank 0 listens
  std::string port;
  std::chrono::seconds patience{60};
  std::chrono::seconds peer_timeout{60};  // 0: for ever
};
/// A function that returns a variable's value, or nullptr.
using Variables = std::function<const char*(const char* name)>;
/// Throws roam::ConfigError naming the variable that is missing or wrong, and what it should be.
[[nodiscard]] TcpMeeting read_tcp_meeting(const Variables& variables);

/// A TCP connection, or any other descriptor that is closed at the end.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Socket();
  [[nodiscard]] int descriptor() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ >= 0; }

 private:
  int descriptor_ = -1;
};

/// All processes connect to that of rank 0. The connections remain open while the job runs: if one
/// breaks, a process has ended, and rank 0 tells the others. The operating systems at both ends
/// probe each other by TCP's keepalive: a connection also breaks if a machine does not answer for
/// peer_timeout. The machine of a stopped process does answer.
class TcpBootstrap final : public Bootstrap {
 public:
  explicit TcpBootstrap(TcpMeeting meeting) : meeting_(std::move(meeting)) {}

  Rank rank() const override { return meeting_.rank; }
  std::int32_t size() const override { return meeting_.size; }
  std::vector<std::string> allgather(const std::string& mine) override;
  std::optional<LostProcess> lost() override;
  void leave() override;
  [[noreturn]] void abort(int status) override;

 private:
  enum class Kind : std::int32_t { lost, left, abort, silent };
  struct News {
    Kind kind;
    std::int32_t value;  // a rank or an exit status
  };
  struct Connection {
    Socket socket;
    std::string unread;  // the received part of a News
    bool ended = false;
  };

  [[nodiscard]] bool is_root() const { return meeting_.rank == 0; }
  [[nodiscard]] Rank peer_of(std::size_t connection) const;
  void add_connection(Socket socket);
  void read_news(std::size_t connection);
  void handle(std::size_t connection, const News& news);
  void end(std::size_t connection);
  void connection_ended(std::size_t connection, int error);
  void tell(std::size_t connection, const News& news);
  void tell_all(const News& news);

  const TcpMeeting meeting_;
  std::vector<Connection> connections_;  // at rank 0: of rank 1, 2, ...; elsewhere: of rank 0
  Socket readable_;                      // an epoll of the connections
  std::deque<LostProcess> lost_;
};

}  // namespace roam::transport
