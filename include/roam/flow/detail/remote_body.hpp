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
#include "roam/flow/detail/kept_elsewhere.hpp"
#include "roam/flow/detail/kept_values.hpp"

namespace roam::flow {

/// A body that runs on ranks that have not issued its task. All ranks run the same executable, so
/// its number is the same everywhere. Made during static initialisation, or when a library is
/// loaded.
class RemoteBody {
 public:
  /// Reads what the task uses, runs the body, and writes what it has written. `kept`: what the
  /// index's object keeps. Throws what the body throws.
  using Run = void (*)(core::Unpacker& inputs, core::Packer& outputs, KeptValues& kept);
  RemoteBody(const char* name, Run run);
  RemoteBody(const RemoteBody&) = delete;
  RemoteBody& operator=(const RemoteBody&) = delete;
  [[nodiscard]] std::uint32_t number() const { return number_; }
  /// For traces.
  [[nodiscard]] const char* name() const { return name_; }
  void call(core::Unpacker& inputs, core::Packer& outputs, KeptValues& kept) const {
    run_(inputs, outputs, kept);
  }
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

/// Whether values of T are kept where the index's object is. Small ones come back with the message
/// that their task has ended.
template <class T>
inline constexpr bool can_be_kept = !core::detail::Plain<T> || sizeof(T) > 256;

template <class T>
[[nodiscard]] std::uint64_t new_number(TravelNotes& notes, const Instance& instance) {
  if (!can_be_kept<T>) return 0;
  const std::uint64_t number = notes.kept.new_number(instance);
  if (number != 0) notes.issued.push_back(number);
  return number;
}

/// Reads what a task has written to an instance: the number by which it is kept, or its value.
template <class T>
void read_written(core::Unpacker& bytes, Instance& instance, TravelNotes& notes) {
  const auto number = core::unpack<std::uint64_t>(bytes);
  if (number == 0) {
    notes.kept.is_back(instance);
    static_cast<InstanceOf<T>&>(instance).emplace(core::unpack<T>(bytes));
  } else {
    notes.kept.keep(instance, notes.queue, number, [](Instance& to, core::Unpacker& from) {
      static_cast<InstanceOf<T>&>(to).emplace(core::unpack_all<T>(from));
    });
  }
}

template <class P>
  requires(is_one_of<Effect::read, Effect::modify, Effect::commute>(DatumSlot<P>::effect))
struct RemoteSlot<DatumSlot<P>> {
  using Value = typename DatumSlot<P>::Value;
  static constexpr Effect effect = DatumSlot<P>::effect;
  static constexpr bool can_travel = core::can_arrive<Value>;
  static void write(core::Packer& packer, const DatumSlot<P>& /*slot*/, const Access* access,
                    TravelNotes& notes) {
    const Instance& instance = *access->instance;
    const std::uint64_t number = notes.kept.begin_use(instance);
    if (number != 0) notes.used.push_back(number);
    core::pack(packer, number);
    const std::size_t before = packer.position();
    if (number == 0) core::pack(packer, *static_cast<const Value*>(instance.value()));
    // Whoever has a datum that commutes next has been chosen before it is known where the value is.
    if constexpr (effect == Effect::modify) {
      const std::uint64_t new_number = detail::new_number<Value>(notes, instance);
      if (new_number != 0) notes.once += packer.position() - before;
      core::pack(packer, new_number);
    }
  }
  static void read(core::Unpacker& bytes, DatumSlot<P>& /*slot*/, const Access* access,
                   TravelNotes& notes) {
    if constexpr (writes(effect)) read_written<Value>(bytes, *access->instance, notes);
  }
  class Given {
   public:
    void read(core::Unpacker& bytes, KeptValues& kept) {
      number_ = core::unpack<std::uint64_t>(bytes);
      if (number_ == 0) {
        value_ = &own_.emplace(core::unpack<Value>(bytes));
      } else {
        value_ = &kept.get<Value>(number_);
      }
      if constexpr (effect == Effect::modify) new_number_ = core::unpack<std::uint64_t>(bytes);
    }
    [[nodiscard]] decltype(auto) get() {
      if constexpr (effect == Effect::read) {
        return std::as_const(*value_);
      } else if constexpr (effect == Effect::modify) {
        return (*value_);
      } else {
        return P(*value_);
      }
    }
    void write(core::Packer& packer, KeptValues& kept) {
      if constexpr (writes(effect)) {
        core::pack(packer, new_number_);
        if (new_number_ == 0) {
          core::pack(packer, *value_);
          kept.drop(number_);
        } else if (number_ == 0) {
          kept.put(new_number_, std::move(*own_));
        } else {
          kept.renumber(number_, new_number_);
        }
      }
    }

   private:
    std::uint64_t number_ = 0;      // by which the value is kept
    std::uint64_t new_number_ = 0;  // by which it is to be kept
    std::optional<Value> own_;
    Value* value_ = nullptr;
  };
};

template <class T>
struct RemoteSlot<DatumSlot<Out<T>>> {
  static constexpr bool can_travel = core::can_arrive<T>;
  static void write(core::Packer& packer, const DatumSlot<Out<T>>& /*slot*/, const Access* access,
                    TravelNotes& notes) {
    core::pack(packer, new_number<T>(notes, *access->instance));
  }
  static void read(core::Unpacker& bytes, DatumSlot<Out<T>>& /*slot*/, const Access* access,
                   TravelNotes& notes) {
    read_written<T>(bytes, *access->instance, notes);
  }
  class Given {
   public:
    void read(core::Unpacker& bytes, KeptValues& /*kept*/) {
      new_number_ = core::unpack<std::uint64_t>(bytes);
    }
    [[nodiscard]] Out<T> get() { return Out<T>(value_); }
    void write(core::Packer& packer, KeptValues& kept) {
      core::pack(packer, new_number_);
      if (new_number_ == 0) {
        core::pack(packer, value_);
      } else {
        kept.put(new_number_, std::move(value_));
      }
    }

   private:
    std::uint64_t new_number_ = 0;
    T value_{};
  };
};

template <class P>
struct RemoteSlot<ValueSlot<P>> {
  using Value = typename ValueSlot<P>::Value;
  static constexpr bool can_travel = core::can_arrive<Value>;
  static void write(core::Packer& packer, const ValueSlot<P>& slot, const Access* /*none*/,
                    TravelNotes& /*notes*/) {
    core::pack(packer, slot.value());
  }
  static void read(core::Unpacker& /*bytes*/, ValueSlot<P>& /*slot*/, const Access* /*none*/,
                   TravelNotes& /*notes*/) {}
  class Given {
   public:
    void read(core::Unpacker& bytes, KeptValues& /*kept*/) {
      value_.emplace(core::unpack<Value>(bytes));
    }
    [[nodiscard]] const Value& get() const { return *value_; }
    void write(core::Packer& /*packer*/, KeptValues& /*kept*/) const {}

   private:
    std::optional<Value> value_;
  };
};

template <class T, int D, std::size_t N>
struct RemoteSlot<NeighboursSlot<T, D, N>> {
  using Slot = NeighboursSlot<T, D, N>;
  static constexpr bool can_travel = core::can_arrive<T>;
  static void write(core::Packer& packer, const Slot& /*slot*/, const Access* access,
                    TravelNotes& /*notes*/) {
    for (std::size_t i = 0; i < N; ++i)
      core::pack(packer, *static_cast<const T*>((access++)->instance->value()));
  }
  static void read(core::Unpacker& /*bytes*/, Slot& /*slot*/, const Access* /*access*/,
                   TravelNotes& /*notes*/) {}
  class Given {
   public:
    void read(core::Unpacker& bytes, KeptValues& /*kept*/) {
      values_.reserve(N);
      for (const T*& pointer : pointers_) {
        values_.push_back(core::unpack<T>(bytes));
        pointer = &values_.back();
      }
    }
    [[nodiscard]] Neighbours<T, D> get() const {
      return {pointers_, neighbour_offsets<D, N>.data()};
    }
    void write(core::Packer& /*packer*/, KeptValues& /*kept*/) const {}

   private:
    std::vector<T> values_;
    std::array<const T*, N> pointers_{};
  };
};

template <template <class, class> class P, class T, class Op>
struct RemoteSlot<ReductionSlot<P<T, Op>>> {
  using Slot = ReductionSlot<P<T, Op>>;
  static constexpr bool can_travel = true;
  static void write(core::Packer& /*packer*/, const Slot& /*slot*/, const Access* /*none*/,
                    TravelNotes& /*notes*/) {}
  static void read(core::Unpacker& bytes, Slot& slot, const Access* /*none*/,
                   TravelNotes& /*notes*/) {
    std::optional<T> sum;
    if (core::unpack<bool>(bytes)) sum = core::unpack<T>(bytes);
    slot.give(std::move(sum));
  }
  class Given {
   public:
    void read(core::Unpacker& /*bytes*/, KeptValues& /*kept*/) {}
    [[nodiscard]] P<T, Op> get() { return P<T, Op>(sum_); }
    void write(core::Packer& packer, KeptValues& /*kept*/) const {
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
  static void run(core::Unpacker& inputs, core::Packer& outputs, KeptValues& kept) {
    std::tuple<typename RemoteSlot<S>::Given...> all;
    std::apply(
        [&](auto&... given) {
          (given.read(inputs, kept), ...);
          F()(given.get()...);
          (given.write(outputs, kept), ...);
        },
        all);
  }
  inline static const RemoteBody body{Body<F>::name, &run};
};

}  // namespace detail

}  // namespace roam::flow
