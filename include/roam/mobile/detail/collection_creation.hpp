// SPDX-License-Identifier: Apache-2.0
#pragma once

// How collections begin and end.
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "roam/mobile/detail/collections.hpp"
#include "roam/mobile/object_type.hpp"

namespace roam {

// Deliberately incomplete: the compiler's one-line error names the rule and the types.
template <class Object, class... Arguments>
struct this_class_cannot_be_made_from_an_index_or_key_and_these_arguments_or_from_these_alone;

namespace mobile {

/// Starts an operation whose body write(packer) writes; the reply is its result.
template <class R, class O, class Write>
[[nodiscard]] am::Reply<R> ask_collection(Collections& collections, std::uint64_t base,
                                          const char* label, Write&& write) {
  auto [pending, to] = collections.messenger().expect_reply(label, ObjectId());
  am::Reply<R> reply(pending);
  core::Packer packer = collections.begin(detail::operation_type<O>, base, to.token);
  write(packer);
  collections.start(std::move(packer));
  return reply;
}

namespace detail {

/// Makes T(place, arguments...) if there is such a constructor, else T(arguments...).
template <class T, class Place, class... A>
std::unique_ptr<T> make_element(const Place& place, A... arguments) {
  if constexpr (std::is_constructible_v<T, const Place&, A...>) {
    return std::make_unique<T>(place, std::move(arguments)...);
  } else if constexpr (std::is_constructible_v<T, A...>) {
    return std::make_unique<T>(std::move(arguments)...);
  } else {
    (void)sizeof(
        this_class_cannot_be_made_from_an_index_or_key_and_these_arguments_or_from_these_alone<
            T, A...>);
  }
}

template <auto Predicate, int D>
bool holds_for_index(const Coordinates& at) {
  return Predicate(index_of<D>(at));
}
/// Names a predicate in the list, so that it differs from the same function over other indices or
/// keys.
template <auto Predicate, class Over>
struct PredicateOver;
template <auto Predicate, class Over>
[[nodiscard]] core::ProgramName predicate_name() {
  return {core::value_name<Predicate>(), core::type_symbol<PredicateOver<Predicate, Over>>()};
}

template <auto Predicate, int D>
inline const NamedFunction<SectionPredicate> index_predicate{
    predicate_name<Predicate, Index<D>>(),
    SectionPredicate{&holds_for_index<Predicate, D>, nullptr}};

template <auto Predicate, class Key>
bool holds_for_key(std::span<const std::byte> key) {
  core::Unpacker bytes(key);
  return Predicate(core::unpack_all<Key>(bytes));
}
template <auto Predicate, class Key>
inline const NamedFunction<SectionPredicate> key_predicate{
    predicate_name<Predicate, Key>(), SectionPredicate{nullptr, &holds_for_key<Predicate, Key>}};

}  // namespace detail

/// The creation of the elements of a dense collection. It fails as a whole: if one element cannot
/// be made, all are ended.
class CreationBase : public Operation {
 public:
  static constexpr auto effect = OperationType::Effect::creates;
  CreationBase(Collections& collections, const OperationType& type, const OperationHeader& header,
               SharedBytes body);

 protected:
  [[nodiscard]] std::uint32_t prepare(CollectionState& state) override;
  void start_part(CollectionState& state, std::uint32_t position) override;
  void failed() override;
  /// Makes one element; its arguments are read from the bytes.
  virtual void* make(const Coordinates& at, core::Unpacker& arguments) = 0;
  [[nodiscard]] virtual const ObjectType& object_class() const = 0;
  [[nodiscard]] const CollectionShape& shape() const { return shape_; }

 private:
  const SharedBytes body_;
  CollectionShape shape_;
  std::size_t arguments_offset_ = 0;
};

template <class Handle, class... A>
class Creation final : public CreationBase {
 public:
  static constexpr int dimensions = Handle::dimensions;
  using T = typename Handle::element_type;
  Creation(Collections& collections, const OperationHeader& header, SharedBytes body)
      : CreationBase(collections, detail::operation_type<Creation>, header, std::move(body)) {}

 protected:
  void* make(const Coordinates& at, core::Unpacker& bytes) override {
    auto arguments = core::unpack_whole_tuple<std::tuple<A...>>(bytes);
    const Index<Handle::dimensions> index = index_of<Handle::dimensions>(at);
    return std::apply(
               [&](A&... values) {
                 return detail::make_element<T, Index<Handle::dimensions>, A...>(
                     index, std::move(values)...);
               },
               arguments)
        .release();
  }
  [[nodiscard]] const ObjectType& object_class() const override { return object_type<T>(); }
  void answer(const am::ReplyTo& to) override {
    collections().messenger().answer(to, Handle(shape()));
  }
};

/// The creation of a sparse collection, without an element.
template <class Handle>
class SparseCreation final : public Operation {
 public:
  static constexpr auto effect = OperationType::Effect::creates;
  static constexpr int dimensions = 0;
  SparseCreation(Collections& collections, const OperationHeader& header, const SharedBytes& body)
      : Operation(collections, detail::operation_type<SparseCreation>, header) {
    core::Unpacker bytes(body.view());
    core::unpack_into(bytes, shape_);
  }

 protected:
  [[nodiscard]] std::uint32_t prepare(CollectionState& /*state*/) override { return 0; }
  void start_part(CollectionState& /*state*/, std::uint32_t /*position*/) override {}
  void answer(const am::ReplyTo& to) override {
    collections().messenger().answer(to, Handle(shape_));
  }

 private:
  CollectionShape shape_;
};

/// Starts a creation; throws roam::Error if such a collection cannot be made.
template <class Handle, class... A>
[[nodiscard]] am::Reply<Handle> create_collection(Collections& collections,
                                                  const Index<Handle::dimensions>& extent,
                                                  const Placement& placement,
                                                  const A&... arguments) {
  core::require_serialisable<typename Handle::element_type>();
  CollectionShape shape;
  shape.extent = coordinates_of(extent, 1);
  shape.placement = placement;
  shape.ranks = collections.messenger().size();
  shape.dimensions = Handle::dimensions;
  shape.check();
  return ask_collection<Handle, Creation<Handle, A...>>(
      collections, 0, "the creation of a collection",
      [&](core::Packer& packer) { core::pack(packer, shape, arguments...); });
}

template <class Handle>
[[nodiscard]] am::Reply<Handle> create_sparse_collection(Collections& collections,
                                                         const Placement& placement) {
  core::require_serialisable<typename Handle::element_type>();
  core::require_serialisable<typename Handle::key_type>();
  CollectionShape shape;
  shape.placement = placement;
  shape.ranks = collections.messenger().size();
  shape.check();
  return ask_collection<Handle, SparseCreation<Handle>>(
      collections, 0, "the creation of a sparse collection",
      [&](core::Packer& packer) { core::pack(packer, shape); });
}

/// The end of a collection of either kind.
class CollectionEnd final : public Operation {
 public:
  static constexpr auto effect = OperationType::Effect::ends;
  CollectionEnd(Collections& collections, const OperationHeader& header, const SharedBytes& body);

 protected:
  [[nodiscard]] std::uint32_t prepare(CollectionState& state) override;
  void start_part(CollectionState& /*state*/, std::uint32_t /*position*/) override {}
  void answer(const am::ReplyTo& to) override { collections().messenger().answer(to); }
};

}  // namespace mobile
}  // namespace roam
