# SPDX-License-Identifier: Apache-2.0
# Programs of MPI with the library that measures their waits, from C and, where there is a compiler,
# from Fortran.
if(NOT ROAM_SANITIZE STREQUAL "none")
  return()  # whose run-time libraries want to be the first ones
endif()
add_executable(pmpi_waits "${CMAKE_CURRENT_SOURCE_DIR}/pmpi/waits.cpp")
roam_own_target(pmpi_waits)
target_compile_definitions(pmpi_waits PRIVATE ${ROAM_MPI_DEFINITIONS})
target_compile_features(pmpi_waits PRIVATE cxx_std_20)
target_link_libraries(pmpi_waits PRIVATE roam::pmpi)
roam_mpi_test(NAME pmpi.waits EXE pmpi_waits RANKS 3)

include(CheckLanguage)
check_language(Fortran)
# Compilers of Fortran know the installation's own MPI alone.
if(NOT CMAKE_Fortran_COMPILER OR NOT ROAM_MPI STREQUAL "default")
  return()
endif()
enable_language(Fortran)
find_package(MPI QUIET COMPONENTS Fortran)
foreach(module F90 F08)
  if(NOT TARGET MPI::MPI_Fortran OR NOT MPI_Fortran_HAVE_${module}_MODULE)
    continue()
  endif()
  string(TOLOWER ${module} name)
  add_executable(pmpi_waits_${name} "${CMAKE_CURRENT_SOURCE_DIR}/pmpi/waits.F90")
  set_target_properties(pmpi_waits_${name} PROPERTIES UNITY_BUILD OFF)
  target_compile_definitions(pmpi_waits_${name} PRIVATE ROAM_MPI_${module})
  target_link_libraries(pmpi_waits_${name} PRIVATE roam::pmpi MPI::MPI_Fortran)
  roam_mpi_test(NAME pmpi.waits_${name} EXE pmpi_waits_${name} RANKS 2)
endforeach()
