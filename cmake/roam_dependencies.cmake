# SPDX-License-Identifier: Apache-2.0
# Libraries from outside. Those that a user of the installed package needs too are found again in
# roam-config.cmake.in.

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(cereal REQUIRED)

# Header-only and private: needed to build Roam, not to use it.
find_package(CLI11 REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(nlohmann_json REQUIRED)

# Debian builds toml++ as a shared library; without it, users of the installed Roam need no toml++.
add_library(roam_toml INTERFACE)
target_include_directories(roam_toml SYSTEM INTERFACE
  $<TARGET_PROPERTY:tomlplusplus::tomlplusplus,INTERFACE_INCLUDE_DIRECTORIES>)
target_compile_definitions(roam_toml INTERFACE TOML_HEADER_ONLY=1)

# MPI. ROAM_MPI=openmpi|mpich picks by Debian's suffixed names (mpicc.mpich, mpiexec.mpich).
if(NOT ROAM_WITH_MPI STREQUAL "OFF")
  if(NOT ROAM_MPI STREQUAL "default")
    find_program(MPI_C_COMPILER mpicc.${ROAM_MPI})
    find_program(MPIEXEC_EXECUTABLE mpiexec.${ROAM_MPI})
    if(NOT MPI_C_COMPILER OR NOT MPIEXEC_EXECUTABLE)
      message(FATAL_ERROR "ROAM_MPI=${ROAM_MPI}: no mpicc.${ROAM_MPI} and mpiexec.${ROAM_MPI} in PATH")
    endif()
    if(NOT MPI_C_COMPILER MATCHES "\\.${ROAM_MPI}$" OR NOT MPIEXEC_EXECUTABLE MATCHES "\\.${ROAM_MPI}$")
      message(FATAL_ERROR "ROAM_MPI=${ROAM_MPI}, but this build directory is configured with "
                          "${MPI_C_COMPILER} and ${MPIEXEC_EXECUTABLE}: use another one, or --fresh")
    endif()
  endif()
  if(ROAM_WITH_MPI STREQUAL "ON")
    find_package(MPI REQUIRED COMPONENTS C)
  else()
    find_package(MPI COMPONENTS C)
  endif()
endif()

# UCX, and PMIx by which launchers tell its processes of each other. GLOBAL: a project that builds
# Roam from source links them too.
set(roam_pmix "")
if(NOT ROAM_WITH_UCX STREQUAL "OFF")
  set(required "")
  if(ROAM_WITH_UCX STREQUAL "ON")
    set(required REQUIRED)
  endif()
  find_package(PkgConfig ${required})
  if(PkgConfig_FOUND)
    pkg_check_modules(UCX ${required} IMPORTED_TARGET GLOBAL ucx>=1.13)
    pkg_check_modules(PMIX IMPORTED_TARGET GLOBAL pmix>=3)
  endif()
  if(TARGET PkgConfig::UCX AND TARGET PkgConfig::PMIX)
    set(roam_pmix PkgConfig::PMIX)
  endif()
  mark_as_advanced(PKG_CONFIG_EXECUTABLE PKG_CONFIG_ARGN)
endif()

# Brotli, in which vt compresses its data files; the same way. Its encoder comes with its decoder.
find_path(BROTLI_INCLUDE_DIR brotli/decode.h)
find_library(BROTLI_LIBRARY brotlidec)
mark_as_advanced(BROTLI_INCLUDE_DIR BROTLI_LIBRARY)
set(roam_brotli_libraries "")
if(BROTLI_INCLUDE_DIR AND BROTLI_LIBRARY)
  set(roam_brotli_libraries brotlidec brotlienc)
endif()

# Scotch, which brings no package file: by its header, and by name to the linker, here and from the
# installed package.
if(NOT ROAM_WITH_SCOTCH STREQUAL "OFF")
  find_path(SCOTCH_INCLUDE_DIR scotch.h PATH_SUFFIXES scotch-int32 scotch)
  find_library(SCOTCH_LIBRARY scotch)
  mark_as_advanced(SCOTCH_INCLUDE_DIR SCOTCH_LIBRARY)
  if(SCOTCH_INCLUDE_DIR AND SCOTCH_LIBRARY)
    set(roam_scotch_libraries scotch scotcherr)
    add_library(roam_scotch INTERFACE)
    target_include_directories(roam_scotch SYSTEM INTERFACE "${SCOTCH_INCLUDE_DIR}")
  elseif(ROAM_WITH_SCOTCH STREQUAL "ON")
    message(FATAL_ERROR "ROAM_WITH_SCOTCH=ON, but scotch.h or libscotch was not found")
  endif()
endif()

# oneTBB, likewise by name.
set(roam_tbb_libraries "")
if(NOT ROAM_WITH_TBB STREQUAL "OFF")
  find_path(TBB_INCLUDE_DIR oneapi/tbb/task_arena.h)
  find_library(TBB_LIBRARY tbb)
  mark_as_advanced(TBB_INCLUDE_DIR TBB_LIBRARY)
  if(TBB_INCLUDE_DIR AND TBB_LIBRARY)
    set(roam_tbb_libraries tbb)
    add_library(roam_tbb INTERFACE)
    target_include_directories(roam_tbb SYSTEM INTERFACE "${TBB_INCLUDE_DIR}")
  elseif(ROAM_WITH_TBB STREQUAL "ON")
    message(FATAL_ERROR "ROAM_WITH_TBB=ON, but oneapi/tbb/task_arena.h or libtbb was not found")
  endif()
endif()

# OpenMP, which comes with the compiler: its option for one source alone, and the runtime by name,
# which GCC's linker finds for itself. Depend clauses with iterators, and detach, are of OpenMP 5.0.
set(roam_openmp_libraries "")
if(NOT ROAM_WITH_OPENMP STREQUAL "OFF")
  find_package(OpenMP QUIET COMPONENTS CXX)
  if(OpenMP_CXX_FOUND AND OpenMP_CXX_SPEC_DATE GREATER_EQUAL 201511)
    foreach(library IN LISTS OpenMP_CXX_LIB_NAMES)
      if(library STREQUAL "gomp")
        list(APPEND roam_openmp_libraries gomp)
      elseif(NOT library STREQUAL "pthread")
        list(APPEND roam_openmp_libraries "${OpenMP_${library}_LIBRARY}")
      endif()
    endforeach()
    add_library(roam_openmp INTERFACE)
    target_compile_options(roam_openmp INTERFACE ${OpenMP_CXX_FLAGS})
    target_include_directories(roam_openmp SYSTEM INTERFACE ${OpenMP_CXX_INCLUDE_DIRS})
  elseif(ROAM_WITH_OPENMP STREQUAL "ON")
    message(FATAL_ERROR "ROAM_WITH_OPENMP=ON, but the compiler has no OpenMP 5.0 (Debian's Clang: libomp-dev)")
  endif()
endif()

# StarPU 1.3, by its header and by name. Its headers of other versions stand in folders of their own.
set(roam_starpu_libraries "")
if(NOT ROAM_WITH_STARPU STREQUAL "OFF")
  find_path(STARPU_INCLUDE_DIR starpu.h PATH_SUFFIXES starpu/1.3)
  find_library(STARPU_LIBRARY starpu-1.3)
  mark_as_advanced(STARPU_INCLUDE_DIR STARPU_LIBRARY)
  if(STARPU_INCLUDE_DIR AND STARPU_LIBRARY)
    set(roam_starpu_libraries starpu-1.3)
    add_library(roam_starpu INTERFACE)
    target_include_directories(roam_starpu SYSTEM INTERFACE "${STARPU_INCLUDE_DIR}")
  elseif(ROAM_WITH_STARPU STREQUAL "ON")
    message(FATAL_ERROR "ROAM_WITH_STARPU=ON, but starpu.h or libstarpu-1.3 was not found")
  endif()
endif()

# hwloc and yaml-cpp, likewise by name.
set(roam_hwloc_libraries "")
if(NOT ROAM_WITH_HWLOC STREQUAL "OFF")
  find_path(HWLOC_INCLUDE_DIR hwloc.h)
  find_library(HWLOC_LIBRARY hwloc)
  mark_as_advanced(HWLOC_INCLUDE_DIR HWLOC_LIBRARY)
  if(HWLOC_INCLUDE_DIR AND HWLOC_LIBRARY)
    set(roam_hwloc_libraries hwloc)
    add_library(roam_hwloc INTERFACE)
    target_include_directories(roam_hwloc SYSTEM INTERFACE "${HWLOC_INCLUDE_DIR}")
  elseif(ROAM_WITH_HWLOC STREQUAL "ON")
    message(FATAL_ERROR "ROAM_WITH_HWLOC=ON, but hwloc.h or libhwloc was not found")
  endif()
endif()
set(roam_yaml_libraries "")
if(NOT ROAM_WITH_YAML STREQUAL "OFF")
  find_path(YAML_INCLUDE_DIR yaml-cpp/yaml.h)
  find_library(YAML_LIBRARY yaml-cpp)
  mark_as_advanced(YAML_INCLUDE_DIR YAML_LIBRARY)
  if(YAML_INCLUDE_DIR AND YAML_LIBRARY)
    set(roam_yaml_libraries yaml-cpp)
  elseif(ROAM_WITH_YAML STREQUAL "ON")
    message(FATAL_ERROR "ROAM_WITH_YAML=ON, but yaml-cpp/yaml.h or libyaml-cpp was not found")
  endif()
endif()

# Roam uses the C interface only; these keep mpi.h from pulling in the old C++ one.
set(ROAM_MPI_DEFINITIONS OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)

# How to start <n> ranks: ${roam_mpiexec} <n> <program>. Open MPI must be told that more ranks than
# cores are wanted and that threads of a rank may spread, and in the environment that root may do so,
# as in containers; MPICH allows all that.
set(roam_mpi_as_root OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1)
set(roam_mpiexec "")
if(MPI_C_FOUND)
  execute_process(COMMAND "${MPIEXEC_EXECUTABLE}" --version
                  OUTPUT_VARIABLE version ERROR_VARIABLE version)
  set(roam_mpiexec "${MPIEXEC_EXECUTABLE}")
  if(version MATCHES "OpenRTE|Open MPI|prterun")
    list(APPEND roam_mpiexec --oversubscribe --bind-to none)
  endif()
  list(APPEND roam_mpiexec ${MPIEXEC_NUMPROC_FLAG})
  message(STATUS "MPI: ${MPI_C_COMPILER} ${MPI_C_VERSION}, started with ${MPIEXEC_EXECUTABLE}")
endif()
