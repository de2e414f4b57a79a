// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which sanitizer a test is built with: GCC defines a macro for each, Clang answers a question.
#if defined(__has_feature)
#define ROAM_TEST_FEATURE(name) __has_feature(name)
#else
#define ROAM_TEST_FEATURE(name) 0
#endif

namespace roam::tests {

#if defined(__SANITIZE_ADDRESS__) || ROAM_TEST_FEATURE(address_sanitizer)
inline constexpr bool has_address_sanitizer = true;
#else
inline constexpr bool has_address_sanitizer = false;
#endif
#if defined(__SANITIZE_THREAD__) || ROAM_TEST_FEATURE(thread_sanitizer)
inline constexpr bool has_thread_sanitizer = true;
#else
inline constexpr bool has_thread_sanitizer = false;
#endif
inline constexpr bool has_sanitizer = has_address_sanitizer || has_thread_sanitizer;

}  // namespace roam::tests

#undef ROAM_TEST_FEATURE
