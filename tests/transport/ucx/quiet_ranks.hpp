// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string_view>

namespace roam::tests {

/// In a program that runs once per rank, makes rank 0 report as usual and the others only what
/// failed.
inline void only_rank_0_reports() {
  class Failures final : public ::testing::EmptyTestEventListener {
   public:
    explicit Failures(const char* rank) : rank_(rank) {}
    void OnTestPartResult(const ::testing::TestPartResult& result) override {
      if (result.failed())
        std::cerr << "rank " << rank_ << ": " << result.file_name() << ":" << result.line_number()
                  << ": " << result.message() << std::endl;
    }

   private:
    const char* rank_;
  };
  for (const char* variable : {"ROAM_UCX_RANK", "PMIX_RANK"}) {
    const char* rank = std::getenv(variable);
    if (rank == nullptr) continue;
    if (std::string_view(rank) == "0") return;
    auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new Failures(rank));
    return;
  }
}

}  // namespace roam::tests
