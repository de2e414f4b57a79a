// SPDX-License-Identifier: Apache-2.0
// Arguments that are converted to the parameters of handlers in all the ways in which they travel.
// What converts them are templates of Roam's headers, where no warning should come from.
#include <cstdint>
#include <functional>
#include <roam/roam.hpp>
#include <string>
#include <vector>

struct Block {
  roam::Index<2> place;
  std::size_t cells = 0;
  Block() = default;
  explicit Block(const roam::Index<2>& index) : place(index) {}
  void add(std::size_t more) { cells += more; }
  std::size_t get(unsigned more) const { return cells + more; }
  void name(const std::string& text, std::size_t more) { cells += text.size() + more; }
  void list(const std::vector<double>& values, unsigned long more) {
    cells += values.size() + more;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(place, cells);
  }
};

std::size_t twice(std::size_t number) { return 2 * number; }
std::size_t count(const std::string& text, unsigned more) { return text.size() + more; }
std::size_t together(roam::Gathered<Block> blocks, std::size_t more) {
  return blocks.size() + more;
}
std::uint64_t many(std::uint8_t a, std::uint16_t b, unsigned c, std::uint64_t d, const float& e) {
  return a + b + c + d + static_cast<std::uint64_t>(e);
}

roam::Task<> program(roam::Runtime& rt) {
  const int number = 3;
  const short small = 2;
  const auto object = rt.create<Block>();
  object.send<&Block::add>(number);
  object.send<&Block::add>(small);
  object.send<&Block::name>("a text", number);
  object.send<&Block::list>(std::vector<double>(3), number);
  (void)co_await object.call<&Block::get>(number);
  rt.send<&twice>(0, number);
  (void)co_await rt.request<&twice>(0, small);
  (void)co_await rt.request<&count>(0, "a text", number);
  (void)co_await rt.request<&many>(0, number, number, number, number, 1.5);
  const std::vector<roam::mobile_ptr<Block>> objects(1, object);
  (void)co_await rt.multicast_call<&together>(objects, number);
  const roam::Index<2> extent{2, 2};
  const auto grid = co_await rt.create_collection<Block>(extent, roam::Placement::block());
  grid.broadcast<&Block::add>(number);
  co_await grid.for_all<&Block::add>(number);
  (void)co_await grid.reduce<&Block::get, std::plus<>>(number);
  const auto words = co_await rt.create_sparse_collection<Block, std::string>();
  words.send_insert("word");
  words[std::string("word")].send<&Block::add>(number);
  (void)co_await words[std::string("word")].call<&Block::get>(number);
  const roam::Epoch epoch = rt.begin_epoch();
  rt.in_epoch(epoch, [&] {
    object.send<&Block::add>(number);
    rt.send<&twice>(0, number);
  });
  co_await rt.finished(epoch);
  (void)co_await rt.allreduce<std::plus<>>(number);
}

int main(int argc, char** argv) { return roam::run(argc, argv, program); }
