# SPDX-License-Identifier: Apache-2.0
# The shared libraries that the tests load, in a process of its own: what they register stays.
foreach(kind good twice other_interface other_layout empty unregistered unresolved no_symbol)
  roam_plugin_library(test_plugin_${kind} "${CMAKE_CURRENT_LIST_DIR}/library.cpp")
  string(TOUPPER ${kind} macro)
  target_compile_definitions(test_plugin_${kind} PRIVATE ROAM_PLUGIN_${macro})
  add_dependencies(test_plugins test_plugin_${kind})
endforeach()
set_property(SOURCE "${CMAKE_CURRENT_SOURCE_DIR}/plugins/library_test.cpp"
             "${CMAKE_CURRENT_SOURCE_DIR}/plugins/load_model_library_test.cpp" APPEND PROPERTY
             COMPILE_DEFINITIONS "ROAM_TEST_PLUGINS=\"$<TARGET_FILE_DIR:test_plugin_good>\"")
