// SPDX-License-Identifier: Apache-2.0
/* The strategy "half": of rank 0's tasks as many as are said go to rank 1 in each step, however
 * long they took there; those of the library send fewer to a rank that a busy machine delays. */
#ifndef ROAM_TESTS_OFFLOAD_MPI_HALF_H
#define ROAM_TESTS_OFFLOAD_MPI_HALF_H

#include <roam/offload.h>
#include <stdlib.h>

static uint32_t tasks_of_half = 0;

static void decide_half(void* state, const roam_step_view* step, roam_quotas* quotas) {
  (void)state;
  (void)step;
  roam_offload_add_quota(quotas, 0, 1, tasks_of_half);
}

/* Makes it the strategy of what is begun from now on. Returns whether that is possible. */
static int use_half(uint32_t tasks) {
  const roam_strategy strategy = {.description = "half of rank 0's tasks", .decide = decide_half};
  tasks_of_half = tasks;
  setenv("ROAM_OFFLOAD", "half", 1);
  return roam_offload_register_strategy("half", &strategy, NULL, 0) == ROAM_SUCCESS;
}

#endif
