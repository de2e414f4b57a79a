# SPDX-License-Identifier: Apache-2.0
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/roam")
get_property(targets GLOBAL PROPERTY roam_installed_targets)
install(TARGETS ${targets} EXPORT roam-targets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(EXPORT roam-targets NAMESPACE roam:: DESTINATION "${package_dir}")
if(EXISTS "${PROJECT_SOURCE_DIR}/include/roam")
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/roam" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
          FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h" PATTERN "*.f90")
endif()
install(PROGRAMS "${PROJECT_SOURCE_DIR}/tools/roam" TYPE BIN)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/tools/roam_report" DESTINATION share/roam/tools
        FILES_MATCHING PATTERN "*.py")
foreach(tool roam-balance roam-calibrate roam-topology roam-map)
  if(TARGET ${tool})
    install(TARGETS ${tool} RUNTIME OPTIONAL)  # some builds leave the programs out
  endif()
endforeach()
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/README.md"
              "${PROJECT_SOURCE_DIR}/CHANGELOG.md" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" DESTINATION "${CMAKE_INSTALL_DOCDIR}"
        FILES_MATCHING PATTERN "*.md" PATTERN "*.png")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples" DESTINATION "${CMAKE_INSTALL_DOCDIR}"
        FILES_MATCHING PATTERN "*.cpp" PATTERN "*.toml")

set(roam_has_mpi OFF)
if(TARGET roam_transport_mpi)
  set(roam_has_mpi ON)
endif()
set(roam_has_ucx OFF)
if(TARGET roam_transport_ucx)
  set(roam_has_ucx ON)
endif()
set(roam_has_pmix OFF)
if(roam_has_ucx AND roam_pmix)
  set(roam_has_pmix ON)
endif()
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/roam-config.cmake.in" roam-config.cmake
                              INSTALL_DESTINATION "${package_dir}"
                              NO_SET_AND_CHECK_MACRO)
include(roam_pkg_config)

# Before 1.0 every minor version may change the interface.
write_basic_package_version_file(roam-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/roam-config.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/roam-config-version.cmake"
        DESTINATION "${package_dir}")
