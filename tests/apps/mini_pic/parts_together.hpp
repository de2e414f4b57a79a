// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "mini_pic/part.hpp"

namespace mini_pic {

/// All parts of a mesh in one place, for tests.
struct PartsTogether {
  explicit PartsTogether(const Plasma& plasma) {
    for (std::int32_t number = 0; number < plasma.box.part_count(); ++number)
      parts.emplace_back(plasma, number);
  }
  [[nodiscard]] Part& owner(std::int32_t number) { return parts[static_cast<std::size_t>(number)]; }

  /// Passes particles on until none is on its way. Returns the number of rounds.
  int settle(std::vector<Mail<Walker>> mail) {
    int rounds = 0;
    for (bool is_done = false; !is_done; ++rounds) {
      is_done = true;
      std::vector<Mail<Walker>> next;
      for (Part& part : parts) {
        Mail<Walker> onward = part.no_mail<Walker>();
        for (const auto& from : mail)
          if (const auto* letter = from.letter_to(part.number())) part.take(*letter, onward);
        for (const auto& letter : onward.letters) is_done = is_done && letter.empty();
        next.push_back(std::move(onward));
      }
      mail = std::move(next);
    }
    return rounds;
  }

  /// Gives each part the letters that others have for it.
  template <class T, class Use>
  void deliver(const std::vector<Mail<T>>& mail, Use use) {
    for (Part& part : parts)
      for (const auto& from : mail)
        if (const auto* letter = from.letter_to(part.number())) use(part, from.from, *letter);
  }

  /// Deposits charge and solves for the field. Returns what the last iteration has added up.
  Products find_field(const Plasma& plasma, std::int64_t background) {
    std::vector<Mail<std::int64_t>> deposits;
    for (Part& part : parts) deposits.push_back(part.deposit());
    deliver(deposits, [](Part& part, std::int32_t from, const auto& letter) {
      part.add_deposits(from, letter);
    });
    std::vector<Mail<double>> gradients;
    for (Part& part : parts) gradients.push_back(part.begin_field(plasma, background));
    for (;;) {
      deliver(gradients, [](Part& part, std::int32_t from, const auto& letter) {
        part.set_gradients(from, letter);
      });
      Products sums;
      for (Part& part : parts) sums = sums + part.products();
      gradients.clear();
      for (Part& part : parts) gradients.push_back(part.advance(sums, plasma.tolerance));
      if (sums.is_solved(plasma.tolerance)) return sums;
    }
  }

  std::vector<Part> parts;
};

}  // namespace mini_pic
