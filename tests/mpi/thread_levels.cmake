# SPDX-License-Identifier: Apache-2.0
# A8: the progress modes at every thread level of MPI. Included by tests/CMakeLists.txt; without
# arguments the program has Roam initialise MPI.

foreach(level IN ITEMS single funneled serialized multiple)
  roam_mpi_test(NAME mpi.thread_levels_${level} EXE mpi_thread_levels RANKS 2 3 ARGS ${level})
endforeach()
foreach(mode IN ITEMS shared dedicated polling)
  roam_mpi_test(NAME mpi.thread_levels_by_roam_${mode} EXE mpi_thread_levels RANKS 2
                ARGS --roam-progress-mode=${mode} --roam-workers=2)
endforeach()
