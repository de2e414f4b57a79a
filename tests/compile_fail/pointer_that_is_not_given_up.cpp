// SPDX-License-Identifier: Apache-2.0
// EXPECT: these_arguments_do_not_match.*unique_ptr
// ERRORS: 1
#include <cereal/types/memory.hpp>
#include <memory>
#include <roam/roam.hpp>

struct Keeper {
  std::unique_ptr<int> value;
  void keep(std::unique_ptr<int> v) { value = std::move(v); }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(value);
  }
};

void bad(roam::mobile_ptr<Keeper> keeper, std::unique_ptr<int>& value) {
  keeper.send<&Keeper::keep>(value);  // not std::move(value)
}
