// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "buffer_watch.hpp"
#include "c_buffers.hpp"
#include "roam/offload/mpi/offload.h"
#include "roam/offload/offload.hpp"

namespace roam::offload {

/// The tasks that a program has registered by name on one rank. A service of the rank. Any thread.
class CTaskTypes {
 public:
  struct Type {
    std::string name;
    roam_task_function function = nullptr;
    /// Calls the function; throws Error if it fails.
    void compute(const std::vector<roam_buffer>& buffers) const;
  };
  /// Of the rank that calls. Throws Error if it does not use this interface.
  [[nodiscard]] static const CTaskTypes& of_this_rank();
  /// Throws Error if another function has that name, or another name the same hash.
  void add(const std::string& name, roam_task_function function);
  /// Throws Error that lists the known names.
  [[nodiscard]] const Type& find(std::uint32_t id) const;
  [[nodiscard]] const Type& find(const std::string& name) const;
  [[nodiscard]] static std::uint32_t id_of(const std::string& name);

 private:
  [[nodiscard]] std::string names() const;

  mutable std::mutex mutex_;
  std::unordered_map<std::uint32_t, Type> types_;  // under mutex_; entries stay where they are
};

/// Computes another rank's task. `inputs`: what it reads, but for an input that was lent; returns
/// what it has written. BufferPlaces says where each buffer is.
[[nodiscard]] Array<std::byte> compute_c_task(std::uint32_t type, const CBuffers& layout,
                                              Array<std::byte> inputs, Array<std::byte> lent);

/// A task whose buffers are the program's own memory. When it is computed here they are used in
/// place. What is sent to another rank is copied once, but for an input that is lent, and so is
/// what comes back: whether it is still wanted shows when it is here.
class CTask final : public detail::ResultTask<void> {
 public:
  CTask(Offloader& offloader, const CTaskTypes::Type& type, std::vector<roam_buffer> buffers);
  /// From now on, the task fails if its buffers are changed or freed by others; if it waits for
  /// other tasks, from when it need not any more. Before it is submitted.
  void watch_buffers();
  void ship(Rank victim, Shipped head) override;
  /// Makes this task wait for another one, of the same group. Before either is submitted. Tasks
  /// that wait for none are submitted by whoever has made them, the others when they need not wait
  /// any more; if one that they wait for fails, they fail like it.
  void come_after(CTask& earlier);
  [[nodiscard]] bool waits() const { return missing_.load(std::memory_order_relaxed) > 0; }

 protected:
  void call() override;
  [[nodiscard]] bool continues() const override { return true; }
  void continue_with(am::Incoming&& result) override;
  void on_failure(const std::string& text) override;

 private:
  ~CTask() override;
  void begin_later_ones();
  void require_same(const BufferWatch::Finding& found) const;

  HomeTasks& home_;
  const CTaskTypes::Type& type_;
  const std::vector<roam_buffer> buffers_;
  BufferWatch watch_;
  bool is_watched_ = false;
  std::vector<CTask*> later_;              // those that wait for this one
  std::atomic<std::uint32_t> missing_{0};  // how many this one waits for
  std::atomic<bool> is_over_{false};       // it has waited, and is submitted or has failed
};

}  // namespace roam::offload
