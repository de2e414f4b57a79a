// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "output/progress_line.hpp"

namespace seismic {
namespace {

TEST(ProgressLine, says_how_far_a_long_run_is_every_thirty_seconds_where_there_is_no_terminal) {
  ::testing::internal::CaptureStderr();  // which is a file
  ProgressLine progress(9.0);
  progress.show(1.0, 29.0);
  progress.show(2.25, 45.0);
  progress.show(3.0, 60.0);
  progress.show(4.5, 80.0);
  progress.show(9.0, 160.0);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            " 25.0 %  2.250 s of waves in 45 s, about 135 s to go\n"
            " 50.0 %  4.500 s of waves in 80 s, about 80 s to go\n");
}

}  // namespace
}  // namespace seismic
