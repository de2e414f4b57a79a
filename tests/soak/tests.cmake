# SPDX-License-Identifier: Apache-2.0
# Programs for long runs by hand (make soak), run here for a short while; included by
# tests/CMakeLists.txt.

roam_program(soak_flood SOURCES "${CMAKE_CURRENT_SOURCE_DIR}/soak/flood.cpp")

# A1 and A2 only, no limit to the memory: flow control (A3) bounds what is unsent, not yet what has
# arrived and waits for a worker. `make soak` checks the limit.
roam_add_test(NAME soak.flood LABELS soak PROCESSORS 2
              COMMAND soak_flood 200000 0 1000 --roam-ranks=2 --roam-workers=1 --roam-high-water=64KiB)
if(TARGET roam_transport_mpi)
  roam_mpi_test(NAME soak.flood_mpi EXE soak_flood RANKS 2
                ARGS 200000 0 1000 --roam-workers=1 --roam-high-water=64KiB)
endif()
