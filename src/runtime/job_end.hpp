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

/// How a job ends, shared by the ranks of this process. The first error is printed, and the other
/// ranks are told. A signal that asks for the end (a batch system's limit, Ctrl-C) ends it in the
/// same way. Ranks that come to their end leave their records. If one does not within a second,
/// being inside a long handler, the whole job is brought down (R2), and what is known of that rank
/// is written from here.
///
/// All this by a thread of its own, which sleeps until there is something to do: a job that is out
/// of memory may get no new one. Where the network allows no threads it is made when the job fails,
/// and signals are left alone.
class JobEnd {
 public:
  JobEnd(transport::Network& network, const Options& options);
  JobEnd(const JobEnd&) = delete;
  JobEnd& operator=(const JobEnd&) = delete;
  ~JobEnd();

  /// A rank of this process, while it lives: its errors come here.
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

  /// If the job has failed: this rank, whose workers have ended, leaves its records.
  void leave_records(Runtime& runtime);
  /// In the handler of an exception with which a rank did not come to life, or not to its end: all
  /// other ranks are told.
  void rank_failed(Rank rank) noexcept;
  /// Writes what the ranks have left, if the job has failed. When all have come to their end.
  void write_records();
  /// If the job has failed, and other processes write records too: waits a moment.
  void let_others_write();
  [[nodiscard]] bool failed();
  /// 0, 1 after an error, or what says that a signal ended the job.
  [[nodiscard]] int status();

 private:
  using Clock = std::chrono::steady_clock;
  // From the failure on until records are written of ranks that are still inside a handler; and
  // from then on until the job is brought down.
  static constexpr auto records_after = std::chrono::milliseconds(500);
  static constexpr auto abort_after_records = std::chrono::milliseconds(300);
  // Launchers end the others as soon as one process has ended: it gives them so long, from the
  // failure on, to write theirs.
  static constexpr auto others_write_for = std::chrono::milliseconds(300);
  // Let go when the memory of the process is used up, for the report and for telling others.
  static constexpr std::size_t reserve_pieces = 32;
  static constexpr std::size_t reserve_piece_bytes = 8 * 1024;

  /// Why the job failed; empty: it has not.
  [[nodiscard]] std::string report();
  /// False if it is not the first.
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
  const bool leaves_files_;  // and so do other processes
  StopSignals signals_;
  LastRecords records_;
  std::mutex mutex_;
  // Under mutex_:
  std::vector<std::unique_ptr<char[]>> reserve_;
  std::string report_;
  int status_ = 0;  // not 0: failed
  Clock::time_point failed_at_;
  bool is_over_ = false;
  std::mutex members_mutex_;       // taken before mutex_
  std::vector<Runtime*> members_;  // under members_mutex_: they live as long as it is held
  std::thread thread_;
};

}  // namespace roam
