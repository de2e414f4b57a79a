# SPDX-License-Identifier: Apache-2.0
# roam.pc, for programs that are built without CMake:
#   c++ -std=c++20 main.cpp $(pkg-config --cflags --libs roam)
#
# The archives stand in one linker option, whole: what registers itself (transports, policies,
# schedulers) is referred to by nobody, and pkg-config may reorder options but does not divide one.

set(archives "")
get_property(targets GLOBAL PROPERTY roam_installed_targets)
foreach(target IN LISTS targets)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "STATIC_LIBRARY" AND NOT target MATCHES "^roam_testing")
    string(REGEX REPLACE "_archive$" "" name "${target}")
    list(APPEND archives "\${libdir}/lib${name}.a")
  endif()
endforeach()
list(JOIN archives "," archives)

set(flags "")
set(libraries "-pthread")
if(CMAKE_DL_LIBS)
  set(libraries "-pthread -l${CMAKE_DL_LIBS}")
endif()
set(required "")
if(TARGET roam_transport_mpi)
  foreach(folder IN LISTS MPI_C_INCLUDE_DIRS)
    string(APPEND flags " -I${folder}")
  endforeach()
  foreach(definition IN LISTS ROAM_MPI_DEFINITIONS)
    string(APPEND flags " -D${definition}")
  endforeach()
  list(JOIN MPI_C_LIBRARIES " " mpi_libraries)
  string(APPEND libraries " ${mpi_libraries}")
endif()
if(TARGET roam_transport_ucx)
  set(required "ucx")
  if(roam_pmix)
    string(APPEND required ", pmix")
  endif()
endif()
foreach(library IN LISTS roam_scotch_libraries roam_brotli_libraries roam_hwloc_libraries
        roam_tbb_libraries roam_openmp_libraries roam_starpu_libraries
        roam_yaml_libraries)
  if(IS_ABSOLUTE "${library}")
    string(APPEND libraries " ${library}")
  else()
    string(APPEND libraries " -l${library}")
  endif()
endforeach()

file(RELATIVE_PATH prefix "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/roam.pc" "prefix=\${pcfiledir}/${prefix}
libdir=\${prefix}/${CMAKE_INSTALL_LIBDIR}
includedir=\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}

Name: roam
Description: ${PROJECT_DESCRIPTION}
Version: ${PROJECT_VERSION}
Requires: ${required}
Cflags: -I\${includedir}${flags}
Libs: -Wl,--export-dynamic -Wl,--whole-archive,${archives},--no-whole-archive ${libraries}
")
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/roam.pc"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

# The same with the shared library: $(pkg-config --cflags --libs roam-shared)
if(TARGET roam_shared)
  file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/roam-shared.pc" "prefix=\${pcfiledir}/${prefix}
libdir=\${prefix}/${CMAKE_INSTALL_LIBDIR}
includedir=\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}

Name: roam-shared
Description: ${PROJECT_DESCRIPTION}
Version: ${PROJECT_VERSION}
Cflags: -I\${includedir}${flags}
Libs: -L\${libdir} -lroam -pthread
")
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/roam-shared.pc"
          DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endif()
