# SPDX-License-Identifier: Apache-2.0
# How jobs end that do not come to their regular end, on each kind of job. Included by
# tests/CMakeLists.txt.
add_executable(endings "${CMAKE_CURRENT_SOURCE_DIR}/endings/endings.cpp")
roam_own_target(endings)
roam_compile_quickly(endings)
target_link_libraries(endings PRIVATE roam::roam)

set(sanitized "")
if(NOT ROAM_SANITIZE STREQUAL "none")
  set(sanitized --sanitized)
endif()
# roam_ending_test(<world> [LAUNCHER <argument>...]): its processes mostly wait, so that other tests may run beside it.
function(roam_ending_test world)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LAUNCHER")
  roam_add_test(NAME endings.${world} LABELS runtime TIMEOUT 240
                ENVIRONMENT ${roam_mpi_environment} COMMAND Python3::Interpreter
                "${CMAKE_CURRENT_SOURCE_DIR}/endings/check_endings.py" ${sanitized} ${world}
                $<TARGET_FILE:endings> ${arg_LAUNCHER})
endfunction()
roam_ending_test(threads)
roam_ending_test(simulated)
if(TARGET roam_transport_mpi AND roam_mpiexec)
  roam_ending_test(mpi LAUNCHER ${roam_mpiexec})
endif()
if(TARGET roam_transport_ucx)
  roam_ending_test(ucx)
endif()
