// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

namespace uts {

namespace {

std::vector<std::string> names() {
  std::vector<std::string> all{"geometric", "binomial"};
  for (const NamedTree& tree : named_trees()) all.emplace_back(tree.name);
  return all;
}

void add_tree_options(CLI::App& app, Settings& settings) {
  app.add_option("--tree", settings.name,
                 "a published tree, or geometric or binomial with the options below")
      ->check(CLI::IsMember(names()))
      ->capture_default_str();
  app.add_option("--seed", settings.tree.seed, "of the root");
  app.add_option("--branching", settings.tree.branching,
                 "geometric: mean number of children; binomial: children of the root")
      ->check(CLI::Range(0.0, 1e6));
  app.add_option("--most-depth", settings.tree.most_depth, "geometric: nodes there are leaves")
      ->check(CLI::Range(0, 1000));
  app.add_option("--probability", settings.tree.probability, "binomial: that a node has children")
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--children", settings.tree.children, "binomial: how many it has then")
      ->check(CLI::Range(0, 1000));
}

}  // namespace

void take_named_tree(Settings& settings) {
  const auto& trees = named_trees();
  const auto found = std::ranges::find(trees, settings.name, &NamedTree::name);
  if (found == trees.end()) return;  // a tree that the user has described
  settings.tree = found->tree;
  settings.known_nodes = found->nodes;
}

int read_settings(int argc, char** argv, Settings& settings) {
  CLI::App app(
      "Counts the nodes of an unbalanced tree (Olivier et al. 2006) by objects that each hold a "
      "few "
      "nodes.\nRoam's own options are listed by --roam-help.");
  add_tree_options(app, settings);
  app.add_option("--nodes-per-call", settings.nodes_per_call,
                 "nodes that an object expands before it hands the rest to new objects")
      ->check(CLI::Range(1, 1'000'000'000))
      ->capture_default_str();
  app.add_option("--keep", settings.keep,
                 "an object left with no more nodes than this keeps them and calls itself")
      ->check(CLI::Range(0, 1'000'000'000))
      ->capture_default_str();
  app.add_option("--node-seconds", settings.node_seconds, "of a node, in a simulated run")
      ->check(CLI::Range(0.0, 1e3))
      ->capture_default_str();
  app.add_flag("--compare", settings.compares,
               "also traverses the tree without Roam, before and after, on every worker at once, "
               "and prints the speed-up");
  app.add_option("--least-efficiency", settings.least_efficiency,
                 "exit with status 1 if the run was less efficient")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (settings.name == "binomial") settings.tree.kind = Tree::Kind::binomial;
  take_named_tree(settings);
  return -1;
}

}  // namespace uts
