// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "roam/core/error.hpp"
#include "roam/mobile/detail/collection_creation.hpp"
#include "roam/mobile/detail/element_operations.hpp"
#include "roam/mobile/detail/sparse_keys.hpp"

namespace roam::mobile {

std::string detail::failure_of_part(const Collections& collections, ObjectId element,
                                    std::string_view method) {
  return "rank " + std::to_string(collections.rank().value()) + ", " +
         collections.describe(element) + ", handler " + std::string(method);
}

namespace {
struct BoxBytes {
  Coordinates lower, upper, stride;
};
}  // namespace

void SectionBytes::pack(core::Packer& packer) const {
  core::pack(packer, kind);
  if (kind == Kind::box) core::pack(packer, BoxBytes{lower, upper, stride});
  if (kind == Kind::list) core::pack(packer, list);
  if (kind == Kind::keys) core::pack(packer, keys);
  if (kind == Kind::predicate) core::pack(packer, predicate);
}

SectionBytes SectionBytes::unpack(core::Unpacker& bytes) {
  SectionBytes section;
  core::unpack_into(bytes, section.kind);
  if (section.kind > Kind::predicate) throw MalformedMessage("a section of an unknown kind");
  if (section.kind == Kind::box) {
    const auto box = core::unpack<BoxBytes>(bytes);
    section.lower = box.lower;
    section.upper = box.upper;
    section.stride = box.stride;
  }
  if (section.kind == Kind::list) core::unpack_into(bytes, section.list);
  if (section.kind == Kind::keys) core::unpack_into(bytes, section.keys);
  if (section.kind == Kind::predicate) core::unpack_into(bytes, section.predicate);
  return section;
}

ElementOperation::ElementOperation(Collections& collections, const OperationType& type,
                                   const OperationHeader& header, SharedBytes body)
    : Operation(collections, type, header), body_(std::move(body)) {}

std::uint32_t ElementOperation::prepare(CollectionState& state) {
  core::Unpacker bytes(body_.view());
  const SectionBytes section = SectionBytes::unpack(bytes);
  arguments_ = SharedBytes(bytes.view(bytes.remaining()));
  targets_ = state.select(section);
  if (targets_.size() > std::numeric_limits<std::uint32_t>::max())
    throw Error("too many elements on one rank for one operation");
  return static_cast<std::uint32_t>(targets_.size());
}

// Elements that are gone keep their positions, so that the way in which values are combined does
// not depend on when this rank learns of their end.
void ElementOperation::start_part(CollectionState& /*state*/, std::uint32_t position) {
  if (const ObjectId element = targets_[position]) {
    visit(element, token(position));
  } else if (is_awaited()) {
    part_missing(position);
  }
}

CreationBase::CreationBase(Collections& collections, const OperationType& type,
                           const OperationHeader& header, SharedBytes body)
    : Operation(collections, type, header), body_(std::move(body)) {
  core::Unpacker bytes(body_.view());
  core::unpack_into(bytes, shape_);
  arguments_offset_ = body_.view().size() - bytes.remaining();
}

std::uint32_t CreationBase::prepare(CollectionState& state) {
  state.make_home(object_class());
  return static_cast<std::uint32_t>(state.home().count());
}

void CreationBase::start_part(CollectionState& state, std::uint32_t position) {
  const std::uint64_t linear = state.home().linear(position);
  const Coordinates at = shape_.coordinates(linear);
  core::Unpacker arguments(body_.view().subspan(arguments_offset_));
  void* object = nullptr;
  try {
    object = make(at, arguments);
  } catch (const std::exception& error) {
    throw Error(std::string(object_class().name()) + " " + shape_.describe(at) +
                " cannot be made: " + error.what());
  }
  collections().space().adopt_as(
      {collections().rank(), ObjectId::element_bit | (shape_.base + linear)}, object_class(),
      object);
  part_over();
}

void CreationBase::failed() {
  collections().start(collections().begin(detail::operation_type<CollectionEnd>, shape_.base, 0));
}

CollectionEnd::CollectionEnd(Collections& collections, const OperationHeader& header,
                             const SharedBytes& /*body*/)
    : Operation(collections, detail::operation_type<CollectionEnd>, header) {}

std::uint32_t CollectionEnd::prepare(CollectionState& state) {
  for (const ObjectId element : state.select({})) {
    if (element) collections().space().destroy(element);
  }
  if (state.shape().dimensions == 0) state.keys().end();
  return 0;
}

}  // namespace roam::mobile
