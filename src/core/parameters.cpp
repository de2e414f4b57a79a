// SPDX-License-Identifier: Apache-2.0
#include "roam/core/detail/parameters.hpp"

#include <algorithm>

#include "roam/core/detail/argument_check.hpp"
#include "roam/core/error.hpp"

namespace roam::core {

void write_whole(Packer& packer, std::span<const std::byte> arguments,
                 const Attachment& attachment) {
  const std::size_t behind = std::min(attachment.bytes_behind, arguments.size());
  const std::size_t place = attachment.data ? arguments.size() - behind : arguments.size();
  packer.write(arguments.data(), place);
  packer.write(attachment.data.data(), attachment.data.size());
  packer.write(arguments.data() + place, arguments.size() - place);
}

void detail::throw_wrong_count() {
  throw MalformedMessage("an array does not have the elements that the message announces");
}

void detail::throw_cannot_arrive() { throw MalformedMessage("no such arguments can travel"); }

void throw_too_long() { throw MalformedMessage("the message is longer than the arguments"); }

void throw_wrong_arguments(ArgumentCheck check, const PackedArguments& packed, const char* why) {
  const std::string wrong = check == nullptr ? std::string() : check(packed);
  throw MalformedMessage(wrong.empty() ? why : wrong);
}

void detail::ArgumentSearch::compare(std::string_view type, std::size_t read, std::size_t written) {
  if (read == written) return;
  found(type, "its load has read " + std::to_string(read) + " bytes, its save writes " +
                  std::to_string(written));
}

void detail::ArgumentSearch::skip_array(bool is_view, std::size_t element_bytes) {
  std::uint64_t word = 0;
  bytes_.read(&word, sizeof word);
  if (is_view) {
    static_cast<void>(bytes_.view(static_cast<std::size_t>(word >> padding_shift)));
    word &= count_mask;
  }
  if (bytes_.remaining() == bytes_behind_) return;
  if (word > bytes_.remaining() / element_bytes) throw_wrong_count();
  static_cast<void>(bytes_.view(static_cast<std::size_t>(word) * element_bytes));
}

void detail::ArgumentSearch::found(std::string_view type, const std::string& what) {
  result_ = "argument " + std::to_string(number_) + ", " + std::string(type) + ": " + what;
  is_over_ = true;
}

}  // namespace roam::core
