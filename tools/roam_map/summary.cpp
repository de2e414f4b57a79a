// SPDX-License-Identifier: Apache-2.0
#include "summary.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

#include "support/words.hpp"

namespace roam_map {

namespace {

struct Row {
  std::string label;
  double before;
  double after;
};

std::string change_text(double before, double after) {
  if (before <= 0) return after > 0 ? "new" : "-";
  char text[40];
  const double percent = (after - before) / before * 100;
  std::snprintf(text, sizeof text, "%+.1f %%", percent == 0 ? 0 : percent);
  return text;
}

/// Adds the communication by the level on which leaves meet: between the groups inside it.
void add_levels(const std::string& what, const roam::MachineTree& tree,
                const std::vector<double>& before, const std::vector<double>& after,
                std::vector<Row>& rows) {
  for (std::size_t level = 0; level < tree.depth(); ++level) {
    if (tree.groups(level) == tree.groups(level + 1)) continue;  // distinguishes no leaves
    rows.push_back({what + " between " + roam_tools::plural(tree.levels()[level + 1].name),
                    before[level], after[level]});
  }
}

std::string table_text(const std::vector<Row>& rows) {
  std::size_t width = 0;
  for (const Row& row : rows) width = std::max(width, row.label.size());
  const auto line = [width](std::string label, const std::string& before, const std::string& after,
                            const std::string& change) {
    label.resize(width, ' ');
    for (const std::string* cell : {&before, &after, &change}) {
      const std::size_t room = cell == &change ? 11 : 18;
      label += std::string(room - std::min(room - 1, cell->size()), ' ') + *cell;
    }
    return label + "\n";
  };
  std::string text = line("", "now", "proposed", "change");
  for (const Row& row : rows) {
    text +=
        line(row.label, figure(row.before), figure(row.after), change_text(row.before, row.after));
  }
  return text;
}

std::string verdict(const Plan& plan) {
  if (plan.before.cost <= 0) return "No communication crosses any distance: every rank stays.\n";
  if (plan.moved == 0) return "No placement was found that costs less: every rank stays.\n";
  char saved[40];
  std::snprintf(saved, sizeof saved, "%.1f %%",
                (plan.before.cost - plan.after.cost) / plan.before.cost * 100);
  return "The proposed placement saves " + std::string(saved) + " of the cost; " +
         std::to_string(plan.moved) + " of " + std::to_string(plan.now.size()) +
         " ranks change place.\n";
}

}  // namespace

std::string figure(double number) {
  char text[400];
  if (number < 100 && number != std::floor(number)) {
    std::snprintf(text, sizeof text, "%.4g", number);
    return text;
  }
  if (number >= 1e15) {
    std::snprintf(text, sizeof text, "%.4e", number);
    return text;
  }
  std::snprintf(text, sizeof text, "%.0f", number);
  std::string digits = text;
  for (std::size_t i = digits.size(); i > 3;) digits.insert(i -= 3, ",");
  return digits;
}

std::string summary_text(const RankCommunication& communication, const roam::MachineTree& tree,
                         const Plan& plan) {
  double bytes = 0;
  double messages = 0;
  for (const roam::topology::Communication& pair : communication.communications) {
    bytes += pair.amount;
    messages += pair.messages;
  }
  const std::size_t leaves = tree.usable_leaves().size();
  const std::string leaf = tree.levels().back().name;
  std::string text =
      std::to_string(communication.ranks) + (communication.ranks == 1 ? " rank" : " ranks") + ", " +
      std::to_string(leaves) + " " + (leaves == 1 ? leaf : roam_tools::plural(leaf)) +
      "; between ranks " + figure(bytes) + " bytes";
  if (messages > 0) text += " in " + figure(messages) + " messages";
  text += "\n";
  if (communication.left_out > 0) {
    text += "Not counted: " + std::to_string(communication.left_out) +
            " entries of communication that are not from one object to another\n";
  }
  std::vector<Row> rows = {
      {"cost (bytes x distance)", plan.before.cost, plan.after.cost},
      {"hop-bytes (bytes x links)", plan.before.hop_bytes, plan.after.hop_bytes}};
  add_levels("bytes", tree, plan.before.amount_by_level, plan.after.amount_by_level, rows);
  if (messages > 0) {
    add_levels("messages", tree, plan.before.messages_by_level, plan.after.messages_by_level, rows);
  }
  return text + "\n" + table_text(rows) + "\n" + verdict(plan);
}

}  // namespace roam_map
