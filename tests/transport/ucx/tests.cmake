# SPDX-License-Identifier: Apache-2.0
# Tests of the transport ucx, included by tests/CMakeLists.txt where UCX is there: programs that run
# once per rank, started through PMIx by Open MPI's mpirun where that is there, and without a launcher.

# Started by hand, ranks are processes that find each other at a port of this machine.
set(roam_ucx_start Python3::Interpreter "${CMAKE_CURRENT_SOURCE_DIR}/transport/ucx/start.py")
# The libraries below UCX and PMIx leak what they never free: leaks of Roam show in test_ucx.
set(roam_ucx_environment ${roam_mpi_environment})

# roam_ucx_program(<name> [LINK <library>...]): program ucx_<name> of tests/transport/ucx/<name>.cpp.
function(roam_ucx_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINK")
  add_executable(ucx_${name} "${CMAKE_CURRENT_SOURCE_DIR}/transport/ucx/${name}.cpp")
  roam_own_target(ucx_${name})
  roam_compile_quickly(ucx_${name})
  target_include_directories(ucx_${name} PRIVATE "${PROJECT_SOURCE_DIR}/src"
                                                 "${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(ucx_${name} PRIVATE roam::roam GTest::gmock ${arg_LINK})
  target_precompile_headers(ucx_${name} REUSE_FROM roam_test_headers)
endfunction()

# roam_ucx_test(NAME <name> EXE <target> RANKS <n>... [LAUNCHER] [WAITS] [ENVIRONMENT <name>=<value>...]
#               [START <argument of start.py>...] [ARGS <argument>...])
function(roam_ucx_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "LAUNCHER;WAITS" "NAME;EXE" "RANKS;ENVIRONMENT;START;ARGS")
  set(waits "")
  if(arg_WAITS)
    set(waits WAITS)
  endif()
  if(arg_LAUNCHER)
    if(NOT roam_pmix OR NOT roam_mpiexec MATCHES "oversubscribe")
      return()
    endif()
    set(launcher ${roam_mpiexec})
  else()
    set(launcher ${roam_ucx_start} ${arg_START})
  endif()
  roam_ranks_to_test(all_ranks ${arg_RANKS})
  foreach(ranks IN LISTS all_ranks)
    roam_add_test(NAME ucx.${arg_NAME}.ranks_${ranks} LABELS ucx TIMEOUT 120 PROCESSORS ${ranks} ${waits}
                  ENVIRONMENT ${roam_ucx_environment} ${arg_ENVIRONMENT}
                  COMMAND ${launcher} ${ranks} $<TARGET_FILE:${arg_EXE}> ${arg_ARGS})
  endforeach()
endfunction()

roam_ucx_program(transport_conformance)
roam_ucx_test(NAME conformance EXE ucx_transport_conformance RANKS 1 2 3 4 LAUNCHER)
roam_ucx_test(NAME conformance_without_launcher EXE ucx_transport_conformance RANKS 1 2)
# Most messages by rendezvous: what follows must not overtake them.
roam_ucx_test(NAME conformance_rendezvous EXE ucx_transport_conformance RANKS 2 3
              ENVIRONMENT UCX_RNDV_THRESH=1k)
# What the user sets of UCX holds: no shared memory, and short elements of its queues.
roam_ucx_test(NAME conformance_over_tcp EXE ucx_transport_conformance RANKS 2
              ENVIRONMENT UCX_TLS=tcp,self)
roam_ucx_test(NAME conformance_short_elements EXE ucx_transport_conformance RANKS 2
              ENVIRONMENT UCX_POSIX_FIFO_ELEM_SIZE=64 UCX_SYSV_FIFO_ELEM_SIZE=64)

set(programs_link roam_test_programs)
if(TARGET roam::testing)
  list(APPEND programs_link roam::testing)
endif()
roam_ucx_program(programs LINK ${programs_link})
roam_ucx_test(NAME programs EXE ucx_programs RANKS 2 3 LAUNCHER)
roam_ucx_test(NAME programs_without_launcher EXE ucx_programs RANKS 2)
roam_ucx_program(reordering LINK ${programs_link})
roam_ucx_test(NAME reordering EXE ucx_reordering RANKS 2 3)

roam_ucx_program(endless)
# Ranks on machines of their own (namespaces): skipped, which the output of the test says, where the
# system does not allow them. A machine that is cut off ends the job on both sides of the cut, whoever
# it was; one that comes back in time, or whose process is only stopped, does not.
# roam_hosts_test(<name> EXE <target> RANKS <n> [WAITS] [EVENTS <argument of hosts.py>...] [ARGS <argument>...])
function(roam_hosts_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "WAITS" "EXE;RANKS" "EVENTS;ARGS")
  set(load PROCESSORS 2)
  if(arg_WAITS)
    set(load WAITS)
  elseif(arg_EVENTS)  # waits for some of the time
    set(load PROCESSORS 1)
  endif()
  roam_add_test(NAME ${name} LABELS ucx TIMEOUT 240 ${load}
                ENVIRONMENT ${roam_ucx_environment} COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/tests/transport/ucx/hosts.py"
                ${arg_EVENTS} ${arg_RANKS} $<TARGET_FILE:${arg_EXE}> ${arg_ARGS})
  if(TEST ${name})
    set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
  endif()
endfunction()
roam_hosts_test(ucx.hosts.conformance EXE ucx_transport_conformance RANKS 2)
# TCP tries again after pauses that double: of 3 s without a cable it may notice the end only after 6.
roam_hosts_test(ucx.hosts.interrupted EXE ucx_endless RANKS 3 WAITS
                EVENTS --pause 2:1:3 --stop 1:5:10 ARGS 3 16 --roam-peer-timeout 8)
roam_hosts_test(ucx.hosts.cut_rank EXE ucx_endless RANKS 3 WAITS EVENTS --cut 2:1 --within 9
                ARGS --roam-peer-timeout 3)
roam_hosts_test(ucx.hosts.cut_rank_0 EXE ucx_endless RANKS 3 WAITS EVENTS --cut 0:1 --within 9
                ARGS --roam-peer-timeout 3)
roam_hosts_test(ucx.hosts.cut_silent_rank EXE ucx_endless RANKS 3 WAITS EVENTS --cut 2:1 --within 9
                ARGS 2 --roam-peer-timeout 3)
roam_hosts_test(ucx.hosts.killed_rank EXE ucx_endless RANKS 3 WAITS EVENTS --kill 1:1 --within 5)

# A process that is killed ends the others within 5 seconds, whether they communicate with it or not.
roam_ucx_test(NAME killed_rank EXE ucx_endless RANKS 3 WAITS START --kill 1:1)
roam_ucx_test(NAME killed_rank_over_tcp EXE ucx_endless RANKS 3 WAITS START --kill 1:1
              ENVIRONMENT UCX_TLS=tcp,self)
roam_ucx_test(NAME killed_rank_0 EXE ucx_endless RANKS 3 WAITS START --kill 0:1)
roam_ucx_test(NAME killed_silent_rank EXE ucx_endless RANKS 3 WAITS START --kill 2:1 ARGS 2)
# A victim that is killed inside another rank's task ends the job, too.
roam_ucx_program(dying_victim)
roam_ucx_test(NAME dying_victim EXE ucx_dying_victim RANKS 3 START --dies 2
              ARGS --roam-workers 1)
# Unless it is a helper: then the job ends as if it had not been there, and says so.
roam_ucx_test(NAME dying_helper EXE ucx_dying_victim RANKS 3 START --dies 2 --survives
              ARGS --roam-workers 1 --roam-helpers 1)
roam_ucx_test(NAME dying_helper_over_tcp EXE ucx_dying_victim RANKS 4 START --dies 2 --survives
              ENVIRONMENT UCX_TLS=tcp,self ARGS --roam-workers 1 --roam-helpers 2)
# Nothing that was on its way to a helper counts as unsent after its loss, of which a send tells.
roam_ucx_program(lost_helper)
roam_ucx_test(NAME lost_helper EXE ucx_lost_helper RANKS 2 START --dies 1 --survives ENVIRONMENT UCX_TLS=tcp,self)

roam_test(NAME ucx SOURCES transport/ucx/bootstrap_test.cpp transport/ucx/parts_test.cpp LINK roam::roam)
