// SPDX-License-Identifier: Apache-2.0
#include "roam/topology/detail/hosts.hpp"

#include <cstdint>

#include "roam/core/detail/text.hpp"
#include "topology/refuse.hpp"

namespace roam::topology {

namespace {

constexpr std::size_t max_hosts = 1'000'000;

class HostReader {
 public:
  HostReader(std::string_view text, std::string_view origin) : text_(text), origin_(origin) {}

  std::vector<std::string> read() {
    std::size_t start = 0;
    int depth = 0;
    for (std::size_t i = 0; i <= text_.size(); ++i) {
      const char c = i < text_.size() ? text_[i] : ',';
      if (c == '[') ++depth;
      if (c == ']') --depth;
      if (depth < 0 || depth > 1) refuse_hosts("its brackets do not match");
      if (c != ',' || (depth > 0 && i < text_.size())) continue;
      if (depth > 0) refuse_hosts("a bracket is not closed");
      read_entry(text_.substr(start, i - start));
      start = i + 1;
    }
    return std::move(hosts_);
  }

 private:
  [[noreturn]] void refuse_hosts(const std::string& what) const {
    refuse(origin_, "host list \"" + std::string(text_.substr(0, 80)) + "\": " + what +
                        "; allowed are lists as in tux[0-3,12],login");
  }

  /// Reads an entry like "rack[0-1]node[00-15]": it stands for every combination, in which the last
  /// bracket varies fastest.
  void read_entry(std::string_view entry) {
    if (entry.empty()) refuse_hosts("a name is empty");
    std::vector<std::string> names = {""};
    while (!entry.empty()) {
      const std::size_t bracket = entry.find('[');
      for (std::string& name : names) name += entry.substr(0, bracket);
      if (bracket == std::string_view::npos) break;
      const std::size_t end = entry.find(']', bracket);
      const std::vector<std::string> numbers =
          read_ranges(entry.substr(bracket + 1, end - bracket - 1));
      check_count(names.size() * numbers.size());
      std::vector<std::string> longer;
      longer.reserve(names.size() * numbers.size());
      for (const std::string& name : names)
        for (const std::string& number : numbers) longer.push_back(name + number);
      names = std::move(longer);
      entry.remove_prefix(end + 1);
    }
    check_count(hosts_.size() + names.size());
    for (std::string& name : names) hosts_.push_back(std::move(name));
  }

  std::vector<std::string> read_ranges(std::string_view ranges) {
    std::vector<std::string> numbers;
    for (const std::string_view range : core::split(ranges, ',')) {
      const std::size_t dash = range.find('-');
      const std::string_view low = range.substr(0, dash);
      const std::string_view high = dash == std::string_view::npos ? low : range.substr(dash + 1);
      const std::uint64_t first = read_number(low);
      const std::uint64_t last = read_number(high);
      if (last < first) refuse_hosts("the range " + std::string(range) + " ends before it starts");
      check_count(last - first + numbers.size());
      for (std::uint64_t number = first; number <= last; ++number) {
        std::string digits = std::to_string(number);
        if (digits.size() < low.size()) digits.insert(0, low.size() - digits.size(), '0');
        numbers.push_back(std::move(digits));
      }
    }
    return numbers;
  }

  std::uint64_t read_number(std::string_view digits) const {
    const auto number = core::read_number<std::uint64_t>(digits);
    if (!number || digits.size() > 12)
      refuse_hosts("found \"" + std::string(digits) + "\" where a number should be");
    return *number;
  }

  void check_count(std::uint64_t count) const {
    if (count > max_hosts) refuse_hosts("it has more than " + std::to_string(max_hosts) + " names");
  }

  std::string_view text_;
  std::string origin_;
  std::vector<std::string> hosts_;
};

}  // namespace

std::vector<std::string> expand_hosts(std::string_view text, std::string_view origin) {
  return HostReader(text, origin).read();
}

}  // namespace roam::topology
