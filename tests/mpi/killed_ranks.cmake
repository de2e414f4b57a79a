# SPDX-License-Identifier: Apache-2.0
# R2 under MPI: a rank that is killed ends the whole job within 5 seconds, whether it had anything to
# say or not. Included by tests/CMakeLists.txt. MPI itself does not tell a program of lost peers: it is
# the launcher that ends the others.

add_executable(mpi_endless "${CMAKE_CURRENT_SOURCE_DIR}/transport/ucx/endless.cpp")
roam_own_target(mpi_endless)
roam_compile_quickly(mpi_endless)
target_link_libraries(mpi_endless PRIVATE roam::roam)

# roam_mpi_kill_test(<name> KILL <rank> [ARGS <argument>...])
function(roam_mpi_kill_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "KILL" "ARGS")
  if(NOT roam_mpiexec)
    return()
  endif()
  add_dependencies(mpi_tests mpi_endless)
  set(load WAITS)
  if(NOT ROAM_SANITIZE STREQUAL "none")  # MPICH, whose ranks take a core each when they wait
    set(load PROCESSORS 3)
  endif()
  roam_add_test(NAME mpi.${name} LABELS mpi ${load} ENVIRONMENT ${roam_mpi_environment}
                COMMAND Python3::Interpreter "${CMAKE_CURRENT_SOURCE_DIR}/mpi/kill_rank.py"
                ${arg_KILL} 1 ${roam_mpiexec} 3 $<TARGET_FILE:mpi_endless> ${arg_ARGS})
endfunction()

roam_mpi_kill_test(killed_rank KILL 1)
roam_mpi_kill_test(killed_rank_0 KILL 0)
roam_mpi_kill_test(killed_silent_rank KILL 2 ARGS 2)
