// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "roam/runtime/runtime.hpp"
#include "roam/transport/network.hpp"
#include "runtime/last_records.hpp"
#include "stop_signals.hpp"

namespace roam {

/// Ends a job for the ranks of this process. The first error is printed, and the other ranks are
/// told. A signal that asks for the end (a batch system's limit, Ctrl-C) has the same effect. Ranks
/// that come to their end leave their records. If a rank does not within a second, because it is
/// inside a long handler, the whole job is terminated (R2), and this class writes what is known of
/// that rank.
///
/// This is done by a thread of its own, which sleeps until there is something to do; it is made at
/// the start, since a job that is out of memory may get no new one. Where the network allows no
/// threads, the thread is made when the job fails, and signals are not handled.
class JobEnd {
 public:
  JobEnd(transport::Network& network, const Options& options);
  JobEnd(const JobEnd&) = delete;
  JobEnd& operator=(const JobEnd&) = delete;
  ~JobEnd();

  /// Registers a rank of this process as long as it exists; the rank's errors are reported here.
  class Member {
   public:
    Member(JobEnd& end, Runtime& runtime);
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;
    ~Member();

   private:
    JobEnd& end_;
    Runtime& runtime_;
  };

  /// If the job has failed, lets this rank, whose workers have ended, leave its records.
  void leave_records(Runtime& runtime);
  /// Reports the current exception, with which a rank could not start or end; called in its
  /// handler. All other ranks are told.
  void rank_failed(Rank rank) noexcept;
  /// Writes what the ranks have left, if the job has failed. To be called when all have ended.
  void write_records();
  /// If the job has failed and other processes write records too, waits a moment for them.
  void let_others_write();
  [[nodiscard]] bool failed();
  /// The exit status: 0, 1 after an error, or the one that stands for a signal.
  [[nodiscard]] int status();

 private:
  using Clock = std::chrono::steady_clock;
  // Times from the failure until records of ranks that are still inside a handler are written, and
  // from then until the job is terminated.
  static constexpr auto records_after = std::chrono::milliseconds(500);
  static constexpr auto abort_after_records = std::chrono::milliseconds(300);
  // Launchers end all processes as soon as one has ended: time from the failure on that this
  // process leaves the others to write their records.
  static constexpr auto others_write_for = std::chrono::milliseconds(300);
  // Memory that is released when the process runs out of memory, for the report and for telling
  // others.
  static constexpr std::size_t reserve_pieces = 32;
  static constexpr std::size_t reserve_piece_bytes = 8 * 1024;

  /// The reason why the job failed; empty: it has not.
  [[nodiscard]] std::string report();
  /// Returns false if another error came first.
  bool fail(const std::string& report, int status, bool is_to_be_printed);
  void start_thread();
  void watch() noexcept;
  void watch_until_over();
  void on_signal(int signal);
  void write_late_records();
  void tell_all(const std::string& report, int signal);
  void release_reserve();

  transport::Network& network_;
  const bool has_rank_0_;
  const bool leaves_files_;  // and other processes do so too
  StopSignals signals_;
  LastRecords records_;
  std::mutex mutex_;
  // Under mutex_:
  std::vector<std::unique_ptr<char[]>> reserve_;
  std::string report_;
  int status_ = 0;  // not 0: failed
  Clock::time_point failed_at_;
  bool is_over_ = false;
  std::mutex members_mutex_;  // to be locked before mutex_
  // Under members_mutex_; each exists at least as long as that is locked.
  std::vector<Runtime*> members_;
  std::thread thread_;
};

}  // namespace roam
