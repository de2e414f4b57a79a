// SPDX-License-Identifier: Apache-2.0
#include "roam/core/error.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>

namespace roam {

namespace {

constexpr std::uint64_t mib = 1024 * 1024;

// The memory of this process, as a text for the end of a message: "; this process has 900 MiB of
// address space, its limit (ulimit -v) is 1024 MiB". What the system does not tell is left out.
std::string memory_of_this_process() {
  std::uint64_t pages = 0;
  if (std::FILE* const file = std::fopen("/proc/self/statm", "r")) {
    unsigned long long first = 0;
    if (std::fscanf(file, "%llu", &first) == 1) pages = first;
    std::fclose(file);
  }
  if (pages == 0) return {};
  const std::uint64_t used = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) / mib;
  std::string text = "; this process has " + std::to_string(used) + " MiB of address space";
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    text += ", its limit (ulimit -v) is " + std::to_string(limit.rlim_cur / mib) + " MiB";
  return text;
}

}  // namespace

OutOfMemory::OutOfMemory(std::size_t bytes, const char* purpose) noexcept {
  std::snprintf(text_.data(), text_.size(), "out of memory: %zu bytes for %s", bytes, purpose);
}

std::string words_of(const std::exception_ptr& error) {
  std::string words;
  try {
    std::rethrow_exception(error);
  } catch (const OutOfMemory& known) {
    words = known.what() + memory_of_this_process();
  } catch (const std::bad_alloc& known) {
    words = std::string("out of memory (") + known.what() + ")" + memory_of_this_process();
  } catch (const std::exception& known) {
    words = known.what();
  } catch (...) {
    return "an exception that is not a std::exception";
  }
  return words.empty() ? "an exception without words" : words;
}

}  // namespace roam
