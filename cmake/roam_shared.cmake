# SPDX-License-Identifier: Apache-2.0
# With ROAM_BUILD_SHARED: roam::shared, all of roam::roam in one shared library, for programs that are to be
# small or quickly linked. Whoever links it links none of the other targets but roam::testing.
function(roam_shared_library)
  if(NOT ROAM_BUILD_SHARED)
    return()
  endif()
  set(source "${CMAKE_CURRENT_BINARY_DIR}/roam_shared.cpp")  # nothing of its own
  file(CONFIGURE OUTPUT "${source}" CONTENT "// All that is in this library comes from the rooms.\n")
  add_library(roam_shared SHARED "${source}")
  add_library(roam::shared ALIAS roam_shared)
  target_link_libraries(roam_shared PRIVATE $<BUILD_INTERFACE:roam> PUBLIC cereal::cereal Threads::Threads)
  if(TARGET roam_transport_mpi)
    target_link_libraries(roam_shared PUBLIC MPI::MPI_C)
    target_compile_definitions(roam_shared PUBLIC ${ROAM_MPI_DEFINITIONS})
  endif()
  target_include_directories(roam_shared PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
  target_compile_features(roam_shared PUBLIC cxx_std_20)
  # Before 1.0 every minor version may change the interface.
  set_target_properties(roam_shared PROPERTIES OUTPUT_NAME roam EXPORT_NAME shared VERSION ${PROJECT_VERSION}
                        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  set_property(GLOBAL APPEND PROPERTY roam_installed_targets roam_shared)
endfunction()
