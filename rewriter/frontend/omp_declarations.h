// omp_declarations.h - OpenMP's interface without an OpenMP
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Served as <omp.h> where Clang finds none: host compilers keep theirs in
// folders of their own. Pragmas are ignored, so the calls are all there is.

#ifndef BANKSTRIPE_OMP_DECLARATIONS_H
#define BANKSTRIPE_OMP_DECLARATIONS_H
#pragma clang system_header

typedef struct omp_lock_t {
  void *Opaque;
} omp_lock_t;
typedef struct omp_nest_lock_t {
  void *Opaque;
} omp_nest_lock_t;

// clang-format off
enum omp_sched_t {
  omp_sched_static = 1, omp_sched_dynamic, omp_sched_guided, omp_sched_auto
};

#define BS_CALL(Result, Name)                                                  \
  template <class... Arguments> Result Name(Arguments...);
BS_CALL(void, omp_set_num_threads) BS_CALL(int, omp_get_num_threads)
BS_CALL(int, omp_get_max_threads) BS_CALL(int, omp_get_thread_num)
BS_CALL(int, omp_get_num_procs) BS_CALL(int, omp_in_parallel)
BS_CALL(void, omp_set_dynamic) BS_CALL(int, omp_get_dynamic)
BS_CALL(void, omp_set_nested) BS_CALL(int, omp_get_nested)
BS_CALL(void, omp_set_schedule) BS_CALL(void, omp_get_schedule)
BS_CALL(int, omp_get_thread_limit) BS_CALL(void, omp_set_max_active_levels)
BS_CALL(int, omp_get_max_active_levels) BS_CALL(int, omp_get_level)
BS_CALL(int, omp_get_active_level) BS_CALL(int, omp_get_team_size)
BS_CALL(int, omp_get_ancestor_thread_num) BS_CALL(double, omp_get_wtime)
BS_CALL(double, omp_get_wtick) BS_CALL(int, omp_get_num_devices)
BS_CALL(int, omp_get_default_device) BS_CALL(void, omp_set_default_device)
BS_CALL(int, omp_is_initial_device) BS_CALL(void, omp_init_lock)
BS_CALL(void, omp_destroy_lock) BS_CALL(void, omp_set_lock)
BS_CALL(void, omp_unset_lock) BS_CALL(int, omp_test_lock)
BS_CALL(void, omp_init_nest_lock) BS_CALL(void, omp_destroy_nest_lock)
BS_CALL(void, omp_set_nest_lock) BS_CALL(void, omp_unset_nest_lock)
BS_CALL(int, omp_test_nest_lock)
#undef BS_CALL
// clang-format on

#endif
