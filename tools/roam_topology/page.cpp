// SPDX-License-Identifier: Apache-2.0
#include "page.hpp"

#include "drawing.hpp"
#include "outline.hpp"
#include "support/words.hpp"

namespace roam_topology {

namespace {

constexpr const char* style = R"(
:root{color-scheme:light}
body{margin:0;background:#fff;color:#171a1f;
 font:16px/1.5 system-ui,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{max-width:1180px;margin:0 auto;padding:32px 24px}
h1{font-size:26px;line-height:1.25;margin:0 0 4px}
p{color:#59616b;margin:0 0 20px}
.drawing{overflow-x:auto}
svg{display:block;max-width:100%;height:auto;font-family:inherit}
rect{stroke:#8d97a3;stroke-width:.8}
text{font-size:11.5px;fill:#171a1f}
.t{font-weight:600;fill:#3a4149}
.l{text-anchor:middle;font-variant-numeric:tabular-nums}
.b{fill:#7d8794}
.r{font-weight:700;font-size:10.5px}
table{border-collapse:collapse;margin:28px 0;font-variant-numeric:tabular-nums;font-size:15px}
th,td{text-align:right;padding:5px 0 5px 28px;border-bottom:1px solid #e2e6ea;font-weight:400}
th:first-child{text-align:left;padding-left:0}
thead th{color:#59616b;font-weight:600}
i{display:inline-block;width:14px;height:14px;border:1px solid #8d97a3;border-radius:3px;
 margin-right:8px;vertical-align:-2px}
)";

constexpr const char* hatching =
    "<svg width='0' height='0' aria-hidden='true'><defs><pattern id='barred' width='6' height='6' "
    "patternUnits='userSpaceOnUse' patternTransform='rotate(45)'><rect width='6' height='6' "
    "fill='#eef0f2' style='stroke:none'/><line x1='0' y1='0' x2='0' y2='6' stroke='#c3cad1' "
    "stroke-width='3'/></pattern></defs></svg>\n";

std::string level_table(const roam::MachineTree& tree) {
  std::string rows;
  for (std::size_t level = 0; level <= tree.depth(); ++level) {
    const bool is_leaves = level == tree.depth();
    std::string each;
    if (!is_leaves) {
      const auto arity = tree.arity(level);
      each = arity ? std::to_string(*arity) : "unequal";
    }
    rows += "<tr><th scope='row'><i style='background:" +
            (is_leaves ? "#fff" : level_colour(level, tree.depth())) + "'></i>" +
            escaped(tree.levels()[level].name) + "</th><td>" + std::to_string(tree.groups(level)) +
            "</td><td>" + each + "</td><td>" +
            (is_leaves ? "" : short_text(tree.distance_at(level))) + "</td></tr>\n";
  }
  return "<table><thead><tr><th scope='col'>level</th><th scope='col'>groups</th>"
         "<th scope='col'>each has</th><th scope='col'>distance</th></tr></thead><tbody>\n" +
         rows + "</tbody></table>\n";
}

std::string headline(const roam::MachineTree& tree) {
  const std::string leaves = tree.leaves() == 1 ? tree.levels().back().name
                                                : roam_tools::plural(tree.levels().back().name);
  std::string words = std::to_string(tree.leaves()) + " " + leaves;
  const std::size_t barred = static_cast<std::size_t>(tree.leaves()) - tree.usable_leaves().size();
  if (barred > 0) words += ", " + std::to_string(barred) + " of them not to be used";
  return words;
}

}  // namespace

std::string page(const roam::MachineTree& tree, const RanksOnLeaves& ranks,
                 const std::string& source) {
  std::string legend =
      tree.parts().processors.empty() ? "" : " Numbers are the operating system's, of processors.";
  if (!ranks.empty()) legend += " Ranks are marked r0, r1, ...";
  return "<!DOCTYPE html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
         "<meta name='viewport' content='width=device-width,initial-scale=1'>\n<title>" +
         escaped(source) + "</title>\n<style>" + style + "</style>\n</head>\n<body>\n<main>\n<h1>" +
         headline(tree) + "</h1>\n<p>" + escaped(source) + "." + legend + "</p>\n" + hatching +
         "<div class='drawing'>\n" + drawing(tree, ranks) + "</div>\n" + level_table(tree) +
         "</main>\n</body>\n</html>\n";
}

}  // namespace roam_topology
