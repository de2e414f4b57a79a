// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a task of for_each() runs on a rank that has not issued it: what is compiled for each body.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "roam/core/serialise.hpp"
#include "roam/flow/detail/element_slots.hpp"

namespace roam::flow {

/// A body that runs on ranks that have not issued its task. All ranks run the same executable, so
/// its number is the same everywhere. Made during static initialisation, or when a library is
/// loaded.
class RemoteBody {
 public:
  /// Reads what the task uses, runs the body, and writes what it has written. Throws what the body
  /// throws.
  using Run = void (*)(core::Unpacker& inputs, core::Packer& outputs);
  RemoteBody(const char* name, Run run);
  RemoteBody(const RemoteBody&) = delete;
  RemoteBody& operator=(const RemoteBody&) = delete;
  [[nodiscard]] std::uint32_t number() const { return number_; }
  /// For traces.
  [[nodiscard]] const char* name() const { return name_; }
  void call(core::Unpacker& inputs, core::Packer& outputs) const { run_(inputs, outputs); }
  /// The body of this number; nullptr: there is none.
  [[nodiscard]] static const RemoteBody* find(std::uint32_t number);

 private:
  const char* name_;
  Run run_;
  std::uint32_t number_;
  const RemoteBody* next_;
};

namespace detail {

/// For a slot of a task: how what it provides goes to another rank, and what comes back. `write`
/// and `read` are called on the rank that has issued the task; Given exists on the other one.
template <class S>
struct RemoteSlot {
  static constexpr bool can_travel = false;
};

template <class P>
  requires(is_one_of<Effect::read, Effect::modify, Effect::commute>(DatumSlot<P>::effect))
struct RemoteSlot<DatumSlot<P>> {
  using Value = typename DatumSlot<P>::Value;
  static constexpr bool can_travel = core::can_arrive<Value>;
  static constexpr bool comes_back = writes(DatumSlot<P>::effect);
  static void write(core::Packer& packer, const DatumSlot<P>& /*slot*/, const Access* access) {
    core::pack(packer, *static_cast<const Value*>(access->instance->value()));
  }
  static void read(core::Unpacker& bytes, DatumSlot<P>& /*slot*/, const Access* access) {
    if constexpr (comes_back)
      static_cast<InstanceOf<Value>&>(*access->instance).emplace(core::unpack<Value>(bytes));
  }
  class Given {
   public:
    void read(core::Unpacker& bytes) { value_.emplace(core::unpack<Value>(bytes)); }
    [[nodiscard]] decltype(auto) get() {
      if constexpr (DatumSlot<P>::effect == Effect::read) {
        return std::as_const(*value_);
      } else if constexpr (DatumSlot<P>::effect == Effect::modify) {
        return (*value_);
      } else {
        return P(*value_);
      }
    }
    void write(core::Packer& packer) const {
      if constexpr (comes_back) core::pack(packer, *value_);
    }

   private:
    std::optional<Value> value_;
  };
};

template <class T>
struct RemoteSlot<DatumSlot<Out<T>>> {
  static constexpr bool can_travel = core::can_arrive<T>;
  static void write(core::Packer& /*packer*/, const DatumSlot<Out<T>>& /*slot*/,
                    const Access* /*access*/) {}
  static void read(core::Unpacker& bytes, DatumSlot<Out<T>>& /*slot*/, const Access* access) {
    static_cast<InstanceOf<T>&>(*access->instance).emplace(core::unpack<T>(bytes));
  }
  class Given {
   public:
    void read(core::Unpacker& /*bytes*/) {}
    [[nodiscard]] Out<T> get() { return Out<T>(value_); }
    void write(core::Packer& packer) const { core::pack(packer, value_); }

   private:
    T value_{};
  };
};

template <class P>
struct RemoteSlot<ValueSlot<P>> {
  using Value = typename ValueSlot<P>::Value;
  static constexpr bool can_travel = core::can_arrive<Value>;
  static void write(core::Packer& packer, const ValueSlot<P>& slot, const Access* /*none*/) {
    core::pack(packer, slot.value());
  }
  static void read(core::Unpacker& /*bytes*/, ValueSlot<P>& /*slot*/, const Access* /*none*/) {}
  class Given {
   public:
    void read(core::Unpacker& bytes) { value_.emplace(core::unpack<Value>(bytes)); }
    [[nodiscard]] const Value& get() const { return *value_; }
    void write(core::Packer& /*packer*/) const {}

   private:
    std::optional<Value> value_;
  };
};

template <class T, int D, std::size_t N>
struct RemoteSlot<NeighboursSlot<T, D, N>> {
  using Slot = NeighboursSlot<T, D, N>;
  static constexpr bool can_travel = core::can_arrive<T>;
  static void write(core::Packer& packer, const Slot& /*slot*/, const Access* access) {
    for (std::size_t i = 0; i < N; ++i)
      core::pack(packer, *static_cast<const T*>((access++)->instance->value()));
  }
  static void read(core::Unpacker& /*bytes*/, Slot& /*slot*/, const Access* /*access*/) {}
  class Given {
   public:
    void read(core::Unpacker& bytes) {
      values_.reserve(N);
      for (const T*& pointer : pointers_) {
        values_.push_back(core::unpack<T>(bytes));
        pointer = &values_.back();
      }
    }
    [[nodiscard]] Neighbours<T, D> get() const {
      return {pointers_, neighbour_offsets<D, N>.data()};
    }
    void write(core::Packer& /*packer*/) const {}

   private:
    std::vector<T> values_;
    std::array<const T*, N> pointers_{};
  };
};

template <template <class, class> class P, class T, class Op>
struct RemoteSlot<ReductionSlot<P<T, Op>>> {
  using Slot = ReductionSlot<P<T, Op>>;
  static constexpr bool can_travel = true;
  static void write(core::Packer& /*packer*/, const Slot& /*slot*/, const Access* /*none*/) {}
  static void read(core::Unpacker& bytes, Slot& slot, const Access* /*none*/) {
    std::optional<T> sum;
    if (core::unpack<bool>(bytes)) sum = core::unpack<T>(bytes);
    slot.give(std::move(sum));
  }
  class Given {
   public:
    void read(core::Unpacker& /*bytes*/) {}
    [[nodiscard]] P<T, Op> get() { return P<T, Op>(sum_); }
    void write(core::Packer& packer) const {
      core::pack(packer, sum_.has_value());
      if (sum_) core::pack(packer, *sum_);
    }

   private:
    std::optional<T> sum_;
  };
};

/// The body F with these slots on a rank that has not issued the task.
template <class F, class... S>
struct RemoteRun {
  static constexpr bool can_travel = (RemoteSlot<S>::can_travel && ...);
  static void run(core::Unpacker& inputs, core::Packer& outputs) {
    std::tuple<typename RemoteSlot<S>::Given...> all;
    std::apply(
        [&](auto&... given) {
          (given.read(inputs), ...);
          F()(given.get()...);
          (given.write(outputs), ...);
        },
        all);
  }
  inline static const RemoteBody body{Body<F>::name, &run};
};

}  // namespace detail

}  // namespace roam::flow
