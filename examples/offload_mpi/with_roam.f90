! SPDX-License-Identifier: Apache-2.0
! plain.f90 with its rows as tasks, which ranks that would wait compute for rank 0.
module tasks_of_rows
  use rows_of_numbers
  use roam_offload
contains
  integer(c_int) function relax_task(buffers, count) bind(C)
    type(roam_buffer), intent(in) :: buffers(*)  ! a row
    integer(c_int), value :: count
    real(c_double), pointer :: row(:)
    call c_f_pointer(buffers(1)%data, row, [row_length])
    call relax(row)
    relax_task = count - 1
  end function
end module

program with_roam
  use mpi
  use rows_of_numbers
  use tasks_of_rows
  implicit none
  real(c_double), allocatable, target :: rows(:, :)
  integer :: ierror, provided, rank, step, row
  real(c_double) :: total, all
  type(c_ptr) :: tasks

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  tasks = roam_offload_start(MPI_COMM_WORLD, 1)
  ierror = roam_offload_register(tasks, "relax" // c_null_char, c_funloc(relax_task))
  rows = first_rows(rank)
  do step = 1, steps
    do row = 1, size(rows, 2)
      ierror = roam_offload_spawn(tasks, "relax" // c_null_char, &
        [roam_buffer(c_loc(rows(1, row)), row_length * c_sizeof(total), roam_inout)], 1)
    end do
    ierror = roam_offload_end_step(tasks, 0)
  end do

  total = sum(rows)
  call MPI_Reduce(total, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
  if (rank == 0) print '(a, f0.6)', "sum ", all
  ierror = roam_offload_finalize(tasks)
  call MPI_Finalize(ierror)
end program
