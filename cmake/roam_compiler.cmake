# SPDX-License-Identifier: Apache-2.0
# How Roam's own targets are compiled. Users of the library inherit nothing but C++20.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  find_program(CCACHE_PROGRAM ccache)
  mark_as_advanced(CCACHE_PROGRAM)
  if(CCACHE_PROGRAM AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    # Precompiled headers: their time stamps say nothing.
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
        "${CCACHE_PROGRAM}")
  endif()
endif()

set(roam_sanitize_flags "")
if(NOT ROAM_SANITIZE STREQUAL "none")
  set(roam_sanitize_flags "-fsanitize=${ROAM_SANITIZE}" -fno-omit-frame-pointer)
  if(ROAM_SANITIZE MATCHES "undefined")
    list(APPEND roam_sanitize_flags -fno-sanitize-recover=undefined)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
      # What it puts in front of functions, Clang 14 cannot place before parts of coroutines.
      list(APPEND roam_sanitize_flags -fno-sanitize=function)
    endif()
  endif()
endif()

if(ROAM_BUILD_FUZZERS)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "ROAM_BUILD_FUZZERS needs Clang, not ${CMAKE_CXX_COMPILER_ID}: "
                        "use preset fuzz, or -DCMAKE_CXX_COMPILER=clang++")
  endif()
  # Counts which branches an input takes, everywhere; only the fuzz targets have libFuzzer's main.
  list(APPEND roam_sanitize_flags -fsanitize=fuzzer-no-link)
endif()

# roam_own_target(<target> [PROGRAM]): private settings of one of Roam's own targets: warnings,
# sanitizers. PROGRAM: its objects become parts of programs, not of the library.
function(roam_own_target target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "PROGRAM" "" "")
  target_compile_features(${target} PRIVATE cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  get_target_property(type ${target} TYPE)
  set(sanitize_flags ${roam_sanitize_flags})
  if((type STREQUAL "EXECUTABLE" OR arg_PROGRAM) AND NOT ROAM_BUILD_FUZZERS)
    # What the library does is what undefined behaviour is looked for in: to look for it in the tests
    # too makes them take half as long again to compile.
    list(TRANSFORM sanitize_flags REPLACE "^(-fsanitize=.*),undefined$" "\\1")
    list(FILTER sanitize_flags EXCLUDE REGEX "=undefined$")
  endif()
  # GCC collects garbage from 128 MiB on, over and over, which takes up to a sixth of the time of a large file.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=1048576>
    -Wall -Wextra -Wshadow -Wconversion
    # What core/thread_annotations.hpp declares, which GCC does not check.
    $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety> $<$<CXX_COMPILER_ID:Clang>:-Werror=thread-safety>
    $<$<BOOL:${ROAM_WARNINGS_AS_ERRORS}>:-Werror> ${sanitize_flags})
  if(ROAM_BUILD_SHARED AND NOT type STREQUAL "EXECUTABLE" AND NOT arg_PROGRAM)
    # Part of the shared library, in which nobody replaces functions.
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-semantic-interposition>)
  endif()
  if(roam_sanitize_flags)
    # PUBLIC: whoever links an instrumented library needs the sanitizer's run-time library.
    if(type STREQUAL "EXECUTABLE")
      target_link_options(${target} PRIVATE ${roam_sanitize_flags})
    else()
      target_link_options(${target} PUBLIC ${roam_sanitize_flags})
    endif()
  endif()
endfunction()

# roam_compile_together(<target> <n>): with ROAM_UNITY its sources are compiled n at a time, all of them
# together if n is 0, or ROAM_UNITY is WHOLE. Sources with compile options or definitions of their own stay apart.
function(roam_compile_together target most)
  if(NOT ROAM_UNITY)
    return()
  endif()
  if(ROAM_UNITY STREQUAL "WHOLE")
    set(most 0)
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${most})
  # Wrong where sources are put together, and of a GCC 12 that sees more of them at once.
  target_compile_options(${target} PRIVATE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage -Wno-restrict>)
endfunction()
