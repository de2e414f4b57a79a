// SPDX-License-Identifier: Apache-2.0
#include "roam/core/error.hpp"

#include <gtest/gtest.h>

#include "roam/core/detail/buffer.hpp"
#include "sanitizers.hpp"

namespace error_test {

namespace {

TEST(WordsOf, are_what_was_thrown_and_never_empty) {
  EXPECT_EQ(roam::words_of(std::make_exception_ptr(roam::Error("so"))), "so");
  EXPECT_EQ(roam::words_of(std::make_exception_ptr(7)),
            "an exception that is not a std::exception");
  EXPECT_EQ(roam::words_of(std::make_exception_ptr(std::runtime_error(""))),
            "an exception without words");
}

TEST(WordsOf, R2_memory_that_is_not_to_be_had_is_told_with_what_there_is) {
  const std::string words =
      roam::words_of(std::make_exception_ptr(roam::OutOfMemory(1000000, "a message")));
  EXPECT_EQ(words.find("out of memory: 1000000 bytes for a message; this process has "), 0U)
      << words;
  EXPECT_NE(words.find(" MiB of address space"), std::string::npos) << words;
  EXPECT_EQ(roam::words_of(std::make_exception_ptr(std::bad_alloc())).find("out of memory ("), 0U);
}

TEST(OutOfMemory, R2_buffers_say_how_many_bytes_they_asked_for) {
  if (roam::tests::has_sanitizer) GTEST_SKIP() << "sanitizers end a program that asks for too much";
  const std::size_t too_much = std::size_t{1} << 60U;
  try {
    static_cast<void>(roam::core::Buffer::allocate(too_much));
    FAIL();
  } catch (const std::bad_alloc& error) {
    EXPECT_EQ(std::string(error.what()),
              "out of memory: " + std::to_string(too_much) + " bytes for a message");
  }
}

}  // namespace

}  // namespace error_test
