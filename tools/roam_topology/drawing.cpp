// SPDX-License-Identifier: Apache-2.0
#include "drawing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "outline.hpp"
#include "support/words.hpp"

namespace roam_topology {

using roam::MachineTree;
using roam::TreeRange;

namespace {

constexpr double gap = 6;     // between boxes, and between a box and its content
constexpr double title = 17;  // the line with a group's name
constexpr double leaf_width = 40;
constexpr double leaf_height = 26;
constexpr double letter = 6.4;  // approximate width of a letter
constexpr std::int32_t most_leaves = 1024;

struct Size {
  double width = 0;
  double height = 0;
};

/// A group and how its content is laid out: in rows of equal cells.
struct Layout {
  Size size;
  Size cell;
  std::int32_t columns = 1;
  std::int32_t drawn = 0;   // number of children drawn
  std::int32_t hidden = 0;  // number of children left out
};

class Drawing {
 public:
  Drawing(const MachineTree& tree, const RanksOnLeaves& ranks) : tree_(tree), ranks_(ranks) {
    for (std::int32_t leaf = 0; leaf < tree.leaves(); ++leaf) {
      const double rank = static_cast<double>(ranks.text(leaf).size()) * letter + 10;
      leaf_.width = std::max(leaf_.width, std::min(rank, 120.0));
      if (!tree.parts().processors.empty()) continue;
      // Leaves without a processor are called by their name.
      if (tree.depth() < tree.parts().names.size() && !tree.parts().names[tree.depth()].empty()) {
        const double name = static_cast<double>(tree.name(tree.depth(), leaf).size()) * letter + 10;
        leaf_.width = std::max(leaf_.width, std::min(name, 120.0));
      }
    }
    if (!ranks.empty()) leaf_.height += 12;
    choose_children();
  }

  std::string svg() {
    const Layout whole = layout(0, 0);
    char head[260];
    std::snprintf(head, sizeof head,
                  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %.0f %.0f' width='%.0f' "
                  "height='%.0f' style='min-width:%.0fpx' role='img' aria-label='the machine'>\n",
                  whole.size.width + 2, whole.size.height + 2, whole.size.width + 2,
                  whole.size.height + 2, 0.6 * whole.size.width);
    out_ = head;
    draw(0, 0, 1, 1, whole.size);
    return std::move(out_) + "</svg>\n";
  }

 private:
  /// Decides how many children of a group are drawn, so that there are not too many leaves.
  void choose_children() {
    std::int32_t widest = 1;
    for (std::size_t level = 0; level < tree_.depth(); ++level)
      for (std::int32_t group = 0; group < tree_.groups(level); ++group)
        widest = std::max(widest, tree_.children(level, group).size());
    most_children_ = widest;
    while (most_children_ > 2 && drawn_leaves(0, 0) > most_leaves)
      most_children_ = (most_children_ + 1) / 2;
  }

  std::int32_t drawn_children(TreeRange children) const {
    // A single further child needs no more space than the note about it.
    return children.size() <= most_children_ + 1 ? children.size() : most_children_;
  }

  std::int64_t drawn_leaves(std::size_t level, std::int32_t group) const {
    if (level == tree_.depth()) return 1;
    const TreeRange children = tree_.children(level, group);
    std::int64_t leaves = 0;
    for (std::int32_t i = 0; i < drawn_children(children) && leaves <= most_leaves; ++i)
      leaves += drawn_leaves(level + 1, children.first + i);
    return leaves;
  }

  /// Chooses the columns so that a group is about one and a half times as wide as high, and its
  /// last row nearly as full as the others if that costs little.
  static std::int32_t columns_for(std::int32_t cells, Size cell) {
    const double ideal = std::sqrt(cells * 1.6 * (cell.height + gap) / (cell.width + gap));
    std::int32_t best = 1;
    double best_cost = 0;
    for (std::int32_t columns = 1; columns <= cells; ++columns) {
      const std::int32_t rows = (cells + columns - 1) / columns;
      const double missing = static_cast<double>(rows * columns - cells) / columns;
      const double cost = std::abs(std::log(columns / ideal)) + 0.6 * missing;
      if (columns == 1 || cost < best_cost) {
        best = columns;
        best_cost = cost;
      }
    }
    return best;
  }

  Layout layout(std::size_t level, std::int32_t group) const {
    if (level == tree_.depth()) return {leaf_, {}, 1, 0, 0};
    const TreeRange children = tree_.children(level, group);
    Layout result;
    result.drawn = drawn_children(children);
    result.hidden = children.size() - result.drawn;
    for (std::int32_t i = 0; i < result.drawn; ++i) {
      const Size child = layout(level + 1, children.first + i).size;
      result.cell.width = std::max(result.cell.width, child.width);
      result.cell.height = std::max(result.cell.height, child.height);
    }
    result.columns = columns_for(result.drawn, result.cell);
    const std::int32_t rows = (result.drawn + result.columns - 1) / result.columns;
    const double name = static_cast<double>(tree_.name(level, group).size()) * letter * 1.05;
    const double more = result.hidden > 0 ? 90 : 0;
    result.size.width =
        std::max(result.columns * (result.cell.width + gap) + gap, std::max(name, more) + 2 * gap);
    result.size.height = rows * (result.cell.height + gap) + title + (more > 0 ? title : 0);
    return result;
  }

  void draw(std::size_t level, std::int32_t group, double x, double y, Size size) {
    if (level == tree_.depth()) return draw_leaf(group, x, y, size);
    const Layout own = layout(level, group);
    box(x, y, size, level_colour(level, tree_.depth()), "");
    text(x + gap, y + title - 4, tree_.name(level, group), "t");
    const TreeRange children = tree_.children(level, group);
    // A group that is wider than its contents, because a neighbour is, spreads them out.
    const Size cell{(size.width - gap) / own.columns - gap, own.cell.height};
    for (std::int32_t i = 0; i < own.drawn; ++i) {
      const double left = x + gap + (i % own.columns) * (cell.width + gap);
      const double top = y + title + (i / own.columns) * (cell.height + gap);
      draw(level + 1, children.first + i, left, top, cell);
    }
    if (own.hidden > 0) {
      text(x + gap, y + size.height - gap,
           "and " + std::to_string(own.hidden) + " more " +
               roam_tools::plural(tree_.levels()[level + 1].name),
           "t");
    }
  }

  void draw_leaf(std::int32_t leaf, double x, double y, Size size) {
    const bool has_rank = ranks_.count(leaf) > 0;
    const bool is_usable = tree_.is_usable(leaf);
    box(x, y, size,
        !is_usable ? "url(#barred)"
        : has_rank ? "#f6c56f"
                   : "#ffffff",
        tree_.name(tree_.depth(), leaf) + (is_usable ? "" : ": may not be used"));
    std::string name = std::to_string(leaf);
    if (const auto processor = tree_.processor(leaf)) {
      name = std::to_string(*processor);
    } else if (tree_.depth() < tree_.parts().names.size() &&
               !tree_.parts().names[tree_.depth()].empty()) {
      name = tree_.name(tree_.depth(), leaf);
    }
    const double middle = x + size.width / 2;
    text(middle, y + 17, name, is_usable ? "l" : "l b");
    if (has_rank) text(middle, y + 31, ranks_.text(leaf), "l r");
  }

  void box(double x, double y, Size size, const std::string& fill, const std::string& tip) {
    char line[240];
    std::snprintf(line, sizeof line,
                  "<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' rx='3' fill='%.40s'%s", x, y,
                  size.width, size.height, fill.c_str(), tip.empty() ? "/>\n" : ">");
    out_ += line;
    if (!tip.empty()) out_ += "<title>" + escaped(tip) + "</title></rect>\n";
  }

  void text(double x, double y, const std::string& words, const char* style) {
    char line[120];
    std::snprintf(line, sizeof line, "<text x='%.1f' y='%.1f' class='%s'>", x, y, style);
    out_ += line + escaped(words) + "</text>\n";
  }

  const MachineTree& tree_;
  const RanksOnLeaves& ranks_;
  Size leaf_{leaf_width, leaf_height};
  std::int32_t most_children_ = 1;
  std::string out_;
};

}  // namespace

std::string level_colour(std::size_t level, std::size_t depth) {
  // Colours become lighter inwards, so that inner boxes stand out.
  const double inwards =
      depth < 2 ? 1 : static_cast<double>(level) / static_cast<double>(depth - 1);
  const auto mix = [inwards](int outer, int inner) {
    return static_cast<int>(std::lround(outer + (inner - outer) * inwards));
  };
  char colour[8];
  std::snprintf(colour, sizeof colour, "#%02x%02x%02x", mix(0xc3, 0xf1) & 0xff,
                mix(0xd3, 0xf6) & 0xff, mix(0xe3, 0xfb) & 0xff);
  return colour;
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string drawing(const MachineTree& tree, const RanksOnLeaves& ranks) {
  return Drawing(tree, ranks).svg();
}

}  // namespace roam_topology
