// SPDX-License-Identifier: Apache-2.0
#include "roam/core/error.hpp"

#include <gtest/gtest.h>

namespace {

TEST(WordsOf, Are_what_was_thrown_and_never_empty) {
  EXPECT_EQ(roam::words_of(std::make_exception_ptr(roam::Error("so"))), "so");
  EXPECT_EQ(roam::words_of(std::make_exception_ptr(7)),
            "an exception that is not a std::exception");
  EXPECT_EQ(roam::words_of(std::make_exception_ptr(std::runtime_error(""))),
            "an exception without words");
}

}  // namespace
