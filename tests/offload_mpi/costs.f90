! SPDX-License-Identifier: Apache-2.0
! Tasks whose costs are stated, from Fortran, on 2 ranks: rank 0 has more of them. Results are right, some are computed by
! the other rank, and a cost of 0 is refused.
module tasks_with_costs
  use roam_offload
  use, intrinsic :: iso_c_binding
  implicit none
contains
  ! buffers: how often, a value that is changed as often
  integer(c_int) function count_up(buffers, count) bind(C)
    type(roam_buffer), intent(in) :: buffers(*)
    integer(c_int), value :: count
    integer(c_int), pointer :: times
    real(c_double), pointer :: value
    integer :: i
    call c_f_pointer(buffers(1)%data, times)
    call c_f_pointer(buffers(2)%data, value)
    do i = 1, times
      value = value + 1 / (1 + value)
    end do
    count_up = count - 2
  end function
end module

program costs
  use mpi
  use tasks_with_costs
  implicit none
  integer, parameter :: most = 60
  character(kind=c_char, len=9) :: name = "count_up" // c_null_char
  integer(c_int), target :: times(most)
  real(c_double), target :: values(most), expected(most)
  type(roam_buffer) :: buffers(2)
  type(roam_counts) :: counts
  type(c_ptr) :: tasks
  character(len=256, kind=c_char) :: why
  integer :: ierror, provided, rank, step, i, k, wrong, all_wrong

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  wrong = 0
  if (roam_offload_init(MPI_COMM_WORLD, 1, tasks, why, 256_c_size_t) /= roam_success) call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  ierror = roam_offload_register(tasks, name, c_funloc(count_up))
  values = [(1d0 * i, i = 1, most)]
  expected = values
  do step = 1, 12
    do i = 1, merge(most, most / 6, rank == 0)
      times(i) = merge(200000, 20000, mod(i * (step + 3), 5) == 0)
      buffers = [roam_buffer(c_loc(times(i)), 4_c_size_t, roam_in), roam_buffer(c_loc(values(i)), 8_c_size_t, roam_inout)]
      if (roam_offload_spawn_with_cost(tasks, name, buffers, 2, 1d0 * times(i)) /= roam_success) wrong = wrong + 1
      do k = 1, times(i)
        expected(i) = expected(i) + 1 / (1 + expected(i))
      end do
    end do
    if (roam_offload_end_step(tasks, 0) /= roam_success) wrong = wrong + 1
  end do
  wrong = wrong + count(values /= expected)
  if (roam_offload_spawn_with_cost(tasks, name, buffers, 2, 0d0) == roam_success) wrong = wrong + 1
  if (index(roam_offload_error(tasks), "a cost of 0") == 0) wrong = wrong + 1
  ierror = roam_offload_statistics(tasks, counts)
  if (rank == 0 .and. counts%returned == 0) wrong = wrong + 1
  call MPI_Reduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
  if (rank == 0) print '(i0, a, i0, a)', all_wrong, " wrong, ", counts%returned, " computed by the other rank"
  ierror = roam_offload_finalize(tasks)
  call MPI_Finalize(ierror)
end program
