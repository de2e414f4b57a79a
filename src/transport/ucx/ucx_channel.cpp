// SPDX-License-Identifier: Apache-2.0
#include "transport/ucx/ucx_channel.hpp"

#include <charconv>
#include <string_view>

#include "roam/core/error.hpp"

namespace roam::transport {

namespace {

constexpr char separator = '\n';

// What a process tells the other processes about itself.
struct Introduction {
  ProcessPlace place;
  std::string address;
};

std::string pack(const Introduction& mine) {
  return mine.place.machine + separator + mine.place.processes + separator +
         std::to_string(mine.place.process) + separator + mine.place.host + separator +
         mine.address;
}

// Removes the text up to and including the next separator, and returns it without the separator.
std::string_view take_field(std::string_view& text, std::int32_t rank) {
  const std::size_t end = text.find(separator);
  if (end == std::string_view::npos) {
    throw Error("rank " + std::to_string(rank) +
                " introduced itself in a way this program does not understand: are all processes "
                "of the job the same program?");
  }
  const std::string_view field = text.substr(0, end);
  text.remove_prefix(end + 1);
  return field;
}

Introduction unpack(std::string_view text, std::int32_t rank) {
  Introduction theirs;
  theirs.place.machine = take_field(text, rank);
  theirs.place.processes = take_field(text, rank);
  const std::string_view number = take_field(text, rank);
  std::from_chars(number.data(), number.data() + number.size(), theirs.place.process);
  theirs.place.host = take_field(text, rank);
  theirs.address = text;
  return theirs;
}

}  // namespace

UcxChannel::UcxChannel(std::unique_ptr<Bootstrap> bootstrap, std::size_t request_bytes,
                       std::chrono::seconds peer_timeout)
    : bootstrap_(std::move(bootstrap)), rank_(bootstrap_->rank()) {
  library_ = std::make_unique<UcxLibrary>(request_bytes, peer_timeout);
  const ProcessPlace here = place_of_this_process();
  const std::vector<std::string> all = bootstrap_->allgather(pack({here, library_->address()}));
  if (all.size() != static_cast<std::size_t>(bootstrap_->size())) {
    throw Error("the bootstrap gathered " + std::to_string(all.size()) + " addresses for " +
                std::to_string(bootstrap_->size()) + " ranks");
  }
  processes_.reserve(all.size());
  for (const std::string& text : all) {
    const auto rank = static_cast<std::int32_t>(processes_.size());
    Introduction theirs = unpack(text, rank);
    if (theirs.place.machine == here.machine) {
      ++ranks_on_this_machine_;
      if (rank < rank_) ++ranks_before_on_this_machine_;
    }
    const bool watched =
        !here.processes.empty() && theirs.place.processes == here.processes && rank != rank_;
    if (watched && !watch_.add(rank, theirs.place.process))
      throw Error("the process of rank " + std::to_string(rank) + " ended while the job started");
    processes_.push_back({std::move(theirs.address), std::move(theirs.place.host), watched});
  }
}

std::optional<LostProcess> UcxChannel::lost() {
  if (const std::optional<Rank> ended = watch_.ended())
    return LostProcess{*ended, "its process has ended"};
  return bootstrap_->lost();
}

}  // namespace roam::transport
