// SPDX-License-Identifier: Apache-2.0
#include "transport/ucx/process_watch.hpp"

#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "roam/core/error.hpp"

namespace roam::transport {

namespace {

// A descriptor that becomes readable when the process ends; -1 with errno if there is none. glibc
// has no function for this before 2.36.
int open_process(pid_t process) { return static_cast<int>(syscall(SYS_pidfd_open, process, 0)); }

std::string host_name() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return host.data();
}

std::string machine_name() {
  std::string name;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> name;
  return name.empty() ? host_name() : name;
}

bool can_watch() {
  const int self = open_process(getpid());
  if (self >= 0) ::close(self);
  return self >= 0;
}

}  // namespace

ProcessPlace place_of_this_process() {
  ProcessPlace place{
      .machine = machine_name(), .processes = {}, .process = getpid(), .host = host_name()};
  struct stat space {};
  if (stat("/proc/self/ns/pid", &space) == 0 && can_watch()) {
    place.processes = place.machine + "/" + std::to_string(space.st_ino);
  }
  return place;
}

ProcessWatch::ProcessWatch() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  if (epoll_ < 0) throw Error(std::string("epoll_create1: ") + std::strerror(errno));
}

ProcessWatch::~ProcessWatch() {
  for (const int descriptor : descriptors_) ::close(descriptor);
  ::close(epoll_);
}

bool ProcessWatch::add(Rank rank, pid_t process) {
  const int descriptor = open_process(process);
  if (descriptor < 0) {
    if (errno == ESRCH) return false;
    throw Error("watching the process of rank " + std::to_string(rank.value()) + ": " +
                std::strerror(errno) + "; allow this process more open files (ulimit -n)");
  }
  descriptors_.push_back(descriptor);
  epoll_event event{};
  event.events = EPOLLIN | EPOLLONESHOT;
  event.data.u64 = rank.index();
  if (epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event) != 0)
    throw Error(std::string("epoll_ctl: ") + std::strerror(errno));
  return true;
}

std::optional<Rank> ProcessWatch::ended() {
  if (descriptors_.empty()) return std::nullopt;
  epoll_event event{};
  if (epoll_wait(epoll_, &event, 1, 0) != 1) return std::nullopt;
  return Rank(static_cast<std::int32_t>(event.data.u64));
}

}  // namespace roam::transport
