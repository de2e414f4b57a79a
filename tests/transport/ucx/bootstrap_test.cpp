// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <map>
#include <thread>

#include "roam/core/error.hpp"
#include "roam/transport/registry.hpp"
#include "transport/ucx/tcp_bootstrap.hpp"

namespace roam::transport::bootstrap_test {
namespace {

using Environment = std::map<std::string, std::string>;
const Environment good{
    {"ROAM_UCX_RANK", "2"}, {"ROAM_UCX_SIZE", "4"}, {"ROAM_UCX_ROOT", "node17:4711"}};

TcpMeeting read(const Environment& environment) {
  return read_tcp_meeting([&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

std::string error_of(Environment environment, const char* name, const char* value) {
  environment.erase(name);
  if (value != nullptr) environment[name] = value;
  try {
    static_cast<void>(read(environment));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Meeting, is_read_from_the_environment) {
  const TcpMeeting meeting = read(good);
  EXPECT_EQ(meeting.rank, 2);
  EXPECT_EQ(meeting.size, 4);
  EXPECT_EQ(meeting.host, "node17");
  EXPECT_EQ(meeting.port, "4711");
  Environment other = good;
  other["ROAM_UCX_ROOT"] = "[::1]:4711";
  EXPECT_EQ(read(other).host, "::1");
  other["ROAM_UCX_TIMEOUT"] = "5";
  EXPECT_EQ(read(other).patience, std::chrono::seconds(5));
}

TEST(Meeting, R3_errors_name_the_variable_and_what_it_should_be) {
  for (const auto& [name, value] : good) {
    for (const char* missing : {static_cast<const char*>(nullptr), ""}) {
      const std::string text = error_of(good, name.c_str(), missing);
      EXPECT_NE(text.find(name + " is not set"), std::string::npos) << text;
    }
  }
  const std::pair<const char*, const char*> wrong[] = {
      {"ROAM_UCX_RANK", "4"},       {"ROAM_UCX_RANK", "-1"},
      {"ROAM_UCX_RANK", "one"},     {"ROAM_UCX_RANK", "1x"},
      {"ROAM_UCX_SIZE", "0"},       {"ROAM_UCX_SIZE", "99999999999"},
      {"ROAM_UCX_ROOT", "node17"},  {"ROAM_UCX_ROOT", ":4711"},
      {"ROAM_UCX_ROOT", "node17:"}, {"ROAM_UCX_ROOT", "node17:http"},
      {"ROAM_UCX_ROOT", "a:65536"}, {"ROAM_UCX_TIMEOUT", "soon"}};
  for (const auto& [name, value] : wrong) {
    const std::string text = error_of(good, name, value);
    EXPECT_NE(text.find(name), std::string::npos) << name << "=" << value << ": " << text;
    EXPECT_NE(text.find("it must be"), std::string::npos) << name << "=" << value << ": " << text;
  }
}

int listening_port(int& listener) {
  listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof address;
  EXPECT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), bytes), 0);
  EXPECT_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &bytes), 0);
  return ntohs(address.sin_port);
}

/// Bootstraps of several ranks in this process, at a free port.
class Job {
 public:
  explicit Job(std::int32_t size, std::chrono::seconds patience = std::chrono::seconds(20)) {
    int listener = -1;
    meeting.port = std::to_string(listening_port(listener));
    ::close(listener);
    meeting.size = size;
    meeting.host = "127.0.0.1";
    meeting.patience = patience;
  }
  std::unique_ptr<TcpBootstrap> bootstrap(std::int32_t rank) const {
    TcpMeeting mine = meeting;
    mine.rank = rank;
    return std::make_unique<TcpBootstrap>(mine);
  }
  /// All ranks meet, on a thread each.
  std::vector<std::unique_ptr<TcpBootstrap>> meet() const {
    std::vector<std::unique_ptr<TcpBootstrap>> all;
    std::vector<std::thread> threads;
    for (std::int32_t rank = 0; rank < meeting.size; ++rank) {
      all.push_back(bootstrap(rank));
      threads.emplace_back([this, &me = *all.back()] {
        const std::vector<std::string> got = me.allgather(text_of(me.rank()));
        for (std::int32_t other = 0; other < meeting.size; ++other)
          EXPECT_EQ(got.at(Rank(other).index()), text_of(other));
      });
    }
    for (std::thread& thread : threads) thread.join();
    return all;
  }
  static std::string text_of(Rank rank) {
    return rank == 1 ? std::string() : std::string(rank.index() * 20000 + 3, 'x');
  }
  TcpMeeting meeting;
};

std::string error_of_allgather(Bootstrap& bootstrap) {
  try {
    static_cast<void>(bootstrap.allgather("me"));
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// The first loss that is reported within two seconds.
std::optional<LostProcess> lost_soon(Bootstrap& bootstrap) {
  for (int i = 0; i < 200; ++i) {
    if (auto lost = bootstrap.lost()) return lost;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return std::nullopt;
}

TEST(TcpBootstrap, everybody_gets_what_everybody_brought) {
  for (const std::int32_t size : {1, 2, 3, 7}) {
    const Job job(size);
    for (int again = 0; again < 2; ++again) {
      for (const auto& bootstrap : job.meet()) EXPECT_FALSE(bootstrap->lost());
    }
  }
}

TEST(TcpBootstrap, A1_a_process_that_ends_is_reported_everywhere_once) {
  auto all = Job(4).meet();
  all[2].reset();
  for (const std::size_t rank : {0U, 1U, 3U}) {
    const std::optional<LostProcess> lost = lost_soon(*all[rank]);
    ASSERT_TRUE(lost) << "rank " << rank << " noticed nothing";
    EXPECT_EQ(lost->rank, 2);
    EXPECT_FALSE(all[rank]->lost());
  }
  all[0].reset();
  for (const std::size_t rank : {1U, 3U}) {
    const std::optional<LostProcess> lost = lost_soon(*all[rank]);
    ASSERT_TRUE(lost) << "rank " << rank << " noticed nothing";
    EXPECT_EQ(lost->rank, 0);
  }
}

TEST(TcpBootstrap, one_that_leaves_is_not_lost) {
  auto all = Job(3).meet();
  for (const std::size_t rank : {1U, 0U}) {
    all[rank]->leave();
    all[rank].reset();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(all[2]->lost());
}

TEST(TcpBootstrap, R3_ranks_that_do_not_come_are_named) {
  const Job job(4, std::chrono::seconds(1));
  std::thread other([&] {
    const std::string text = error_of_allgather(*job.bootstrap(2));
    EXPECT_NE(text.find("rank 0 did not answer"), std::string::npos) << text;
  });
  const std::string text = error_of_allgather(*job.bootstrap(0));
  EXPECT_NE(text.find("ranks 1, 3 did not connect"), std::string::npos) << text;
  other.join();
}

TEST(TcpBootstrap, R3_a_missing_rank_0_is_named) {
  const std::string text = error_of_allgather(*Job(2, std::chrono::seconds(1)).bootstrap(1));
  EXPECT_NE(text.find("ROAM_UCX_RANK=0"), std::string::npos) << text;
}

TEST(TcpBootstrap, R3_a_port_in_use_and_an_unknown_host_are_named) {
  int listener = -1;
  Job job(2);
  job.meeting.port = std::to_string(listening_port(listener));
  ASSERT_EQ(listen(listener, 1), 0);
  const std::string text = error_of_allgather(*job.bootstrap(0));
  EXPECT_NE(text.find("cannot listen at ROAM_UCX_ROOT=127.0.0.1:"), std::string::npos) << text;
  ::close(listener);
  job.meeting.host = "no such host";
  const std::string unknown = error_of_allgather(*job.bootstrap(1));
  EXPECT_NE(unknown.find("ROAM_UCX_ROOT=no such host"), std::string::npos) << unknown;
}

TEST(TcpBootstrap, A7_strangers_are_turned_away) {
  const Job job(2);
  std::thread root([&] {
    EXPECT_EQ(job.bootstrap(0)->allgather("root"), (std::vector<std::string>{"root", "leaf"}));
  });
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(job.meeting.port)));
  std::vector<Socket> strangers;
  for (const std::string& said : {std::string("GET / HTTP/1.1\r\nHost: node17\r\n\r\n"),
                                  std::string(4096, '\xff'), std::string("Roam"), std::string()}) {
    Socket stranger(::socket(AF_INET, SOCK_STREAM, 0));
    while (connect(stranger.descriptor(), reinterpret_cast<sockaddr*>(&address), sizeof address) !=
           0) {
      stranger = Socket(::socket(AF_INET, SOCK_STREAM, 0));
    }
    EXPECT_EQ(::send(stranger.descriptor(), said.data(), said.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(said.size()));
    strangers.push_back(std::move(stranger));
  }
  EXPECT_EQ(job.bootstrap(1)->allgather("leaf"), (std::vector<std::string>{"root", "leaf"}));
  root.join();
}

TEST(UcxRegistry, R3_the_environment_asks_for_ucx) {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK"})
    unsetenv(variable);
  EXPECT_STREQ(make_network("auto", {})->name(), "in-process");
  setenv("ROAM_UCX_SIZE", "1", 1);
  setenv("ROAM_UCX_RANK", "0", 1);
  EXPECT_THROW(static_cast<void>(make_network("auto", {})), ConfigError);  // no ROAM_UCX_ROOT
  setenv("ROAM_UCX_ROOT", "localhost:4711", 1);
  setenv("OMPI_COMM_WORLD_SIZE", "4", 1);  // set by a launcher that started a script, for example
  EXPECT_STREQ(make_network("auto", {})->name(), "ucx");
  EXPECT_STREQ(make_network("ucx", {.ranks = 1})->name(), "ucx");
  for (const char* variable :
       {"ROAM_UCX_SIZE", "ROAM_UCX_RANK", "ROAM_UCX_ROOT", "OMPI_COMM_WORLD_SIZE"})
    unsetenv(variable);
}

TEST(UcxRegistry, R3_a_launcher_without_pmix_is_named) {
  unsetenv("PMIX_RANK");
  setenv("PMI_SIZE", "4", 1);
  try {
    static_cast<void>(make_network("ucx", {}));
    ADD_FAILURE() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("PMI_SIZE offers no PMIx"), std::string::npos)
        << error.what();
  }
  unsetenv("PMI_SIZE");
}

}  // namespace
}  // namespace roam::transport::bootstrap_test
