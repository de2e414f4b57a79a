// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <typeindex>
#include <typeinfo>
#include <utility>
#include <vector>

namespace roam {

/// An option that was set, for reports and for later error messages.
struct GivenOption {
  /// Without Roam's prefix: "balancer"; an option of a program's own with its prefix: "heat-cells".
  std::string name;
  std::string value;   ///< the value as it was written
  std::string origin;  ///< "--roam-balancer", "environment variable ROAM_BALANCER" or
                       ///< "roam.toml:3:12: key balancer"
};

/// @cond
namespace core {

/// The values of options, one struct for each OptionGroup, found by its type. Cheap to copy: copies
/// share each struct until one of them changes it. Copies may be read by several threads at a time;
/// one object is changed by one thread while nobody else reads it.
class OptionValues {
 public:
  /// The values of one group; the defaults of Values if none have been set.
  template <class Values>
  [[nodiscard]] const Values& get() const {
    for (const Entry& entry : entries_) {
      if (entry.type == typeid(Values)) return *static_cast<const Values*>(entry.values.get());
    }
    static const Values defaults{};
    return defaults;
  }
  template <class Values>
  void set(Values values) {
    put(std::make_shared<Values>(std::move(values)));
  }
  /// The values of one group, to be changed: they belong to this object alone until it is copied or
  /// edit() is called again.
  template <class Values>
  [[nodiscard]] Values& edit() {
    auto own = std::make_shared<Values>(get<Values>());
    Values& values = *own;
    put(std::move(own));
    return values;
  }
  /// Removes the values of one group and returns them.
  template <class Values>
  [[nodiscard]] Values take() {
    Values values = get<Values>();
    std::erase_if(entries_, [](const Entry& entry) { return entry.type == typeid(Values); });
    return values;
  }

 private:
  struct Entry {
    std::type_index type;
    std::shared_ptr<void> values;
  };
  template <class Values>
  void put(std::shared_ptr<Values>&& values) {
    for (Entry& entry : entries_) {
      if (entry.type != typeid(Values)) continue;
      entry.values = std::move(values);
      return;
    }
    entries_.push_back({typeid(Values), std::move(values)});
  }

  std::vector<Entry> entries_;
};

}  // namespace core
/// @endcond
}  // namespace roam
