# SPDX-License-Identifier: Apache-2.0
# Programs for long runs by hand (make soak), run here for a short while; included by
# tests/CMakeLists.txt.

roam_program(soak_flood SOURCES "${CMAKE_CURRENT_SOURCE_DIR}/soak/flood.cpp")
roam_use_program_headers(soak_flood)
roam_program(soak_slow_receiver SOURCES "${CMAKE_CURRENT_SOURCE_DIR}/soak/slow_receiver.cpp")
roam_use_program_headers(soak_slow_receiver)

# A limit to the memory means nothing under a sanitizer, which keeps what has been freed.
set(limit 64)
set(small_limit 40)
set(count 1500000)
if(NOT ROAM_SANITIZE STREQUAL "none")
  set(limit 0)
  set(small_limit 0)
  set(count 100000)
endif()

# Handlers run only once all has been sent (0), or now and then (1000).
foreach(burst IN ITEMS 0 1000)
  roam_add_test(NAME soak.flood_${burst} LABELS soak PROCESSORS 2
                COMMAND soak_flood ${count} ${limit} ${burst} --roam-ranks=2 --roam-workers=1)
  if(TARGET roam_transport_mpi)
    roam_mpi_test(NAME soak.flood_mpi_${burst} EXE soak_flood RANKS 2
                  ARGS ${count} ${limit} ${burst} --roam-workers=1)
  endif()
endforeach()

# Unbounded, 64 MiB would wait on either side.
set(marks --roam-high-water=4MiB --roam-receive-memory=4MiB)
roam_add_test(NAME soak.slow_receiver LABELS soak PROCESSORS 2
              COMMAND soak_slow_receiver 60000 ${small_limit} 900 20 --roam-ranks=2
                      --roam-workers=1 ${marks})
if(TARGET roam_transport_mpi)
  roam_mpi_test(NAME soak.slow_receiver_mpi EXE soak_slow_receiver RANKS 2
                ARGS 8000 ${small_limit} 8000 50 --roam-workers=1 ${marks})
endif()

# Simulated schedules of the protocols, each another; ten minutes of them by hand.
roam_program(soak_schedules
             SOURCES "${CMAKE_CURRENT_SOURCE_DIR}/soak/schedules.cpp"
                     "${CMAKE_CURRENT_SOURCE_DIR}/balance/topology_scenario.cpp"
                     "${CMAKE_CURRENT_SOURCE_DIR}/mobile/chaos_scenario.cpp"
                     "${CMAKE_CURRENT_SOURCE_DIR}/offload/chaos_scenario.cpp"
                     "${CMAKE_CURRENT_SOURCE_DIR}/flow/chaos_scenario.cpp"
                     "${CMAKE_CURRENT_SOURCE_DIR}/flow/random_collections.cpp"
                     "${CMAKE_CURRENT_SOURCE_DIR}/flow/random_program.cpp"
             LINK roam::testing)
roam_use_program_headers(soak_schedules)
target_include_directories(soak_schedules PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/src")
roam_add_test(NAME soak.schedules LABELS soak PROCESSORS 2 COMMAND soak_schedules 5 2)
