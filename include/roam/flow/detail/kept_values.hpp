// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "roam/core/array.hpp"
#include "roam/core/error.hpp"
#include "roam/core/serialise.hpp"

namespace roam::flow {

/// Thrown if a value is not kept any more: the object has been on the issuer's rank since the task
/// was sent, and has left its values there. Then the task is sent anew.
class ValueNotKept : public Error {
 public:
  ValueNotKept() : Error("a task uses a value that is not kept here") {}
};

/// Values of an index's elements that are kept where its mobile object is, and move with it, while
/// the object is not on the rank that issues its tasks. Each has a number that this rank has given
/// it. A value that has come with a message is bytes until a task uses it, which knows its class.
/// Not thread-safe.
class KeptValues {
 public:
  /// The value of this number as T. Throws ValueNotKept if there is none.
  template <class T>
  [[nodiscard]] T& get(std::uint64_t number) {
    One& one = require(number);
    if (one.value == nullptr) {
      core::Unpacker bytes(std::span<const std::byte>(one.bytes.data(), one.bytes.size()));
      one.value = std::make_unique<Of<T>>(core::unpack_all<T>(bytes));
      one.bytes = {};
    }
    return static_cast<Of<T>&>(*one.value).value;
  }
  template <class T>
  void put(std::uint64_t number, T&& value) {
    all_.push_back(
        {number, std::make_unique<Of<std::remove_cvref_t<T>>>(std::forward<T>(value)), {}});
  }
  /// Gives a value that is kept another number.
  void renumber(std::uint64_t number, std::uint64_t other) { require(number).number = other; }
  /// Without effect if there is none.
  void drop(std::uint64_t number);
  [[nodiscard]] bool contains(std::uint64_t number) const { return find(number) != nullptr; }
  [[nodiscard]] bool is_empty() const { return all_.empty(); }
  /// The bytes of a value that is kept.
  [[nodiscard]] Array<std::byte> bytes_of(std::uint64_t number);
  /// The number of any value; there must be one.
  [[nodiscard]] std::uint64_t any() const { return all_.back().number; }

  template <class Archive>
  void save(Archive& archive) const {
    archive(std::uint64_t{all_.size()});
    for (const One& one : all_) {
      archive(one.number);
      one.write(archive.packer());
    }
  }
  template <class Archive>
  void load(Archive& archive) {
    std::uint64_t count = 0;
    archive(count);
    all_.clear();
    for (std::uint64_t i = 0; i < count; ++i) {
      One& one = all_.emplace_back();
      archive(one.number, one.bytes);
    }
  }

 private:
  class Value {
   public:
    Value() = default;
    Value(const Value&) = delete;
    Value& operator=(const Value&) = delete;
    virtual ~Value() = default;
    virtual void pack(core::Packer& packer) const = 0;
  };
  template <class T>
  class Of final : public Value {
   public:
    explicit Of(T&& of) : value(std::move(of)) {}
    void pack(core::Packer& packer) const override { core::pack(packer, value); }
    T value;
  };
  struct One {
    std::uint64_t number = 0;
    std::unique_ptr<Value> value;  // nullptr: bytes
    Array<std::byte> bytes;
    /// Writes what is read as `bytes`.
    void write(core::Packer& packer) const;
  };
  [[nodiscard]] const One* find(std::uint64_t number) const;
  [[nodiscard]] One& require(std::uint64_t number);

  std::vector<One> all_;
};

}  // namespace roam::flow
