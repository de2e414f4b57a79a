# SPDX-License-Identifier: Apache-2.0
# One static library per room: target roam_<room>, alias roam::<room>. A room without folder is
# skipped, a room of headers alone becomes an interface library.

set(roam_rooms_file "${PROJECT_SOURCE_DIR}/scripts/rooms.toml")
set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
             "${roam_rooms_file}")

# roam_allowed_rooms(<out> <room>): the rooms it may use, by scripts/rooms.toml.
function(roam_allowed_rooms out room)
  file(STRINGS "${roam_rooms_file}" line REGEX "^${room} = \\[.*\\]$")
  if(NOT line)
    message(FATAL_ERROR "Room '${room}' has no line '${room} = [...]' in ${roam_rooms_file}")
  endif()
  string(REGEX REPLACE "^.*\\[(.*)\\]$" "\\1" rooms "${line}")
  string(REGEX REPLACE "[\" ]" "" rooms "${rooms}")
  string(REPLACE "," ";" rooms "${rooms}")
  set(${out} ${rooms} PARENT_SCOPE)
endfunction()

# What nearly every source of the library includes, parsed once. roam_use_room_headers(<archive>).
# scripts/check_lint does without, and finds a room that uses what it does not include.
function(roam_use_room_headers archive)
  if(NOT TARGET roam_room_headers)
    add_library(roam_room_headers OBJECT EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/src/core/error.cpp")
    roam_own_target(roam_room_headers)
    target_include_directories(roam_room_headers PRIVATE "${PROJECT_SOURCE_DIR}/include")
    target_link_libraries(roam_room_headers PRIVATE cereal::cereal Threads::Threads)
    target_precompile_headers(roam_room_headers PRIVATE <roam/roam.hpp>)
  endif()
  target_precompile_headers(${archive} REUSE_FROM roam_room_headers)
endfunction()

# Adds library roam_<name> of the sources, known outside as roam::<name>.
function(roam_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;PUBLIC;HEADERS;PRIVATE;DEFINITIONS")
  set(target roam_${name})
  set(scope PUBLIC)
  if(NOT arg_SOURCES)
    set(scope INTERFACE)
    add_library(${target} INTERFACE)
    set(archive ${target})
  else()
    # Rooms contain objects that nothing refers to by name (options, transports, policies, exporters,
    # parts of ranks), and the linker takes from an archive only what something refers to. They are
    # therefore linked whole, and through one wrapper, since CMake wants an archive linked the same way by everyone.
    set(archive ${target}_archive)
    add_library(${archive} STATIC ${arg_SOURCES})
    add_library(${target} INTERFACE)
    # By the name that holds in the build and in the installed package alike.
    add_library(roam::${name}_archive ALIAS ${archive})
    target_link_libraries(${target} INTERFACE
                          $<LINK_LIBRARY:WHOLE_ARCHIVE,roam::${name}_archive>)
    set_target_properties(${archive} PROPERTIES EXPORT_NAME ${name}_archive
                          ARCHIVE_OUTPUT_NAME ${target})
    set_property(GLOBAL APPEND PROPERTY roam_installed_targets ${archive})
  endif()
  target_include_directories(${archive} ${scope}
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
  target_compile_features(${archive} ${scope} cxx_std_20)
  target_link_libraries(${archive} ${scope} ${arg_PUBLIC})
  target_compile_definitions(${archive} ${scope} ${arg_DEFINITIONS})
  if(arg_SOURCES)
    roam_own_target(${archive})
    roam_use_room_headers(${archive})
    roam_compile_together(${archive} 15)
    target_include_directories(${archive} PRIVATE "${PROJECT_SOURCE_DIR}/src")
    target_link_libraries(${archive} PRIVATE ${arg_PRIVATE})
    foreach(library IN LISTS arg_HEADERS)
      target_link_libraries(${archive} PRIVATE $<BUILD_INTERFACE:${library}>)
    endforeach()
  endif()
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  add_library(roam::${name} ALIAS ${target})
  set_property(GLOBAL APPEND PROPERTY roam_installed_targets ${target})
endfunction()

# roam_sources(<out> <folder>): its sources, subfolders included, so that no file is forgotten; those
# of a back end (see roam_back_end) are libraries of their own.
function(roam_sources out folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${folder}/*.cpp")
  foreach(back_end transport/mpi transport/ucx placement/scotch topology/hwloc offload/mpi offload/pmpi
          flow/tbb flow/openmp flow/starpu)
    if(NOT folder STREQUAL "src/${back_end}")
      list(FILTER sources EXCLUDE REGEX "/src/${back_end}/")
    endif()
  endforeach()
  set(${out} ${sources} PARENT_SCOPE)
endfunction()

# roam_room_needs(<room> [PUBLIC <library>...] [HEADERS <library>...] [APART]), before roam_add_rooms():
#   PUBLIC: libraries its public headers use. HEADERS: header-only ones used inside alone. APART: not
#   part of roam::roam.
function(roam_room_needs room)
  set_property(GLOBAL PROPERTY roam_needs_${room} "${ARGN}")
endfunction()

# roam_names_of_rooms(<out>): all rooms, from the bottom up.
function(roam_names_of_rooms out)
  file(STRINGS "${roam_rooms_file}" lines REGEX "^[a-z_]+ = \\[[\"a-z_, ]*\\]$")
  list(TRANSFORM lines REPLACE " = .*$" "")
  set(${out} ${lines} PARENT_SCOPE)
endfunction()

# Makes the rooms of scripts/rooms.toml, without those APART.
function(roam_add_rooms)
  roam_make_rooms(OFF)
endfunction()
# The others, which may use roam::roam.
function(roam_add_rooms_apart)
  roam_make_rooms(ON)
endfunction()

function(roam_make_rooms are_apart)
  roam_names_of_rooms(rooms)
  foreach(room IN LISTS rooms)
    get_property(needs GLOBAL PROPERTY roam_needs_${room})
    cmake_parse_arguments(arg "APART" "" "PUBLIC;HEADERS" ${needs})
    if((arg_APART AND are_apart) OR (NOT arg_APART AND NOT are_apart))
      roam_room(${room} PUBLIC ${arg_PUBLIC} HEADERS ${arg_HEADERS})
    endif()
  endforeach()
endfunction()

function(roam_room room)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "PUBLIC;HEADERS")
  roam_sources(sources src/${room})
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/roam/${room}/*.hpp")
  if(NOT sources AND NOT headers)
    return()
  endif()
  roam_allowed_rooms(allowed ${room})
  set(used "")
  foreach(other IN LISTS allowed)
    if(TARGET roam_${other})
      list(APPEND used roam_${other})
    endif()
  endforeach()
  roam_library(${room} SOURCES ${sources} PUBLIC ${used} ${arg_PUBLIC}
               HEADERS ${arg_HEADERS})
endfunction()

# roam_back_end(<room>/<name> WHEN <target> ...): a part of a room that needs a library which may be
# missing; becomes roam_<room>_<name> and part of the umbrella if <target> exists.
function(roam_back_end folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "WHEN" "PUBLIC;PRIVATE;HEADERS;DEFINITIONS")
  get_filename_component(room ${folder} DIRECTORY)
  string(REPLACE "/" "_" name ${folder})
  roam_sources(sources src/${folder})
  if(NOT TARGET ${arg_WHEN} OR NOT sources)
    return()
  endif()
  roam_library(${name} SOURCES ${sources} PUBLIC roam_${room} ${arg_PUBLIC}
               PRIVATE ${arg_PRIVATE} HEADERS ${arg_HEADERS} DEFINITIONS ${arg_DEFINITIONS})
  set_property(GLOBAL APPEND PROPERTY roam_back_ends roam_${name})
endfunction()

# roam::pmpi: a shared library between a program and MPI, which knows nothing of the rest but how
# time is read.
function(roam_profiling_library)
  if(NOT TARGET MPI::MPI_C)
    return()
  endif()
  roam_sources(sources src/offload/pmpi)
  add_library(roam_pmpi SHARED ${sources} "${PROJECT_SOURCE_DIR}/src/core/clock.cpp")
  roam_own_target(roam_pmpi)
  target_include_directories(roam_pmpi PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                              $<INSTALL_INTERFACE:include>)
  target_compile_definitions(roam_pmpi PRIVATE ${ROAM_MPI_DEFINITIONS})
  target_compile_features(roam_pmpi PRIVATE cxx_std_20)
  target_link_libraries(roam_pmpi PUBLIC MPI::MPI_C PRIVATE ${CMAKE_DL_LIBS})
  # Its functions replace MPI's only if the linker keeps it, though a program asks it for nothing.
  target_link_options(roam_pmpi INTERFACE LINKER:--no-as-needed)
  set_target_properties(roam_pmpi PROPERTIES EXPORT_NAME pmpi)
  add_library(roam::pmpi ALIAS roam_pmpi)
  set_property(GLOBAL APPEND PROPERTY roam_installed_targets roam_pmpi)
endfunction()

# roam::roam: everything a program needs.
function(roam_umbrella)
  add_library(roam INTERFACE)
  add_library(roam::roam ALIAS roam)
  get_property(rooms GLOBAL PROPERTY roam_installed_targets)
  # The library alone, without tests and programs.
  add_custom_target(library DEPENDS ${rooms})
  list(FILTER rooms EXCLUDE REGEX "_archive$")
  target_link_libraries(roam INTERFACE ${rooms})
  target_include_directories(roam INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
  target_compile_features(roam INTERFACE cxx_std_20)
  # Libraries that a program loads take Roam from the program.
  target_link_options(roam INTERFACE
    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:LINKER:--export-dynamic>)
  set_property(GLOBAL APPEND PROPERTY roam_installed_targets roam)
endfunction()

# roam::plugin: Roam's headers without its libraries, for shared libraries that --roam-balancer,
# --roam-load-model and --roam-scheduler load.
function(roam_plugin_headers)
  add_library(roam_plugin INTERFACE)
  add_library(roam::plugin ALIAS roam_plugin)
  target_include_directories(roam_plugin INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
  target_link_libraries(roam_plugin INTERFACE cereal::cereal)
  target_compile_features(roam_plugin INTERFACE cxx_std_20)
  set_target_properties(roam_plugin PROPERTIES EXPORT_NAME plugin)
  set_property(GLOBAL APPEND PROPERTY roam_installed_targets roam_plugin)
endfunction()
