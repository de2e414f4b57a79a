# SPDX-License-Identifier: Apache-2.0
# Target docs: the reference of the public headers, in docs/html of the build folder, not part of all.
# Without Doxygen the target says what to install, and fails.
if(PROJECT_IS_TOP_LEVEL)
  find_program(roam_python NAMES python3 NO_CACHE)
  if(roam_python)
    add_custom_target(docs USES_TERMINAL
      COMMAND "${roam_python}" "${PROJECT_SOURCE_DIR}/scripts/api_reference" html
              "${CMAKE_CURRENT_BINARY_DIR}/docs"
      COMMENT "API reference of the public headers")
  endif()
endif()
