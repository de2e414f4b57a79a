// SPDX-License-Identifier: Apache-2.0
#include "toys.hpp"

#include <algorithm>

#include "roam/core/option_group.hpp"
#include "roam/trace/run_trace.hpp"

namespace roam::toys {

Toys::Toys(Runtime& rank)
    : rank_(rank), here_(rank.options().of<ToyOptions>().toys), most_(here_.load()) {
  rank.engine().services().set<Toys>(this);
  rank.messenger().bind<&Toys::on_toy>(*this);
}

void Toys::give(Rank to) {
  if (here_.load() == 0) return;
  --here_;
  ++given_;
  rank_.messenger().post(to, Toy{rank_.options().of<ToyOptions>().colour});
}

void Toys::on_toy(Toy&& toy) {
  if (toy.colour.empty()) throw MalformedMessage("a toy without colour");
  const std::int64_t now = ++here_;
  most_ = std::max(most_.load(), now);
  const std::lock_guard guard(mutex_);
  arrivals_.push_back(rank_.now());
}

void Toys::add_statistics(Counters& counters) const {
  counters.push_back({"toys_given", static_cast<double>(given_.load())});
  counters.push_back({"most_toys", static_cast<double>(most_.load()), Counter::Kind::most});
}

void Toys::add_to_trace(trace::RankTrace& trace) const {
  const std::lock_guard guard(mutex_);
  for (const Instant when : arrivals_) trace.notes.push_back({when, "toys", "a toy came"});
}

std::vector<std::string> Toys::stuck_facts() const {
  if (here_.load() == 0) return {};
  return {std::to_string(here_.load()) + " toys lie about"};
}

namespace {

std::unique_ptr<RankPart> make_toys(Runtime& rank) {
  if (rank.options().of<ToyOptions>().toys == 0) return nullptr;
  return std::make_unique<Toys>(rank);
}

const RankPartRegistrar toys{{.name = "toys", .make = make_toys}};

const core::OptionGroup<ToyOptions> toy_options({"Toys"}, [](core::OptionGroup<ToyOptions>& group) {
  group.number("toys", "N", &ToyOptions::toys, {0, 100}, "Toys of each rank").equal_on_all_ranks();
  group.text("toys-colour", "COLOUR", &ToyOptions::colour, "a colour", "Of the rank's toys");
});

}  // namespace

}  // namespace roam::toys
