! SPDX-License-Identifier: Apache-2.0
! Rank 0 has three times as many rows as the others, which compute some of them for it in each step.
module work
  use, intrinsic :: iso_c_binding
  use roam_offload
  implicit none
  integer, parameter :: row_length = 5000, steps = 8
contains
  ! buffers: a row, which is replaced
  integer(c_int) function relax(buffers, count) bind(C)
    type(roam_buffer), intent(in) :: buffers(*)
    integer(c_int), value :: count
    real(c_double), pointer :: row(:)
    integer :: sweep, i
    relax = 1
    if (count /= 1) return
    call c_f_pointer(buffers(1)%data, row, [row_length])
    do sweep = 1, 30
      do i = 2, row_length - 1
        row(i) = (row(i - 1) + row(i) + row(i + 1)) / 3
      end do
    end do
    relax = 0
  end function
end module

program with_roam
  use, intrinsic :: iso_c_binding
  use mpi
  use roam_offload
  use work
  implicit none
  real(c_double), allocatable, target :: rows(:, :)
  character(kind=c_char) :: why(512)
  type(c_ptr) :: tasks
  type(roam_buffer) :: buffers(1)
  type(roam_counts) :: counts
  integer :: ierror, provided, rank, step, row, i
  real(c_double) :: total, all

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  if (roam_offload_init(MPI_COMM_WORLD, 1, tasks, why, size(why, kind=c_size_t)) /= roam_success) stop 1
  if (roam_offload_register(tasks, "relax" // c_null_char, c_funloc(relax)) /= roam_success) stop 1

  allocate (rows(row_length, merge(60, 20, rank == 0)))
  do row = 1, size(rows, 2)
    rows(:, row) = [(real(mod(i * 7919 + row, 1000), c_double), i = 1, row_length)]
  end do
  do step = 1, steps
    do row = 1, size(rows, 2)
      buffers(1) = roam_buffer(c_loc(rows(1, row)), row_length * c_sizeof(rows(1, 1)), roam_inout)
      if (roam_offload_spawn(tasks, "relax" // c_null_char, buffers, 1) /= roam_success) stop 1
    end do
    if (roam_offload_end_step(tasks, 0) /= roam_success) then
      print *, roam_offload_error(tasks)
      call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
    end if
  end do

  total = sum(rows)
  call MPI_Reduce(total, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
  if (roam_offload_statistics(tasks, counts) /= roam_success) stop 1
  if (rank == 0) print '(a, f0.6, a, i0, a, i0, a)', "sum ", all, ", ", counts%returned, " of ", &
    counts%spawned, " tasks computed by others"
  if (roam_offload_finalize(tasks) /= roam_success) stop 1
  call MPI_Finalize(ierror)
end program
