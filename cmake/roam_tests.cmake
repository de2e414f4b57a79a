# SPDX-License-Identifier: Apache-2.0
# Tests. Every one has a timeout.
find_package(GTest REQUIRED)
include(GoogleTest)
# Debian's Python modules (matplotlib, VTK) are found by the system's interpreter alone.
if(NOT Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python3_EXECUTABLE /usr/bin/python3)
endif()
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)

# Sanitizers make programs several times slower.
set(roam_test_timeout 120)
if(NOT ROAM_SANITIZE STREQUAL "none")
  set(roam_test_timeout 400)
endif()

# Both MPIs leak memory of libraries that they unload before the leak check, which then cannot tell
# whose it is; leaks of Roam show in the tests without MPI.
set(roam_mpi_environment ${roam_mpi_as_root} ASAN_OPTIONS=detect_leaks=0)

# roam_add_test(NAME <name> COMMAND <command>... [TIMEOUT <seconds>] [LABELS <label>...]
#               [ENVIRONMENT <name>=<value>...] [PROCESSORS <n>] [SERIAL] [WAITS]):
# add_test with the timeout that no test may lack. WAITS: its processes hardly do anything but wait; such tests run side
# by side, as the test "waiting", where each test program runs in parts.
function(roam_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "SERIAL;WAITS" "NAME;TIMEOUT;PROCESSORS" "COMMAND;LABELS;ENVIRONMENT")
  if(arg_WAITS AND (ROAM_TESTS_IN_PARTS OR NOT ROAM_SANITIZE STREQUAL "none"))
    roam_add_waiting_test("${arg_NAME}" "${arg_ENVIRONMENT}" ${arg_COMMAND})
    return()
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT ${roam_test_timeout})
  endif()
  if(NOT arg_PROCESSORS)
    set(arg_PROCESSORS 1)
  endif()
  add_test(NAME ${arg_NAME} COMMAND ${arg_COMMAND} COMMAND_EXPAND_LISTS)
  set_tests_properties(${arg_NAME} PROPERTIES
    TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}" PROCESSORS ${arg_PROCESSORS}
    ENVIRONMENT "${arg_ENVIRONMENT}")
  if(arg_SERIAL)
    set_tests_properties(${arg_NAME} PROPERTIES RUN_SERIAL TRUE)
  endif()
endfunction()

# roam_add_waiting_test(<name> <environment> <command>...): one of the tests that run side by side.
function(roam_add_waiting_test name environment)
  list(TRANSFORM ARGN REPLACE "^Python3::Interpreter$" "$<TARGET_FILE:Python3::Interpreter>")
  list(JOIN ARGN "\", \"" command)
  list(JOIN environment "\", \"" environment)
  set_property(GLOBAL APPEND PROPERTY roam_waiting_tests
               "{\"name\": \"${name}\", \"environment\": [\"${environment}\"], \"command\": [\"${command}\"]}")
endfunction()

# roam_run_waiting_tests(): the test "waiting", of all that roam_add_waiting_test() has been told of.
function(roam_run_waiting_tests)
  get_property(tests GLOBAL PROPERTY roam_waiting_tests)
  if(NOT tests)
    return()
  endif()
  list(JOIN tests ",\n " tests)
  file(GENERATE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/waiting.json" CONTENT "[${tests}]\n")
  roam_add_test(NAME waiting LABELS ucx mpi TIMEOUT 600 COMMAND Python3::Interpreter
                "${PROJECT_SOURCE_DIR}/tests/side_by_side.py" "${CMAKE_CURRENT_BINARY_DIR}/waiting.json")
  set_tests_properties(waiting PROPERTIES COST 20)  # seconds; long tests begin first
endfunction()

# Most tests take longer to compile than to run. (Coroutines that await each other without end need the
# second option of GCC.)
set(roam_quick_level -Og)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND NOT ROAM_SANITIZE STREQUAL "none")
  set(roam_quick_level -O0)
endif()
function(roam_compile_quickly target)
  target_compile_options(${target} PRIVATE
    $<$<CONFIG:RelWithDebInfo>:${roam_quick_level}$<SEMICOLON>-foptimize-sibling-calls>)
endfunction()

# With ROAM_UNITY: as many files of tests at a time. All that a file declares stands in a namespace of
# its own, so that any of them go together.
set(roam_tests_together 20)

# What almost every test includes, parsed once.
add_library(roam_test_headers OBJECT EXCLUDE_FROM_ALL
            "${PROJECT_SOURCE_DIR}/tests/precompiled.cpp")
roam_own_target(roam_test_headers PROGRAM)
roam_compile_quickly(roam_test_headers)
target_link_libraries(roam_test_headers PRIVATE roam::roam GTest::gmock)
target_precompile_headers(roam_test_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h> <roam/roam.hpp>)

# Under the address sanitizer, the first part of each long series of simulated runs, nothing at the papers' sizes, and
# nothing that takes seconds to show how good a decision is: shorter tests run the same code. Under the thread
# sanitizer, nothing long that takes one thread, and of rooms where nearly all does what THREADED says.
set(roam_sanitized_filter "-*LargeChaos*:CollectionChaosHarness*:*reach_the_target*:*/Timed.*")
string(APPEND roam_sanitized_filter ":TimedPhases.load_models*:TimedLinks.bring*:TimedLinks.to_objects_that_handlers*"
  ":TimedLinks.are_what_graph*:Graph.keeps_its_limit_and_lets*:*tiny_windows/simulated"
  ":*tiny_windows/reordering:B6HonestLoad.handlers_are_measured*:*in_ten_thousand_random_cases"
  ":PolicyConformance.finds_out_bad_ones:ChromeTrace.long_traces*:PartedStrategy.decides_as_one_rank*:*/simulated_13x3"
  ":Refine.reaches_the_imbalance*:GossipSteps.never_make*:Topology.keeps_its_limit_on_unequal*"
  ":AllPeerPolicies.follow_work*")
foreach(part RANGE 1 9)
  string(APPEND roam_sanitized_filter ":*/Unbalanced.*/${part}")
endforeach()
foreach(part RANGE 1 59)
  string(APPEND roam_sanitized_filter ":*Seeds/*/${part}")
endforeach()
if(ROAM_SANITIZE STREQUAL "thread")
  set(roam_sanitized_filter "-*Seeds/*:*Chaos*:*/simulated*:*/reordering:*/in_process_reordering:*Strategies.*:*Refin*"
    ":*Distributed.*:*Gossip*:Flows*:FlowSchedules*:OffloadSchedules*:*/ByteWindow.*:*/Backends.*/serial:EpochCost*"
    ":SharedLinks*:*SimulatedOrder*:LocationTable*:ChromeTrace.long_traces*:Stuck.M10_slow_ranks_and_late*"
    ":Traps.O1_*:Traps.O4_memory_for_results*")
  list(JOIN roam_sanitized_filter "" roam_sanitized_filter)
endif()

# roam_test(NAME <name> SOURCES <file>... [LINK <library>...] [TIMEOUT <seconds>] [THREADED <filter>]):
# GoogleTest program test_<name>; CTest runs each of its tests in a process of its own as <name>.<test>. With
# ROAM_TESTS_IN_PARTS, and under a sanitizer, where starting a process takes longer than most tests, it runs eight
# parts of the program as <name>.part_<k>; under a sanitizer they are without what roam_sanitized_filter leaves out.
function(roam_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;TIMEOUT;THREADED" "SOURCES;LINK")
  if(NOT arg_TIMEOUT OR arg_TIMEOUT LESS roam_test_timeout)
    set(arg_TIMEOUT ${roam_test_timeout})
  endif()
  set(filter "${roam_sanitized_filter}")
  if(ROAM_SANITIZE STREQUAL "thread" AND arg_THREADED)
    set(filter "${arg_THREADED}")
  endif()
  set(target test_${arg_NAME})
  add_executable(${target} ${arg_SOURCES})
  roam_own_target(${target})
  roam_compile_quickly(${target})
  roam_compile_together(${target} ${roam_tests_together})
  # Tests may look into the private headers (src/) and share helpers (tests/).
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src"
                                               "${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(${target} PRIVATE ${arg_LINK} GTest::gmock GTest::gtest_main)
  target_precompile_headers(${target} REUSE_FROM roam_test_headers)
  if(ROAM_TESTS_IN_PARTS OR NOT ROAM_SANITIZE STREQUAL "none")
    if(ROAM_SANITIZE STREQUAL "none")
      set(filter "*")
      math(EXPR arg_TIMEOUT "4 * ${arg_TIMEOUT}")
    endif()
    foreach(part RANGE 7)
      roam_add_test(NAME ${arg_NAME}.part_${part} LABELS ${arg_NAME} TIMEOUT ${arg_TIMEOUT}
                    ENVIRONMENT GTEST_TOTAL_SHARDS=8 GTEST_SHARD_INDEX=${part}
                                GTEST_FILTER=${filter} COMMAND ${target})
    endforeach()
    return()
  endif()
  gtest_discover_tests(${target} TEST_PREFIX ${arg_NAME}. DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES
                       DISCOVERY_TIMEOUT 60
                       PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS ${arg_NAME})
endfunction()

# roam_ranks_to_test(<out> <n>...): all of these numbers of ranks. Under a sanitizer, which sees the same code with any
# of them, the largest up to 2 alone: ranks of MPICH that wait take a core each, and three of them take ten times as
# long on two cores.
function(roam_ranks_to_test out)
  set(chosen ${ARGN})
  if(NOT ROAM_SANITIZE STREQUAL "none")
    foreach(ranks IN LISTS ARGN)
      if(ranks LESS_EQUAL 2)
        set(chosen ${ranks})
      endif()
    endforeach()
  endif()
  set(${out} ${chosen} PARENT_SCOPE)
endfunction()

add_custom_target(mpi_tests COMMENT "Programs of the tests that run under mpiexec")

# roam_mpi_test(NAME <name> EXE <target> RANKS <n>... [ARGS <argument>...] [TIMEOUT <seconds>]):
# runs the program under mpiexec once for each number of ranks.
function(roam_mpi_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;EXE;TIMEOUT" "RANKS;ARGS")
  if(NOT roam_mpiexec)
    return()
  endif()
  add_dependencies(mpi_tests ${arg_EXE})
  roam_ranks_to_test(all_ranks ${arg_RANKS})
  foreach(ranks IN LISTS all_ranks)
    roam_add_test(NAME ${arg_NAME}.ranks_${ranks} LABELS mpi TIMEOUT "${arg_TIMEOUT}"
                  PROCESSORS ${ranks} ENVIRONMENT ${roam_mpi_environment}
                  COMMAND ${roam_mpiexec} ${ranks} $<TARGET_FILE:${arg_EXE}> ${arg_ARGS})
  endforeach()
endfunction()
