# SPDX-License-Identifier: Apache-2.0
# Programs built on the public headers: applications, examples, benchmarks.

# What every program includes, parsed once. roam_use_program_headers(<target>): for programs that are
# compiled as the preset says.
function(roam_use_program_headers target)
  if(NOT TARGET roam_program_headers)
    add_library(roam_program_headers OBJECT EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/examples/hello.cpp")
    roam_own_target(roam_program_headers PROGRAM)
    target_link_libraries(roam_program_headers PRIVATE roam::roam)
    target_precompile_headers(roam_program_headers PRIVATE <roam/roam.hpp>)
  endif()
  target_precompile_headers(${target} REUSE_FROM roam_program_headers)
endfunction()

# roam_program(<target> SOURCES <file>... [LINK <library>...])
function(roam_program target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE roam::roam ${arg_LINK})
  roam_own_target(${target})
  roam_compile_together(${target} 0)
endfunction()

# Every folder below <parent> that has a CMakeLists.txt.
function(roam_add_folders parent)
  file(GLOB lists CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${parent}/*/CMakeLists.txt")
  foreach(list IN LISTS lists)
    get_filename_component(folder "${list}" DIRECTORY)
    add_subdirectory("${folder}")
  endforeach()
endfunction()

# A shared library that programs load: lib<target>.so beside them.
function(roam_plugin_library target)
  add_library(${target} MODULE ${ARGN})
  target_link_libraries(${target} PRIVATE roam::plugin)
  set_target_properties(${target} PROPERTIES
                        LIBRARY_OUTPUT_DIRECTORY "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  roam_own_target(${target})
endfunction()

# examples/<name>.cpp becomes program example_<name>; with the tests on, each is also run, those that
# use MPI themselves (they include mpi.h) as several ranks. Those that bring a plug-in become
# libexample_<name>.so.
function(roam_add_examples)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/examples/*.cpp")
  foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME_WE)
    file(STRINGS "${source}" is_plugin REGEX "PluginLibrary roam_plugin")
    if(is_plugin)
      roam_plugin_library(example_${name} "${source}")
      continue()
    endif()
    file(STRINGS "${source}" uses_mpi REGEX "#include <mpi.h>")
    if(uses_mpi AND NOT TARGET roam_transport_mpi)
      continue()
    endif()
    file(STRINGS "${source}" uses_testing REGEX "#include <roam/testing/")
    roam_program(example_${name} SOURCES "${source}")
    roam_use_program_headers(example_${name})
    if(uses_testing)
      target_link_libraries(example_${name} PRIVATE roam::testing)
    endif()
    if(uses_mpi)
      target_link_libraries(example_${name} PRIVATE MPI::MPI_C)
      target_compile_definitions(example_${name} PRIVATE ${ROAM_MPI_DEFINITIONS})
      if(ROAM_BUILD_TESTS)
        roam_mpi_test(NAME examples.${name} EXE example_${name} RANKS 2 4)
      endif()
    elseif(ROAM_BUILD_TESTS)
      roam_add_test(NAME examples.${name} LABELS examples COMMAND example_${name})
    endif()
  endforeach()
endfunction()

# bench/<folder>/<name>.cpp becomes program bench_<name>; target benchmarks builds, target bench also
# runs them all for a short while and leaves their results in bench-results/. Those that compare with
# raw MPI (they include mpi.h) run as two ranks. With the tests on, each is also run as one, as short
# as can be, so that it does not rot. bench-am.json tells bench/bench-am where the programs are and how
# two ranks start.
function(roam_add_benchmarks)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/*/*.cpp")
  roam_benchmark_launcher(mpi_launcher)
  # What every benchmark includes, parsed once.
  add_library(roam_benchmark_headers OBJECT EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/bench/precompiled.cpp")
  roam_own_target(roam_benchmark_headers)
  target_link_libraries(roam_benchmark_headers PRIVATE roam::roam nlohmann_json::nlohmann_json)
  target_precompile_headers(roam_benchmark_headers PRIVATE <nlohmann/json.hpp> <roam/roam.hpp>)
  set(results "${PROJECT_BINARY_DIR}/bench-results")
  set(programs "")
  set(commands "")
  foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME_WE)
    file(STRINGS "${source}" uses_mpi REGEX "#include <mpi.h>")
    file(STRINGS "${source}" uses_ucx REGEX "#include <roam/transport/ucx/")
    file(STRINGS "${source}" has_scotch_as_rival REGEX "#include \"scotch_mapping.hpp\"")
    if((uses_mpi AND NOT TARGET MPI::MPI_C) OR (uses_ucx AND NOT TARGET roam_transport_ucx))
      continue()
    endif()
    roam_program(bench_${name} SOURCES "${source}" LINK nlohmann_json::nlohmann_json)
    target_precompile_headers(bench_${name} REUSE_FROM roam_benchmark_headers)
    if(has_scotch_as_rival AND TARGET roam_scotch)
      target_link_libraries(bench_${name} PRIVATE roam_scotch ${roam_scotch_libraries})
      target_compile_definitions(bench_${name} PRIVATE BENCH_HAS_SCOTCH)
    endif()
    set(launcher "")
    if(uses_mpi)
      target_link_libraries(bench_${name} PRIVATE MPI::MPI_C)
      target_compile_definitions(bench_${name} PRIVATE ${ROAM_MPI_DEFINITIONS})
      set(launcher ${mpi_launcher})
    endif()
    list(APPEND programs bench_${name})
    if(name STREQUAL "message_path")  # says something under an instruction counter only
      roam_benchmark_test(${name} "" 1000)
      continue()
    endif()
    roam_benchmark_test(${name} "${uses_mpi}" --short --repeats 1)
    list(APPEND commands COMMAND ${launcher} $<TARGET_FILE:bench_${name}> --short
         --json "${results}/${name}.json")
  endforeach()
  if(NOT programs)
    return()
  endif()
  add_custom_target(benchmarks DEPENDS ${programs})
  add_custom_target(bench COMMAND ${CMAKE_COMMAND} -E make_directory "${results}" ${commands}
                    DEPENDS ${programs} USES_TERMINAL WORKING_DIRECTORY "${PROJECT_BINARY_DIR}")
  list(JOIN mpi_launcher "\", \"" mpi_launcher)
  file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/bench-am.json" CONTENT
       "{\"programs\": \"$<TARGET_FILE_DIR:bench_message_path>\", \"launcher\": [\"${mpi_launcher}\"]}\n")
endfunction()

# A benchmark as a test: under mpiexec if <uses_mpi> is not empty. Sanitizers build none.
function(roam_benchmark_test name uses_mpi)
  if(NOT ROAM_BUILD_TESTS)
    return()
  endif()
  if(uses_mpi)
    roam_mpi_test(NAME bench.${name} EXE bench_${name} RANKS 2 ARGS ${ARGN})
  else()
    roam_add_test(NAME bench.${name} LABELS bench PROCESSORS 2 COMMAND bench_${name} ${ARGN})
  endif()
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
