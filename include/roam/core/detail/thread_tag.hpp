// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <cstdint>

// GCC tells by a macro whether code is compiled for the thread sanitizer, Clang by a feature test.
#if defined(__SANITIZE_THREAD__)
#define ROAM_THREAD_SANITIZER 1
#elif defined(__has_feature)
#define ROAM_THREAD_SANITIZER __has_feature(thread_sanitizer)
#else
#define ROAM_THREAD_SANITIZER 0
#endif
#if ROAM_THREAD_SANITIZER
#include <unistd.h>
#endif

namespace roam::core {

/// A number that tells the threads of a process apart; never 0. After a thread has ended, a new one
/// may have its tag.
using ThreadTag = std::uintptr_t;

/// The calling thread's tag. Reading it takes one instruction where the compiler supports it, so
/// that code may ask "is this the owner" before every message. Not inside a coroutine, which may be
/// resumed on another thread.
[[nodiscard]] inline ThreadTag this_thread_tag() {
#if ROAM_THREAD_SANITIZER
  // The sanitizer does not see the C library's lock under which an ended thread's stack, and with
  // it its tag, passes to a new thread; so here no two threads share one.
  thread_local const auto tag = static_cast<ThreadTag>(gettid());
  return tag;
#elif defined(__x86_64__) && defined(__has_builtin)
#if __has_builtin(__builtin_thread_pointer)
  return reinterpret_cast<ThreadTag>(__builtin_thread_pointer());
#else
  return static_cast<ThreadTag>(pthread_self());
#endif
#else
  return static_cast<ThreadTag>(pthread_self());
#endif
}

}  // namespace roam::core

#undef ROAM_THREAD_SANITIZER
