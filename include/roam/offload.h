// SPDX-License-Identifier: Apache-2.0
#ifndef ROAM_OFFLOAD_H
#define ROAM_OFFLOAD_H

/* The C interface to offloading, for programs: see docs/offloading_mpi.md. */
#include "roam/offload/mpi/offload.h"
#include "roam/offload/mpi/strategy.h"

#endif
