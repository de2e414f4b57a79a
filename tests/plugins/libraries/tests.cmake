# SPDX-License-Identifier: Apache-2.0
# The shared libraries that the tests load, in a process of its own: what they register stays.
foreach(kind good twice other_interface other_layout other_compiler empty unregistered unresolved no_symbol
             unnamed several transport offloader tasks)
  roam_plugin_library(test_plugin_${kind} "${CMAKE_CURRENT_LIST_DIR}/library.cpp")
  string(TOUPPER ${kind} macro)
  target_compile_definitions(test_plugin_${kind} PRIVATE ROAM_PLUGIN_${macro})
  add_dependencies(test_plugins test_plugin_${kind})
endforeach()
target_compile_definitions(test_plugins PRIVATE
                           "ROAM_TEST_PLUGINS=\"$<TARGET_FILE_DIR:test_plugin_good>\"")

# One by Clang, which is refused.
find_program(CLANG_PROGRAM NAMES clang++ clang++-14 DOC "A second compiler for some of the tests")
mark_as_advanced(CLANG_PROGRAM)
if(CLANG_PROGRAM AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND ROAM_SANITIZE STREQUAL "none")
  set(library "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/libtest_plugin_clang.so")
  set(includes $<TARGET_PROPERTY:roam_plugin,INTERFACE_INCLUDE_DIRECTORIES>)
  add_custom_command(OUTPUT "${library}" VERBATIM COMMAND_EXPAND_LISTS
    DEPENDS "${CMAKE_CURRENT_LIST_DIR}/library.cpp"
    COMMAND "${CLANG_PROGRAM}" -std=c++20 -shared -fPIC -DROAM_PLUGIN_GOOD
            -DROAM_PLUGIN_OF_CLANG "-I$<JOIN:${includes},;-I>"
            "${CMAKE_CURRENT_LIST_DIR}/library.cpp" -o "${library}")
  add_custom_target(test_plugin_clang DEPENDS "${library}")
  add_dependencies(test_plugins test_plugin_clang)
  target_compile_definitions(test_plugins PRIVATE ROAM_TEST_PLUGIN_CLANG)
endif()
