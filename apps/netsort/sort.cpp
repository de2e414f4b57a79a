// SPDX-License-Identifier: Apache-2.0
#include "sort.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "block.hpp"
#include "report.hpp"

namespace netsort {

namespace {

using BlockPtr = roam::mobile_ptr<Block>;

/// A block and its place in the array.
struct Placed {
  std::int64_t index = 0;
  BlockPtr block;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(index, block);
  }
};

// Places each block on a random rank.
std::vector<Placed> create_blocks(roam::Runtime& rt, const Settings& settings) {
  std::vector<Placed> mine;
  for (std::int64_t i = 0; i < settings.blocks(); ++i) {
    const std::uint64_t owner = draw(settings.seed, static_cast<std::uint64_t>(i), 1);
    if (owner % static_cast<std::uint64_t>(rt.size()) == rt.rank().index())
      mine.push_back({i, rt.create<Block>(settings, i)});
  }
  return mine;
}

std::vector<BlockPtr> in_order(const std::vector<std::vector<Placed>>& of_ranks,
                               const Settings& settings) {
  std::vector<BlockPtr> blocks(static_cast<std::size_t>(settings.blocks()));
  for (const auto& of_rank : of_ranks) {
    for (const Placed& placed : of_rank)
      blocks[static_cast<std::size_t>(placed.index)] = placed.block;
  }
  return blocks;
}

// Rank 0, the only one that knows all blocks, tells each of them its neighbours.
void introduce(const std::vector<BlockPtr>& blocks) {
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    blocks[i].send<&Block::meet>(blocks[i], i > 0 ? blocks[i - 1] : BlockPtr(),
                                 i + 1 < blocks.size() ? blocks[i + 1] : BlockPtr());
  }
}

// Throws unless the blocks hold the input, sorted. Returns the fingerprint of the result.
std::uint64_t verify(const std::vector<BlockSummary>& blocks, const Settings& settings) {
  std::uint64_t sum = blocks.front().fingerprint;
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    if (blocks[i].smallest < blocks[i - 1].largest) {
      throw roam::Error("not sorted: block " + std::to_string(i) + " begins with " +
                        std::to_string(blocks[i].smallest) + ", the one before ends with " +
                        std::to_string(blocks[i - 1].largest));
    }
    sum += blocks[i].fingerprint;
  }
  Integers expected = input(settings, 0, settings.integers);
  std::sort(expected.begin(), expected.end());
  if (fingerprint(expected, 0) != sum)
    throw roam::Error("what was sorted is not what was to be sorted");
  return sum;
}

roam::Task<std::vector<BlockSummary>> summaries_of(const std::vector<Placed>& mine) {
  std::vector<roam::Reply<BlockSummary>> replies;
  replies.reserve(mine.size());
  for (const Placed& placed : mine) replies.push_back(placed.block.call<&Block::summary>());
  std::vector<BlockSummary> summaries;
  for (auto& reply : replies) summaries.push_back(co_await reply);
  co_return summaries;
}

}  // namespace

roam::Task<> sort(roam::Runtime& rt, const Settings& settings) {
  const std::vector<Placed> mine = create_blocks(rt, settings);
  const auto of_ranks = co_await rt.gather(0, mine);
  if (rt.rank() == 0) introduce(in_order(of_ranks, settings));
  co_await rt.quiescence();  // so that measurement begins where a worker starts its next handler
  rt.begin_measurement();
  co_await rt.barrier();  // all ranks measure
  for (const Placed& placed : mine) placed.block.send<&Block::begin>();
  co_await rt.quiescence();
  rt.end_measurement();

  const std::vector<BlockSummary> my_summaries = co_await summaries_of(mine);
  const auto summaries = co_await rt.gather(0, my_summaries);
  const auto statistics = co_await rt.gather_statistics();
  if (rt.rank() != 0) co_return;
  std::vector<BlockSummary> all(static_cast<std::size_t>(settings.blocks()));
  for (const auto& of_rank : summaries) {
    for (const BlockSummary& summary : of_rank)
      all[static_cast<std::size_t>(summary.index)] = summary;
  }
  Figures figures;
  figures.fingerprint = verify(all, settings);
  for (const BlockSummary& summary : all) {
    figures.comparisons += summary.comparisons;
    figures.sorting_seconds += summary.sorting_seconds;
  }
  figures.comparisons /= 2;  // both partners count
  report(settings, figures, statistics);
}

}  // namespace netsort
