# SPDX-License-Identifier: Apache-2.0
# Programs built on the public headers: applications, examples, benchmarks.

# roam_program(<target> SOURCES <file>... [LINK <library>...])
function(roam_program target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE roam::roam ${arg_LINK})
  roam_own_target(${target})
endfunction()

# Every folder below <parent> that has a CMakeLists.txt.
function(roam_add_folders parent)
  file(GLOB lists CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${parent}/*/CMakeLists.txt")
  foreach(list IN LISTS lists)
    get_filename_component(folder "${list}" DIRECTORY)
    add_subdirectory("${folder}")
  endforeach()
endfunction()

# examples/<name>.cpp becomes program example_<name>; with the tests on, each is also run.
function(roam_add_examples)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/examples/*.cpp")
  foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME_WE)
    roam_program(example_${name} SOURCES "${source}")
    if(ROAM_BUILD_TESTS)
      roam_add_test(NAME examples.${name} LABELS examples COMMAND example_${name})
    endif()
  endforeach()
endfunction()

# bench/<folder>/<name>.cpp becomes program bench_<name>; target benchmarks builds, target bench also
# runs them all for a short while and leaves their results in bench-results/. Those that compare with
# raw MPI (they include mpi.h) run as two ranks.
function(roam_add_benchmarks)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/*/*.cpp")
  roam_benchmark_launcher(mpi_launcher)
  set(results "${PROJECT_BINARY_DIR}/bench-results")
  set(programs "")
  set(commands "")
  foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME_WE)
    file(STRINGS "${source}" uses_mpi REGEX "#include <mpi.h>")
    file(STRINGS "${source}" uses_ucx REGEX "#include <roam/transport/ucx/")
    if((uses_mpi AND NOT TARGET MPI::MPI_C) OR (uses_ucx AND NOT TARGET roam_transport_ucx))
      continue()
    endif()
    roam_program(bench_${name} SOURCES "${source}" LINK nlohmann_json::nlohmann_json)
    set(launcher "")
    if(uses_mpi)
      target_link_libraries(bench_${name} PRIVATE MPI::MPI_C)
      target_compile_definitions(bench_${name} PRIVATE ${ROAM_MPI_DEFINITIONS})
      set(launcher ${mpi_launcher})
    endif()
    list(APPEND programs bench_${name})
    list(APPEND commands COMMAND ${launcher} $<TARGET_FILE:bench_${name}> --short
         --json "${results}/${name}.json")
  endforeach()
  if(NOT programs)
    return()
  endif()
  add_custom_target(benchmarks DEPENDS ${programs})
  add_custom_target(bench COMMAND ${CMAKE_COMMAND} -E make_directory "${results}" ${commands}
                    DEPENDS ${programs} USES_TERMINAL WORKING_DIRECTORY "${PROJECT_BINARY_DIR}")
endfunction()

# How benchmarks start two ranks: as tests do, but each on a core of its own where there are two.
function(roam_benchmark_launcher out)
  set(mpiexec ${roam_mpiexec})
  cmake_host_system_information(RESULT cores QUERY NUMBER_OF_PHYSICAL_CORES)
  if(cores GREATER 1)
    list(TRANSFORM mpiexec REPLACE "^none$" "core")
  endif()
  set(${out} ${CMAKE_COMMAND} -E env ${roam_mpi_as_root} ${mpiexec} 2 PARENT_SCOPE)
endfunction()
