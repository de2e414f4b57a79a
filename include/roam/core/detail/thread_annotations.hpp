// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Annotations that say what a lock protects and what a function needs, so that Clang checks it
/// (-Wthread-safety, an error in the preset clang); other compilers see nothing. See "Thread Safety
/// Analysis" in Clang's manual. A capability is a lock, or a role that a thread has for a while,
/// such as "inside the lock of some shard".
#if defined(__clang__)
#define ROAM_THREAD_ANNOTATION(attribute) __attribute__((attribute))
#else
#define ROAM_THREAD_ANNOTATION(attribute)
#endif

/// Marks a class whose objects are capabilities that threads hold; `kind` is how diagnostics call
/// them.
#define ROAM_CAPABILITY(kind) ROAM_THREAD_ANNOTATION(capability(kind))
/// Marks a class that holds a capability from its constructor to its destructor.
#define ROAM_SCOPED_CAPABILITY ROAM_THREAD_ANNOTATION(scoped_lockable)
/// Marks a member that is read and written only by whoever holds the capability.
#define ROAM_GUARDED_BY(...) ROAM_THREAD_ANNOTATION(guarded_by(__VA_ARGS__))
/// Marks a pointer whose target is read and written only by whoever holds the capability.
#define ROAM_PT_GUARDED_BY(...) ROAM_THREAD_ANNOTATION(pt_guarded_by(__VA_ARGS__))
/// The caller holds the capability, before and after the call.
#define ROAM_REQUIRES(...) ROAM_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
/// The caller must not hold the capability: the function takes it, or runs code that may.
#define ROAM_EXCLUDES(...) ROAM_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))
#define ROAM_ACQUIRE(...) ROAM_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define ROAM_TRY_ACQUIRE(...) ROAM_THREAD_ANNOTATION(try_acquire_capability(__VA_ARGS__))
#define ROAM_RELEASE(...) ROAM_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
/// The caller counts as holding the capability from this call on: for states in which nobody else
/// can touch what it guards. Each use gives its reason.
#define ROAM_ASSERT_CAPABILITY(...) ROAM_THREAD_ANNOTATION(assert_capability(__VA_ARGS__))
#define ROAM_RETURN_CAPABILITY(...) ROAM_THREAD_ANNOTATION(lock_returned(__VA_ARGS__))
/// Marks a function that the analysis cannot follow; a comment says why it is right.
#define ROAM_NO_THREAD_SAFETY_ANALYSIS ROAM_THREAD_ANNOTATION(no_thread_safety_analysis)
