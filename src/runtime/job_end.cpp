// SPDX-License-Identifier: Apache-2.0
#include "job_end.hpp"

#include <algorithm>
#include <cstdio>
#include <system_error>

#include "quiet_thread.hpp"
#include "roam/core/error.hpp"

namespace roam {

namespace {

bool holds_rank_0(const transport::Network& network) {
  return std::ranges::any_of(network.local_ranks(), [](Rank rank) { return rank == 0; });
}

}  // namespace

JobEnd::JobEnd(transport::Network& network, const Options& options)
    : network_(network),
      has_rank_0_(holds_rank_0(network)),
      leaves_files_(!(options.trace.empty() && options.lb_data.empty()) &&
                    static_cast<std::size_t>(network.size()) > network.local_ranks().size()),
      signals_(options.catch_signals && network.single_thread_reason() == nullptr) {
  for (std::size_t i = 0; i < reserve_pieces; ++i)
    reserve_.push_back(std::make_unique_for_overwrite<char[]>(reserve_piece_bytes));
  if (network.single_thread_reason() != nullptr) return;
  try {
    start_thread();
  } catch (const std::system_error& error) {
    if (options.catch_signals) {
      throw Error(std::string("cannot start the thread that ends a job at a signal: ") +
                  error.what() +
                  "; run it with fewer --roam-ranks, or with --roam-catch-signals=false");
    }
    // If this fails, it is tried once more when the job fails.
  }
}

JobEnd::~JobEnd() {
  {
    const std::lock_guard guard(mutex_);
    is_over_ = true;
  }
  signals_.wake();
  if (thread_.joinable()) thread_.join();
}

void JobEnd::start_thread() {
  if (!thread_.joinable()) thread_ = quiet_thread([this] { watch(); });
}

JobEnd::Member::Member(JobEnd& end, Runtime& runtime) : end_(end), runtime_(runtime) {
  runtime.set_job_error_handler([&end](const std::string& report) { end.fail(report, 1, true); });
  runtime.set_abort_listener([&end](const std::string& report, int signal) {
    // Errors have been printed where they happened. A signal may have reached every process.
    end.fail(report, signal == 0 ? 1 : StopSignals::exit_status(signal),
             signal != 0 && end.has_rank_0_);
  });
  runtime.set_memory_reserve([&end] { end.release_reserve(); });
  {
    const std::lock_guard guard(end.members_mutex_);
    end.members_.push_back(&runtime);
  }
  if (const std::string report = end.report(); !report.empty()) runtime.abort(report);
}

JobEnd::Member::~Member() {
  const std::lock_guard guard(end_.members_mutex_);
  std::erase(end_.members_, &runtime_);
}

void JobEnd::leave_records(Runtime& runtime) {
  if (!failed()) return;
  const std::lock_guard guard(members_mutex_);  // the watching thread may be doing the same
  runtime.leave_records(records_, true);
}

bool JobEnd::failed() { return status() != 0; }

int JobEnd::status() {
  const std::lock_guard guard(mutex_);
  return status_;
}

std::string JobEnd::report() {
  const std::lock_guard guard(mutex_);
  return report_;
}

bool JobEnd::fail(const std::string& report, int status, bool is_to_be_printed) {
  {
    const std::lock_guard guard(mutex_);
    if (status_ != 0) return false;
    report_ = report;
    status_ = status;
    failed_at_ = Clock::now();
    if (is_to_be_printed) std::fprintf(stderr, "roam: %s\n", report.c_str());
    try {
      start_thread();
    } catch (const std::system_error&) {
      // Without this thread a rank that stays inside a handler is not stopped; everything else
      // works.
    }
  }
  signals_.wake();
  return true;
}

void JobEnd::release_reserve() {
  const std::lock_guard guard(mutex_);
  reserve_.clear();
}

void JobEnd::tell_all(const std::string& report, int signal) {
  const std::lock_guard guard(members_mutex_);
  for (Runtime* member : members_) member->abort(report, signal);
}

void JobEnd::rank_failed(Rank rank) noexcept {
  release_reserve();
  try {
    const std::string report =
        "rank " + std::to_string(rank.value()) + ": " + words_of(std::current_exception());
    fail(report, 1, true);
    tell_all(report, 0);
    const std::lock_guard guard(members_mutex_);
    for (Runtime* member : members_) member->messenger().flush();
    if (!members_.empty() || network_.size() == 1) return;
  } catch (...) {
    std::fputs("roam: the job cannot be ended in order: out of memory?\n", stderr);
  }
  network_.abort(1);
}

void JobEnd::write_records() {
  if (const std::string why = report(); !why.empty()) records_.write(why);
}

void JobEnd::let_others_write() {
  Clock::time_point until;
  {
    const std::lock_guard guard(mutex_);
    if (status_ == 0 || !leaves_files_) return;
    until = failed_at_ + others_write_for;
  }
  std::this_thread::sleep_until(until);
}

void JobEnd::on_signal(int signal) {
  const std::string name = StopSignals::name(signal);
  const std::string report =
      network_.local_ranks().size() == 1 && network_.size() > 1
          ? "rank " + std::to_string(network_.local_ranks().front().value()) +
                ": its process was told to end by " + name + ", and so is the job"
          : "the job was told to end by " + name;
  if (fail(report, StopSignals::exit_status(signal), has_rank_0_)) tell_all(report, signal);
}

// Writes records of ranks that are still inside a handler. Further signals are ignored: launchers
// send more than one.
void JobEnd::write_late_records() {
  {
    const std::lock_guard guard(members_mutex_);
    for (Runtime* member : members_) member->leave_records(records_, false);
  }
  write_records();
}

void JobEnd::watch() noexcept {
  try {
    watch_until_over();
  } catch (...) {  // memory does not even suffice for the end
    std::fputs("roam: the job cannot be ended in order: out of memory?\n", stderr);
    network_.abort(1);
  }
}

void JobEnd::watch_until_over() {
  bool has_written = false;
  Clock::time_point patience_ends{};
  for (;;) {
    int wait = -1;
    int status = 0;
    {
      const std::lock_guard guard(mutex_);
      if (is_over_) return;
      status = status_;
      if (!has_written) patience_ends = failed_at_ + records_after;
    }
    if (status != 0) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(patience_ends - Clock::now());
      wait = static_cast<int>(std::max<std::int64_t>(left.count(), 0));
    }
    if (wait != 0) {
      if (const std::optional<int> signal = signals_.wait(wait)) on_signal(*signal);
    } else if (has_written) {
      network_.abort(status);
    } else {
      write_late_records();
      has_written = true;
      patience_ends = Clock::now() + abort_after_records;
    }
  }
}

}  // namespace roam
