// SPDX-License-Identifier: Apache-2.0
#include "roam/topology/detail/synthetic.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <vector>

#include "roam/core/detail/suggest.hpp"
#include "roam/core/detail/text.hpp"
#include "topology/refuse.hpp"

namespace roam::topology {

namespace {

struct SyntheticLevel {
  std::string name;
  std::int64_t arity = 1;
  bool is_optional = false;
};

/// hwloc's name of a level, in small letters, and its name here; empty: it is not part of the tree.
struct KnownName {
  std::string_view given;
  std::string_view level;
  bool is_optional = false;
};
constexpr KnownName known_names[] = {
    {"machine", "machine"},
    {"package", "package"},
    {"pack", "package"},
    {"socket", "package"},
    {"numanode", "NUMA"},
    {"numa", "NUMA"},
    {"node", "NUMA"},
    {"die", "die", true},
    {"group", "group", true},
    {"core", "core"},
    {"pu", "PU"},
    {"l5", "L5", true},
    {"l4", "L4", true},
    {"l3", "L3"},
    {"l2", "L2", true},
    {"l1", "L1", true},
    {"l3i", ""},
    {"l2i", ""},
    {"l1i", ""},
};

class SyntheticReader {
 public:
  SyntheticReader(std::string_view text, std::string_view origin) : text_(text), origin_(origin) {}

  MachineTree read() {
    while (skip_blanks()) {
      if (text_[at_] == '[') {
        read_memory();
      } else {
        read_level();
      }
    }
    return MachineTree(parts(), origin_);
  }

 private:
  [[noreturn]] void refuse_synthetic(const std::string& what) const {
    refuse(origin_, what + "; a synthetic node is written as in \"package:2 l3:2 core:4 pu:2\"");
  }

  bool skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    return at_ < text_.size();
  }

  /// Reads characters from the present place on as long as they match.
  template <class Matches>
  std::string_view take(Matches matches) {
    const std::size_t start = at_;
    while (at_ < text_.size() && matches(static_cast<unsigned char>(text_[at_]))) ++at_;
    return text_.substr(start, at_ - start);
  }

  const KnownName& known(std::string_view given) const {
    std::string name = core::lower_case(given);
    if (name.size() > 5 && name.ends_with("cache")) name.resize(name.size() - 5);
    if (name.size() == 3 && name[0] == 'l' && name[2] == 'd') name.resize(2);
    const auto found = std::ranges::find(known_names, std::string_view(name), &KnownName::given);
    if (found != std::end(known_names)) return *found;
    std::vector<std::string> names;
    for (const KnownName& other : known_names) names.emplace_back(other.given);
    refuse_synthetic("found level \"" + std::string(given) + "\"" +
                     core::did_you_mean(name, names));
  }

  /// Reads attributes, "(size=4MB indexes=0,2,1,3)"; returns the value of `indexes`.
  std::optional<std::string> read_attributes() {
    if (at_ == text_.size() || text_[at_] != '(') return std::nullopt;
    const std::size_t end = text_.find(')', at_);
    if (end == std::string_view::npos) refuse_synthetic("a parenthesis is not closed");
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    const std::size_t key = inside.find("indexes=");
    if (key == std::string_view::npos) return std::nullopt;
    const std::string_view value = inside.substr(key + 8);
    return std::string(value.substr(0, value.find(' ')));
  }

  void read_memory() {
    ++at_;
    const std::string_view name = take([](unsigned char c) { return std::isalnum(c) != 0; });
    if (known(name).level != "NUMA")
      refuse_synthetic("found [" + std::string(name) + "], allowed is [numa]");
    (void)read_attributes();
    if (at_ == text_.size() || text_[at_] != ']') refuse_synthetic("a bracket is not closed");
    ++at_;
    if (levels_.empty() || levels_.back().name != "NUMA") levels_.push_back({"NUMA", 1});
  }

  void read_level() {
    const bool is_named = std::isalpha(static_cast<unsigned char>(text_[at_])) != 0;
    SyntheticLevel level;
    bool is_part = true;
    if (is_named) {
      const std::string_view name = take([](unsigned char c) { return std::isalnum(c) != 0; });
      const KnownName& meant = known(name);
      level.name = meant.level;
      level.is_optional = meant.is_optional;
      is_part = !meant.level.empty();
      if (at_ == text_.size() || text_[at_] != ':')
        refuse_synthetic("found " + std::string(name) + " without \":\" and a number");
      ++at_;
    }
    if (has_names_.value_or(is_named) != is_named)
      refuse_synthetic("some levels have names and some do not, allowed are all or none");
    has_names_ = is_named;
    level.arity = read_arity();
    indexes_ = read_attributes();
    if (at_ < text_.size() && text_[at_] != '[' &&
        std::isspace(static_cast<unsigned char>(text_[at_])) == 0)
      refuse_synthetic("found \"" + std::string(text_.substr(at_, 1)) + "\" where a level ends");
    if (level.name == "machine" && level.arity == 1 && levels_.empty()) return;
    level.arity = product(level.arity, factor_);
    factor_ = is_part ? 1 : level.arity;
    if (is_part) levels_.push_back(std::move(level));
  }

  std::int64_t product(std::int64_t a, std::int64_t b) const {
    if (a * b > max_tree_leaves) {
      refuse_synthetic("found more than " + std::to_string(max_tree_leaves) +
                       " objects on one level");
    }
    return a * b;
  }

  std::int64_t read_arity() {
    const std::string_view digits = take([](unsigned char c) { return std::isdigit(c) != 0; });
    const std::int64_t number = core::read_number<std::int64_t>(digits).value_or(0);
    constexpr std::int64_t most = max_tree_leaves;
    if (number < 1 || number > most) {
      refuse_synthetic("found \"" + std::string(digits) +
                       "\" objects, allowed is a whole number from 1 to " + std::to_string(most));
    }
    return number;
  }

  /// Gives the levels different names, and leaves out those that separate nothing.
  void settle_levels() {
    if (factor_ > 1) refuse_synthetic("an instruction cache holds nothing");
    if (levels_.empty()) refuse_synthetic("found no level");
    while (levels_.size() > 1 && levels_.back().name == "NUMA") levels_.pop_back();  // [numa] last
    std::vector<SyntheticLevel> kept;
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      const bool is_last = i + 1 == levels_.size();
      const bool holds_one = !is_last && levels_[i + 1].arity == 1;
      if (levels_[i].is_optional && !is_last && (levels_[i].arity == 1 || holds_one)) {
        levels_[i + 1].arity = product(levels_[i + 1].arity, levels_[i].arity);
        continue;
      }
      kept.push_back(levels_[i]);
    }
    int groups = 0;
    for (SyntheticLevel& level : kept)
      if (level.name == "group" && ++groups > 1) level.name += " " + std::to_string(groups);
    if (!has_names_.value_or(true)) {
      constexpr const char* names[] = {"core", "package", "node", "switch"};
      for (std::size_t i = 0; i < kept.size(); ++i) {
        const std::size_t height = kept.size() - 1 - i;
        if (kept[i].name.empty())
          kept[i].name = height < 4 ? names[height] : "switch " + std::to_string(height - 2);
      }
    }
    levels_ = std::move(kept);
  }

  MachineTreeParts parts() {
    settle_levels();
    if (levels_.size() + 1 > max_tree_levels)
      refuse_synthetic("found " + std::to_string(levels_.size()) + " levels, allowed are at most " +
                       std::to_string(max_tree_levels - 1));
    MachineTreeParts parts;
    parts.levels.push_back({"machine"});
    std::int64_t groups = 1;
    for (const SyntheticLevel& level : levels_) {
      const std::int64_t together = product(groups, level.arity);
      parts.levels.push_back({level.name});
      std::vector<std::int32_t>& parents = parts.parents.emplace_back();
      for (std::int32_t group = 0; group < groups; ++group)
        parents.insert(parents.end(), static_cast<std::size_t>(level.arity), group);
      groups = together;
    }
    if (levels_.back().name == "PU")
      parts.processors = processors(static_cast<std::size_t>(groups));
    return parts;
  }

  std::vector<std::int32_t> processors(std::size_t count) const {
    std::vector<std::int32_t> numbers(count, 0);
    if (!indexes_) {
      for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<std::int32_t>(i);
      return numbers;
    }
    const bool is_list = indexes_->find('*') == std::string::npos;
    std::string_view rest = *indexes_;
    // How many numbers have been read, or the product of the counts.
    std::size_t done = is_list ? 0 : 1;
    while (true) {
      const std::size_t end = rest.find(is_list ? ',' : ':');
      const std::string_view entry = rest.substr(0, end);
      if (is_list) {
        if (done == count) refuse_indexes();
        numbers[done++] = index_number(entry);
      } else {
        const std::size_t star = entry.find('*');
        if (star == std::string_view::npos) refuse_indexes();
        const auto steps = static_cast<std::size_t>(index_number(entry.substr(star + 1)));
        const auto step = static_cast<std::size_t>(index_number(entry.substr(0, star)));
        if (steps == 0 || step == 0 || steps > count / done) refuse_indexes();
        // COUNT processors whose numbers differ by STEP are numbered one after the other, before
        // the next pair applies.
        for (std::size_t i = 0; i < count; ++i)
          numbers[i] += static_cast<std::int32_t>(i / step % steps * done);
        done *= steps;
      }
      if (end == std::string_view::npos) break;
      rest.remove_prefix(end + 1);
    }
    std::vector<std::int32_t> sorted = numbers;
    std::ranges::sort(sorted);
    if (done != count || std::ranges::adjacent_find(sorted) != sorted.end()) refuse_indexes();
    return numbers;
  }

  std::int32_t index_number(std::string_view digits) const {
    const auto number = core::read_number<std::int32_t>(digits);
    if (!number || *number < 0 || *number > max_tree_leaves) refuse_indexes();
    return *number;
  }

  [[noreturn]] void refuse_indexes() const {
    refuse_synthetic("found indexes=" + *indexes_ +
                     ", allowed is a number of its own for each PU, or STEP*COUNT:STEP*COUNT, "
                     "whose counts multiply to their number");
  }

  std::string_view text_;
  std::string origin_;
  std::size_t at_ = 0;
  std::vector<SyntheticLevel> levels_;
  std::int64_t factor_ = 1;  // that of levels which are not part of the tree, for the next level
  std::optional<bool> has_names_;
  std::optional<std::string> indexes_;  // of the innermost level
};

}  // namespace

bool is_synthetic(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t");
  if (start == std::string_view::npos) return false;
  text.remove_prefix(start);
  if (text[0] == '[') return true;
  const std::size_t name =
      text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
  if (name == std::string_view::npos || name + 1 >= text.size()) return false;
  const bool is_number =
      text.substr(0, name).find_first_not_of("0123456789") == std::string_view::npos;
  const bool digit_follows = text[name + 1] >= '0' && text[name + 1] <= '9';
  return digit_follows && (is_number ? text[name] == ' ' : name > 0 && text[name] == ':');
}

MachineTree parse_synthetic(std::string_view text, std::string_view origin) {
  return SyntheticReader(text, origin).read();
}

}  // namespace roam::topology
