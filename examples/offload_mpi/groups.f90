! SPDX-License-Identifier: Apache-2.0
! Groups of tasks that need each other's results: each row is relaxed into a scratch row, which is then added to it. The
! scratch row is ROAM_INNER: if the group travels as one task, it does not travel.
module tasks_in_groups
  use roam_offload
  use, intrinsic :: iso_c_binding
  implicit none
  integer, parameter :: length = 2000
contains
  subroutine relax(from, to)
    real(c_double), intent(in) :: from(:)
    real(c_double), intent(out) :: to(:)
    integer :: i
    do i = 1, size(from)
      to(i) = 0.5d0 * from(i) + sqrt(abs(from(i)) + 1) / (1 + from(i)**2)
    end do
  end subroutine
  integer(c_int) function relax_task(buffers, count) bind(C)
    type(roam_buffer), intent(in) :: buffers(*)  ! a row, a scratch row
    integer(c_int), value :: count
    real(c_double), pointer :: row(:), scratch(:)
    call c_f_pointer(buffers(1)%data, row, [length])
    call c_f_pointer(buffers(2)%data, scratch, [length])
    call relax(row, scratch)
    relax_task = count - 2
  end function
  integer(c_int) function add_task(buffers, count) bind(C)
    type(roam_buffer), intent(in) :: buffers(*)  ! a scratch row, a row
    integer(c_int), value :: count
    real(c_double), pointer :: row(:), scratch(:)
    call c_f_pointer(buffers(1)%data, scratch, [length])
    call c_f_pointer(buffers(2)%data, row, [length])
    row = row + scratch
    add_task = count - 2
  end function
end module

program groups
  use mpi
  use tasks_in_groups
  implicit none
  character(kind=c_char, len=6), target :: relax_name = "relax" // c_null_char, add_name = "add" // c_null_char
  real(c_double), allocatable, target :: rows(:, :), scratch(:, :)
  real(c_double), allocatable :: expected(:, :), moved(:)
  type(roam_buffer), target :: first(2), second(2)
  type(roam_group_task) :: tasks_of_row(2)
  type(c_ptr) :: tasks
  integer(c_size_t) :: bytes
  integer :: ierror, provided, rank, step, row, i, wrong, all_wrong

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  tasks = roam_offload_start(MPI_COMM_WORLD, 1)
  ierror = roam_offload_register(tasks, relax_name, c_funloc(relax_task))
  ierror = roam_offload_register(tasks, add_name, c_funloc(add_task))
  allocate (rows(length, merge(60, 10, rank == 0)), moved(length))
  rows = reshape([(1d-3 * i, i = 1, size(rows))], shape(rows))
  allocate (expected, source=rows)
  allocate (scratch, source=rows)
  bytes = length * c_sizeof(1d0)
  do step = 1, 10
    do row = 1, size(rows, 2)
      first = [roam_buffer(c_loc(rows(1, row)), bytes, roam_in), roam_buffer(c_loc(scratch(1, row)), bytes, roam_inner)]
      second = [roam_buffer(c_loc(scratch(1, row)), bytes, roam_in), roam_buffer(c_loc(rows(1, row)), bytes, roam_inout)]
      tasks_of_row = [roam_group_task(c_loc(relax_name), c_loc(first), 2), roam_group_task(c_loc(add_name), c_loc(second), 2)]
      ierror = roam_offload_spawn_group(tasks, tasks_of_row, 2, merge(roam_by_data, roam_apart, step <= 5))
      call relax(expected(:, row), moved)
      expected(:, row) = expected(:, row) + moved
    end do
    ierror = roam_offload_end_step(tasks, 0)
  end do
  wrong = count(rows /= expected)
  call MPI_Reduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
  if (rank == 0) print '(i0, a)', all_wrong, " wrong"
  ierror = roam_offload_finalize(tasks)
  call MPI_Finalize(ierror)
end program
