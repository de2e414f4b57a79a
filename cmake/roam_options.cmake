# SPDX-License-Identifier: Apache-2.0
# Options of the build. Every ROAM_... cache variable is declared here or the configure step fails.

# roam_switch(<name> <default> <help>): an ON/OFF option.
function(roam_switch name default help)
  option(${name} "${help}" ${default})
  set_property(GLOBAL APPEND PROPERTY roam_declared_options ${name})
endfunction()

# roam_choice(<name> <default> <help> <value>...): one of the listed values.
function(roam_choice name default help)
  string(REPLACE ";" ", " allowed "${ARGN}")
  set(${name} "${default}" CACHE STRING "${help} (${allowed})")
  set_property(CACHE ${name} PROPERTY STRINGS ${ARGN})
  set_property(GLOBAL APPEND PROPERTY roam_declared_options ${name})
  if(NOT "${${name}}" IN_LIST ARGN)
    set(found "${${name}}")
    unset(${name} CACHE)
    message(FATAL_ERROR "${name}=${found} is not valid; allowed are: ${allowed}")
  endif()
endfunction()

# Fails on -DROAM_<typing error>=... and forgets it, so that the next configure starts clean.
function(roam_reject_unknown_options)
  get_property(declared GLOBAL PROPERTY roam_declared_options)
  get_cmake_property(cached CACHE_VARIABLES)
  list(FILTER cached INCLUDE REGEX "^(ROAM|Roam|roam)_")
  # project(roam) itself leaves these in the cache.
  list(REMOVE_ITEM cached ${declared} roam_BINARY_DIR roam_SOURCE_DIR roam_IS_TOP_LEVEL)
  # What the roam package leaves in the cache of a program that also builds Roam from source.
  list(REMOVE_ITEM cached roam_DIR)
  if(cached)
    foreach(name IN LISTS cached)
      unset(${name} CACHE)
    endforeach()
    list(JOIN cached ", " unknown)
    list(SORT declared)
    list(JOIN declared "\n  " known)
    message(FATAL_ERROR "Unknown option: ${unknown}\nRoam's options are:\n  ${known}")
  endif()
endfunction()
