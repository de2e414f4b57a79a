// SPDX-License-Identifier: Apache-2.0
#include "transport/ucx/tcp_exchange.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <thread>

#include "roam/core/error.hpp"

namespace roam::transport {

namespace {

using Clock = std::chrono::steady_clock;

// What a process sends first. Its text, a UCX address and a few names, is far below the limit.
struct Greeting {
  std::array<char, 8> magic;
  std::int32_t rank;
  std::int32_t size;
  std::uint64_t text_bytes;
};
constexpr std::array<char, 8> magic{'R', 'o', 'a', 'm', 'U', 'C', 'X', '1'};
constexpr std::uint64_t longest_text = 1 << 20;

struct FreeAddresses {
  void operator()(addrinfo* addresses) const { freeaddrinfo(addresses); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

std::string place(const TcpMeeting& meeting) { return meeting.host + ":" + meeting.port; }

Addresses resolve(const TcpMeeting& meeting, int flags) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = flags;
  addrinfo* found = nullptr;
  const int code = getaddrinfo(meeting.host.c_str(), meeting.port.c_str(), &wanted, &found);
  if (code != 0)
    throw Error("ROAM_UCX_ROOT=" + place(meeting) + ": " + std::string(gai_strerror(code)));
  return Addresses(found);
}

// Waits for any of `events`. False if the deadline has passed.
bool wait_for(int descriptor, short events, Clock::time_point deadline) {
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd wanted{descriptor, events, 0};
    const int ready = poll(&wanted, 1, static_cast<int>(left));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

// Sends all bytes. Returns 0, or the errno of the failure, which may be ETIMEDOUT.
int send_whole(int descriptor, const void* data, std::size_t bytes, Clock::time_point deadline) {
  const char* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t sent = ::send(descriptor, next, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      next += sent;
      bytes -= static_cast<std::size_t>(sent);
    } else if (errno != EAGAIN && errno != EINTR) {
      return errno;
    } else if (!wait_for(descriptor, POLLOUT, deadline)) {
      return ETIMEDOUT;
    }
  }
  return 0;
}

int receive_whole(int descriptor, void* data, std::size_t bytes, Clock::time_point deadline) {
  char* next = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t received = ::recv(descriptor, next, bytes, MSG_DONTWAIT);
    if (received > 0) {
      next += received;
      bytes -= static_cast<std::size_t>(received);
    } else if (received == 0) {
      return ECONNRESET;
    } else if (errno != EAGAIN && errno != EINTR) {
      return errno;
    } else if (!wait_for(descriptor, POLLIN, deadline)) {
      return ETIMEDOUT;
    }
  }
  return 0;
}

Socket listen_at(const TcpMeeting& meeting) {
  const Addresses addresses = resolve(meeting, AI_PASSIVE);
  int code = 0;
  for (const addrinfo* a = addresses.get(); a != nullptr; a = a->ai_next) {
    Socket socket(::socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol));
    const int yes = 1;
    setsockopt(socket.descriptor(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(socket.descriptor(), a->ai_addr, a->ai_addrlen) == 0 &&
        listen(socket.descriptor(), SOMAXCONN) == 0) {
      return socket;
    }
    code = errno;
  }
  throw Error("rank 0 cannot listen at ROAM_UCX_ROOT=" + place(meeting) + ": " +
              std::strerror(code) +
              "; give the name of the machine that rank 0 runs on, and a port that is free there");
}

// A connection that has not told yet which process it belongs to.
struct Visitor {
  Socket socket;
  std::string heard;
};

enum class Visit { incomplete, complete, refused };

// Reads what has arrived. Complete means that `heard` is a whole greeting with its text.
Visit listen_to(Visitor& visitor, const TcpMeeting& meeting, Greeting& greeting) {
  for (;;) {
    std::size_t wanted = sizeof greeting;
    if (visitor.heard.size() >= wanted) {
      std::memcpy(&greeting, visitor.heard.data(), sizeof greeting);
      if (greeting.magic != magic || greeting.rank <= 0 || greeting.rank >= meeting.size ||
          greeting.size != meeting.size || greeting.text_bytes > longest_text) {
        return Visit::refused;
      }
      wanted += greeting.text_bytes;
      if (visitor.heard.size() == wanted) return Visit::complete;
    }
    std::array<char, 4096> part;
    const std::size_t most = std::min(part.size(), wanted - visitor.heard.size());
    const ssize_t bytes = ::recv(visitor.socket.descriptor(), part.data(), most, MSG_DONTWAIT);
    if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) return Visit::incomplete;
    if (bytes <= 0) return Visit::refused;
    visitor.heard.append(part.data(), static_cast<std::size_t>(bytes));
  }
}

std::string names_of_missing(const std::vector<Socket>& sockets) {
  std::string names;
  std::size_t missing = 0;
  for (std::size_t i = 0; i < sockets.size(); ++i) {
    if (sockets[i]) continue;
    if (++missing <= 10) names += (names.empty() ? "" : ", ") + std::to_string(i + 1);
  }
  return (missing == 1 ? "rank " : "ranks ") + names + (missing > 10 ? ", ..." : "");
}

}  // namespace

Socket::~Socket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::vector<Socket> accept_all(const TcpMeeting& meeting, std::vector<std::string>& texts) {
  const Clock::time_point deadline = Clock::now() + meeting.patience;
  const Socket listener = listen_at(meeting);
  std::vector<Socket> sockets(texts.size() - 1);
  std::vector<Visitor> visitors;
  for (std::size_t missing = sockets.size(); missing > 0;) {
    std::vector<pollfd> watched{{listener.descriptor(), POLLIN, 0}};
    for (const Visitor& visitor : visitors)
      watched.push_back({visitor.socket.descriptor(), POLLIN, 0});
    if (Clock::now() >= deadline) {
      throw Error(names_of_missing(sockets) + " did not connect to rank 0 at ROAM_UCX_ROOT=" +
                  place(meeting) + " within " + std::to_string(meeting.patience.count()) +
                  " s: start one process for each ROAM_UCX_RANK below ROAM_UCX_SIZE=" +
                  std::to_string(meeting.size));
    }
    if (poll(watched.data(), watched.size(), 100) <= 0) continue;
    if (watched.front().revents != 0) {
      Socket socket(accept4(listener.descriptor(), nullptr, nullptr, SOCK_CLOEXEC));
      if (socket) visitors.push_back({std::move(socket), {}});
    }
    std::erase_if(visitors, [&](Visitor& visitor) {
      Greeting greeting{};
      const Visit visit = listen_to(visitor, meeting, greeting);
      if (visit != Visit::complete) return visit == Visit::refused;
      const auto rank = static_cast<std::size_t>(greeting.rank);
      if (sockets[rank - 1])
        throw Error("two processes were started with ROAM_UCX_RANK=" + std::to_string(rank));
      texts[rank] = visitor.heard.substr(sizeof greeting);
      sockets[rank - 1] = std::move(visitor.socket);
      --missing;
      return true;
    });
  }
  return sockets;
}

Socket connect_to_root(const TcpMeeting& meeting, const std::string& text) {
  const Clock::time_point deadline = Clock::now() + meeting.patience;
  const Addresses addresses = resolve(meeting, 0);
  int code = 0;
  do {
    for (const addrinfo* a = addresses.get(); a != nullptr; a = a->ai_next) {
      Socket socket(::socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol));
      if (::connect(socket.descriptor(), a->ai_addr, a->ai_addrlen) != 0) {
        code = errno;
        continue;
      }
      const int yes = 1;
      setsockopt(socket.descriptor(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
      const Greeting greeting{magic, meeting.rank, meeting.size, text.size()};
      code = send_whole(socket.descriptor(), &greeting, sizeof greeting, deadline);
      if (code == 0) code = send_whole(socket.descriptor(), text.data(), text.size(), deadline);
      if (code == 0) return socket;
    }
    // Rank 0 may start later.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  } while (Clock::now() < deadline);
  throw Error("rank " + std::to_string(meeting.rank) + " cannot reach rank 0 at ROAM_UCX_ROOT=" +
              place(meeting) + ": " + std::strerror(code) +
              "; is the process with ROAM_UCX_RANK=0 running, with the same ROAM_UCX_ROOT?");
}

void send_texts(const Socket& socket, const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) {
    const std::uint64_t bytes = text.size();
    all.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
    all += text;
  }
  // If a receiver is gone, this is noticed later, when it is needed.
  send_whole(socket.descriptor(), all.data(), all.size(), Clock::now() + std::chrono::seconds(10));
}

std::vector<std::string> receive_texts(const TcpMeeting& meeting, const Socket& socket) {
  const Clock::time_point deadline = Clock::now() + meeting.patience;
  std::vector<std::string> texts(static_cast<std::size_t>(meeting.size));
  for (std::string& text : texts) {
    std::uint64_t bytes = 0;
    int code = receive_whole(socket.descriptor(), &bytes, sizeof bytes, deadline);
    if (code == 0 && bytes > longest_text) code = EPROTO;
    if (code == 0) {
      text.resize(bytes);
      code = receive_whole(socket.descriptor(), text.data(), bytes, deadline);
    }
    if (code == 0) continue;
    throw Error(
        "rank 0 did not answer rank " + std::to_string(meeting.rank) + ": " + std::strerror(code) +
        (code == ECONNRESET ? "; does it have the same ROAM_UCX_SIZE, and no other process this "
                              "ROAM_UCX_RANK?"
                            : "; have all processes been started?"));
  }
  return texts;
}

void notice_silence(const Socket& socket, std::chrono::seconds limit) {
  const auto set = [&](int level, int name, int value) {
    setsockopt(socket.descriptor(), level, name, &value, sizeof value);
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  if (limit.count() == 0) return;
  // The silence is counted from the last answer, which came up to one interval before the
  // interruption.
  const int between = std::max(static_cast<int>(limit.count()) / 4, 1);
  const int whole = static_cast<int>(limit.count()) + between;
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, between);
  set(IPPROTO_TCP, TCP_KEEPINTVL, between);
  set(IPPROTO_TCP, TCP_KEEPCNT, std::max(whole / between, 1));
#ifdef TCP_USER_TIMEOUT
  // If this option is set, Linux uses it instead of the number of probes, and for sent data, too.
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, whole * 1000);
#endif
}

}  // namespace roam::transport
