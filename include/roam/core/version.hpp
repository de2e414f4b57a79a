// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The first number of the version of Roam, for `#if` and for output; CMake reads it from here.
/// Before 1.0, every minor version may change the interface.
#define ROAM_VERSION_MAJOR 0
/// The second number of the version.
#define ROAM_VERSION_MINOR 1
/// The third number of the version.
#define ROAM_VERSION_PATCH 0

/// 10,000 x major + 100 x minor + patch, for comparisons: `#if ROAM_VERSION_NUMBER >= 200`.
#define ROAM_VERSION_NUMBER \
  (ROAM_VERSION_MAJOR * 10000 + ROAM_VERSION_MINOR * 100 + ROAM_VERSION_PATCH)

/// @cond
#define ROAM_VERSION_TEXT_(a, b, c) #a "." #b "." #c
#define ROAM_VERSION_TEXT(a, b, c) ROAM_VERSION_TEXT_(a, b, c)
/// @endcond
/// The version as text: "0.1.0".
#define ROAM_VERSION ROAM_VERSION_TEXT(ROAM_VERSION_MAJOR, ROAM_VERSION_MINOR, ROAM_VERSION_PATCH)
