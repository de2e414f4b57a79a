// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "roam/core/error.hpp"
#include "roam/flow/indices.hpp"

namespace roam::flow {

IndexSet::IndexSet(const mobile::CollectionShape& shape,
                   const std::vector<mobile::Coordinates>& listed) {
  listed_.reserve(listed.size());
  for (const mobile::Coordinates& at : listed) {
    if (!shape.contains(at)) {
      throw Error("index " + shape.describe(at) + " is listed for a collection of extent " +
                  shape.describe(shape.extent));
    }
    listed_.push_back(shape.linear(at));
  }
  std::sort(listed_.begin(), listed_.end());
  listed_.erase(std::unique(listed_.begin(), listed_.end()), listed_.end());
}

bool IndexSet::contains(const mobile::CollectionShape& shape, std::uint64_t linear) const {
  return predicate_ != nullptr ? predicate_(shape.coordinates(linear), shape.extent)
                               : std::binary_search(listed_.begin(), listed_.end(), linear);
}

}  // namespace roam::flow
