// SPDX-License-Identifier: Apache-2.0
#include "buffer_watch.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "c_buffers.hpp"

namespace roam::offload {

namespace {

const char* name_of(roam_access access) {
  switch (access) {
    case ROAM_IN:
      return "ROAM_IN";
    case ROAM_OUT:
      return "ROAM_OUT";
    case ROAM_INOUT:
      return "ROAM_INOUT";
    case ROAM_INNER:
      return "ROAM_INNER";
    case ROAM_LENT:
      return "ROAM_LENT";
  }
  return "for its group alone";
}

// False if a part of it is in no memory of the process. Reading it would end the program then.
bool is_mapped(const roam_buffer& buffer) {
  if (buffer.bytes == 0) return true;
  constexpr std::size_t pages_at_a_time = 1024;
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(buffer.data);
  const std::uintptr_t end = begin + buffer.bytes;
  std::array<unsigned char, pages_at_a_time> residence{};
  for (std::uintptr_t at = begin / page * page; at < end; at += pages_at_a_time * page) {
    const std::size_t length = std::min<std::uintptr_t>(pages_at_a_time * page, end - at);
    auto* const address = static_cast<std::byte*>(buffer.data) - (begin - at);
    if (mincore(address, length, residence.data()) != 0) return false;
  }
  return true;
}

std::uint64_t checksum_of(const roam_buffer& buffer) {
  constexpr std::uint64_t factor = 0x9e3779b97f4a7c15;
  constexpr int shift = 29;
  const auto* bytes = static_cast<const std::byte*>(buffer.data);
  std::uint64_t sum = buffer.bytes;
  for (std::size_t at = 0; at < buffer.bytes; at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + at, std::min(sizeof word, buffer.bytes - at));
    sum = std::rotl((sum ^ word) * factor, shift);
  }
  return sum;
}

}  // namespace

std::string describe_buffer(const std::string& task, std::size_t number, int rank,
                            const roam_buffer& buffer) {
  return "buffer " + std::to_string(number) + " of task \"" + task + "\" of rank " +
         std::to_string(rank) + " (" + name_of(buffer.access) + ", " +
         std::to_string(buffer.bytes) + " bytes)";
}

void BufferWatch::remember(const std::vector<roam_buffer>& buffers) {
  checksums_.clear();
  for (const roam_buffer& one : buffers)
    checksums_.push_back(is_mapped(one) ? checksum_of(one) : 0);
}

template <class Counts>
BufferWatch::Finding BufferWatch::compare_if(const std::vector<roam_buffer>& buffers,
                                             Counts counts) const {
  for (std::size_t i = 0; i < checksums_.size(); ++i) {
    if (!counts(static_cast<std::uint8_t>(buffers[i].access))) continue;
    if (!is_mapped(buffers[i])) return {i, "is in no memory any more; it was freed"};
    if (checksum_of(buffers[i]) != checksums_[i]) return {i, "was changed or freed"};
  }
  return {};
}

BufferWatch::Finding BufferWatch::compare(const std::vector<roam_buffer>& buffers) const {
  return compare_if(buffers, [](std::uint8_t) { return true; });
}

BufferWatch::Finding BufferWatch::compare_inputs(const std::vector<roam_buffer>& buffers) const {
  return compare_if(buffers,
                    [](std::uint8_t access) { return is_input(access) && !is_output(access); });
}

void LentWatch::add(const std::string& task, int rank, const std::vector<roam_buffer>& buffers) {
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].access != ROAM_LENT) continue;
    Lent lent{describe_buffer(task, i, rank, buffers[i]), {buffers[i]}, {}};
    lent.watch.remember(lent.buffer);
    const std::lock_guard guard(mutex_);
    lent_.push_back(std::move(lent));
  }
}

std::string LentWatch::end_step() {
  std::vector<Lent> lent;
  {
    const std::lock_guard guard(mutex_);
    lent = std::exchange(lent_, {});
  }
  for (const Lent& one : lent) {
    if (const char* const what = one.watch.compare(one.buffer).what; what != nullptr)
      return one.description + " " + what + " before the end of the step";
  }
  return {};
}

}  // namespace roam::offload
