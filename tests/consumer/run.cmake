# SPDX-License-Identifier: Apache-2.0
# cmake -D roam_build=... -D scratch=... -D generator=... -D compiler=... -D build_type=...
#       -D libdir=... -P run.cmake
# Installs Roam below <scratch>, then configures, builds and runs the project beside this file.
file(REMOVE_RECURSE "${scratch}")

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run("${CMAKE_COMMAND}" --install "${roam_build}" --prefix "${scratch}/prefix")
# Moved, so that an absolute path to the place of installation would be noticed.
file(RENAME "${scratch}/prefix" "${scratch}/moved")
run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}" -B "${scratch}/build" -G "${generator}"
    "-DCMAKE_PREFIX_PATH=${scratch}/moved" "-DCMAKE_CXX_COMPILER=${compiler}"
    "-DCMAKE_BUILD_TYPE=${build_type}" -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
run("${CMAKE_COMMAND}" --build "${scratch}/build")
run("${scratch}/build/consumer" --roam-ranks 2)
run("${scratch}/build/smaller" --roam-ranks 2 --roam-balancer auto)
run("${scratch}/build/smaller" --roam-version)

# The same without CMake. What registers itself is there, too.
find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG)
  set(ENV{PKG_CONFIG_PATH} "${scratch}/moved/${libdir}/pkgconfig:$ENV{PKG_CONFIG_PATH}")
  execute_process(COMMAND "${PKG_CONFIG}" --cflags --libs roam OUTPUT_VARIABLE flags
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  run("${compiler}" -std=c++20 -O0 "${CMAKE_CURRENT_LIST_DIR}/main.cpp" ${flags}
      -o "${scratch}/without_cmake")
  run("${scratch}/without_cmake" --roam-ranks 2 --roam-scheduler fifo --roam-balancer auto)
endif()

run("${scratch}/moved/bin/roam" --help)
run("${scratch}/moved/bin/roam" report --help)
