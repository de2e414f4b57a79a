// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace support {

/// The processes of MPI_COMM_WORLD as a grid of D dimensions, as MPI_Dims_create has it; the last
/// coordinate varies fastest.
template <int D>
class RankGrid {
 public:
  RankGrid() {
    std::array<int, D> dims{};
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Dims_create(size_, D, dims.data());
    int left = rank_;
    for (std::size_t d = D; d-- > 0;) {
      extent_[d] = dims[d];
      at_[d] = left % dims[d];
      left /= dims[d];
    }
  }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] const std::array<std::int64_t, D>& extent() const { return extent_; }
  /// This process's coordinates.
  [[nodiscard]] const std::array<std::int64_t, D>& at() const { return at_; }
  /// The process so many steps on in direction d, on a periodic grid.
  [[nodiscard]] int neighbour(int d, int step) const {
    std::int64_t number = 0;
    for (std::size_t e = 0; e < D; ++e) {
      std::int64_t place = at_[e];
      if (e == static_cast<std::size_t>(d)) place = (place + step + extent_[e]) % extent_[e];
      number = number * extent_[e] + place;
    }
    return static_cast<int>(number);
  }

 private:
  int size_ = 0;
  int rank_ = 0;
  std::array<std::int64_t, D> extent_{};
  std::array<std::int64_t, D> at_{};
};

/// Messages of any number of plain values (T) to and from other processes.
template <class T>
class Mail {
 public:
  Mail() = default;
  Mail(const Mail&) = delete;
  Mail& operator=(const Mail&) = delete;
  ~Mail() {
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }

  /// Sends them; they must stay as they are until finish().
  void send(const std::vector<T>& values, int to, int tag) {
    const std::size_t bytes = values.size() * sizeof(T);
    if (bytes > 0x7fffffff) throw std::runtime_error("a message of more than 2 GiB");
    MPI_Isend(values.data(), static_cast<int>(bytes), MPI_BYTE, to, tag, MPI_COMM_WORLD,
              &requests_.emplace_back());
  }
  /// Waits for a message and replaces the values by its content.
  void receive(std::vector<T>& values, int from, int tag) {
    MPI_Status status;
    int bytes = 0;
    MPI_Probe(from, tag, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    values.resize(static_cast<std::size_t>(bytes) / sizeof(T));
    MPI_Recv(values.data(), bytes, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  /// Waits until all that has been sent may be changed.
  void finish() {
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    requests_.clear();
  }

 private:
  std::vector<MPI_Request> requests_;
};

}  // namespace support
