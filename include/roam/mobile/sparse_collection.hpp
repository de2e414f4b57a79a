// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "roam/core/detail/named_arguments.hpp"
#include "roam/mobile/collection_handle.hpp"
#include "roam/mobile/detail/sparse_keys.hpp"
#include "roam/mobile/mobile_ptr.hpp"

namespace roam {

/// @cond
// Deliberately incomplete: the compiler's one-line error names the rule and the type.
template <class Key>
struct equal_keys_of_this_type_may_differ_in_their_bytes_so_give_it_a_serialize_member;
/// @endcond

namespace mobile::detail {

/// The bytes of a key, which identify it on all ranks.
template <class Key>
[[nodiscard]] std::string pack_key(const Key& key) {
  if constexpr (core::detail::Plain<Key> && !std::is_empty_v<Key> &&
                !std::has_unique_object_representations_v<Key>) {
    (void)sizeof(
        equal_keys_of_this_type_may_differ_in_their_bytes_so_give_it_a_serialize_member<Key>);
  }
  core::Packer packer(core::Buffer::allocate(32));
  core::pack(packer, key);
  const core::Buffer bytes = packer.take();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Makes the element of a key from constructor arguments.
template <class T, class Key, class... A>
struct KeyedElement {
  static ObjectId make(ObjectSpace& space, std::span<const std::byte> key_bytes,
                       std::span<const std::byte> argument_bytes) {
    core::Unpacker packed_key(key_bytes);
    const Key key = core::unpack_all<Key>(packed_key);
    core::Unpacker packed(argument_bytes);
    auto arguments = core::unpack_whole_tuple<std::tuple<A...>>(packed);
    std::unique_ptr<T> object = std::apply(
        [&](A&... values) { return make_element<T, Key, A...>(key, std::move(values)...); },
        arguments);
    return space.adopt(object_type<T>(), object.release());
  }
};
template <class T, class Key, class... A>
inline const NamedFunction<MakeElement> keyed_element{
    core::program_name_of_type<KeyedElement<T, Key, A...>>(), &KeyedElement<T, Key, A...>::make};

/// A call to the element of a key, stored until the element is known.
template <auto F>
class KeyCall final : public KeyOperation {
 public:
  using Arguments = typename TraitsOf<F>::Arguments;
  template <class... A>
  KeyCall(const CallOptions& options, const am::ReplyTo& reply_to, A&&... arguments)
      : KeyCall(std::type_identity<Arguments>{}, options, reply_to, std::forward<A>(arguments)...) {
  }
  void run(SparseKeys& keys, ObjectId object) override {
    std::apply(
        [&](auto&... values) {
          keys.space().send<F>(object, options_, reply_to(), std::move(values)...);
        },
        arguments_);
  }
  void fail(SparseKeys& keys) override {
    keys.space().dead_letter(reply_to(), keys.describe_missing(core::value_name<F>()));
  }

 private:
  template <class... P, class... A>
  KeyCall(std::type_identity<std::tuple<P...>>, const CallOptions& options,
          const am::ReplyTo& reply_to, A&&... arguments)
      : KeyOperation(Kind::use, reply_to),
        options_(options),
        arguments_(core::store_argument<P>(std::forward<A>(arguments))...) {}
  const CallOptions options_;
  StoredArgumentsOf<F> arguments_;
};

}  // namespace mobile::detail
/// @cond

namespace mobile {

/// Asks the key's element to move.
class KeyMigration final : public KeyOperation {
 public:
  explicit KeyMigration(Rank target) : KeyOperation(Kind::use), target_(target) {}
  void run(SparseKeys& keys, ObjectId object) override { keys.space().migrate(object, target_); }

 private:
  const Rank target_;
};

/// Asks whether the key exists.
class KeyQuestion final : public KeyOperation {
 public:
  explicit KeyQuestion(const am::ReplyTo& to) : KeyOperation(Kind::use, to) {}
  void run(SparseKeys& keys, ObjectId object) override;
  void fail(SparseKeys& keys) override;
};

/// An insertion or erasure on its way to the key's home.
class KeyChange final : public KeyOperation {
 public:
  KeyChange(Kind kind, const am::ReplyTo& reply_to, std::string key, const KeyRequestHeader& header,
            core::Buffer arguments)
      : KeyOperation(kind, reply_to),
        key_(std::move(key)),
        header_(header),
        arguments_(std::move(arguments)) {
    header_.reply_token = reply_to.token;
  }
  void run(SparseKeys& keys, ObjectId object) override {
    if (kind() == Kind::erase) header_.object = object.value();
    keys.request(keys.home_of(key_), key_, header_, arguments_.bytes());
  }
  void fail(SparseKeys& keys) override;

 private:
  const std::string key_;
  KeyRequestHeader header_;
  const core::Buffer arguments_;
};

}  // namespace mobile
/// @endcond

/// The element of one key of a sparse collection, as a short-lived value: a call goes to the object
/// that the key has when the call arrives.
template <class T>
class SparseElement {
 public:
  /// @cond
  SparseElement(const mobile::CollectionShape& shape, std::string key)
      : shape_(shape), key_(std::move(key)) {}
  /// @endcond

  /// Runs Method(arguments...) on the element, as mobile_ptr::send() does. This rank's calls to it
  /// start in the order in which they are issued (M3), including those issued while the rank does
  /// not know yet where the element is.
  template <auto Method, class... A>
  void send(A&&... arguments) const {
    send_with<Method>(CallOptions{}, std::forward<A>(arguments)...);
  }
  /// Runs Method as send() does, with priority, cost or weight: see CallOptions.
  template <auto Method, class... A>
  void send_with(const CallOptions& options, A&&... arguments) const {
    if constexpr (!mobile::detail::can_run_on<Method, T>) {
      mobile::detail::explain_handler<Method, T>();
    } else {
      issue<Method>(options, {}, std::forward<A>(arguments)...);
    }
  }
  /// Runs Method(arguments...) on the element and returns its result: `co_await
  /// cells[key].call<&Cell::mass>();`. The reply throws roam::ObjectGone if the key does not exist.
  template <auto Method, class... A>
  [[nodiscard]] auto call(A&&... arguments) const {
    return call_with<Method>(CallOptions{}, std::forward<A>(arguments)...);
  }
  /// Runs Method as call() does, with priority, deadline, cost or weight: see CallOptions.
  template <auto Method, class... A>
  [[nodiscard]] auto call_with(const CallOptions& options, A&&... arguments) const {
    if constexpr (!mobile::detail::can_run_on<Method, T>) {
      mobile::detail::explain_handler<Method, T>();
      return std::suspend_never();
    } else {
      core::require_named_arguments<A...>();
      using R = am::ResultOf<typename mobile::detail::TraitsOf<Method>::Result>;
      auto [pending, to] = mobile::current_space().messenger().expect_reply(
          core::value_name<Method>().data(), ObjectId());
      am::Reply<R> reply(pending);
      issue<Method>(options, to, std::forward<A>(arguments)...);
      return reply;
    }
  }
  /// Asks the element to move, once it is known and no handler runs on it. Returns at once; no
  /// effect if the key does not exist. Throws roam::Error if the rank does not exist.
  void migrate(Rank target) const {
    const std::int32_t size = mobile::current_space().messenger().size();
    if (target.value() < 0 || target.value() >= size) {
      throw Error("cannot migrate an element to rank " + std::to_string(target.value()) +
                  "; the job has ranks 0 to " + std::to_string(size - 1));
    }
    if (const auto state = mobile::current_collections().find(shape_.base))
      state->keys().submit(key_, core::make_owned<mobile::KeyMigration>(target));
  }

 private:
  template <auto Method, class... A>
  void issue(const CallOptions& options, const am::ReplyTo& reply_to, A&&... arguments) const {
    using Arguments = typename mobile::detail::TraitsOf<Method>::Arguments;
    if constexpr (!core::are_arguments_for<Arguments, std::decay_t<A>...>) {
      (void)sizeof(these_arguments_do_not_match_the_parameters_of_the_handler<decltype(Method),
                                                                              std::decay_t<A>...>);
    } else {
      mobile::Collections& collections = mobile::current_collections();
      const auto state = collections.find(shape_.base);
      if (state == nullptr) return collections.report_gone(reply_to, shape_.base);
      mobile::SparseKeys& keys = state->keys();
      if (const ObjectId object = keys.known(key_)) {
        keys.space().send<Method>(object, options, reply_to, std::forward<A>(arguments)...);
      } else {
        static_cast<void>(keys.home_of(key_));  // a wrong map is the caller's error
        keys.submit(key_, core::make_owned<mobile::detail::KeyCall<Method>>(
                              options, reply_to, std::forward<A>(arguments)...));
      }
    }
  }

  mobile::CollectionShape shape_;
  std::string key_;
};

/// @cond
namespace mobile {
/// What a sparse collection gives for a key that may be a temporary which GCC 12 destroys twice if
/// the element's call is awaited in the same expression: refuses to be called there. What is sent
/// is not awaited, and an element that has a name is called in an expression of its own.
template <class T, class Key>
class ElementOfTemporaryKey : public SparseElement<T> {
 public:
  using SparseElement<T>::SparseElement;
  template <auto Method, class... A>
  [[nodiscard]] auto call(A&&... arguments) const& {
    return SparseElement<T>::template call<Method>(std::forward<A>(arguments)...);
  }
  template <auto Method, class... A>
  [[nodiscard]] auto call(A&&... arguments) const&& {
    core::require_named_arguments<Key>();
    return call<Method>(std::forward<A>(arguments)...);
  }
  template <auto Method, class... A>
  [[nodiscard]] auto call_with(const CallOptions& options, A&&... arguments) const& {
    return SparseElement<T>::template call_with<Method>(options, std::forward<A>(arguments)...);
  }
  template <auto Method, class... A>
  [[nodiscard]] auto call_with(const CallOptions& options, A&&... arguments) const&& {
    core::require_named_arguments<Key>();
    return call_with<Method>(options, std::forward<A>(arguments)...);
  }
};
}  // namespace mobile
/// @endcond

/// Mobile objects of class T that are named by keys: numbers, strings, indices, or any type that
/// can be sent and whose equal values have equal bytes. Any rank inserts and erases keys at run
/// time (M11). A value of 56 bytes: copyable, serialisable, valid on every rank until the
/// collection is destroyed. Made by Runtime::create_sparse_collection().
///
/// A rank asks a key's home for the key's object once and then calls the object directly, wherever
/// it is. Methods may be used inside handlers and main programs; none blocks. What one rank does
/// with one key (calls, insertion, erasure) takes effect in the order in which it does it. In an
/// epoch it counts as work of that epoch: an insertion until the element is made, an erasure until
/// no rank mistakes the old object for the key's (M10). For operations on all elements see
/// mobile::CollectionHandle.
template <class T, class Key>
class sparse_collection  // NOLINT(readability-identifier-naming): of the kind of mobile_ptr
    : public mobile::CollectionHandle<T> {
 public:
  using key_type = Key;

  sparse_collection() = default;
  /// @cond
  explicit sparse_collection(const mobile::CollectionShape& shape)
      : mobile::CollectionHandle<T>(shape) {}
  /// @endcond
  friend bool operator==(const sparse_collection& a, const sparse_collection& b) {
    return a.shape_ == b.shape_;
  }

  [[nodiscard]] SparseElement<T> operator[](const Key& key) const {
    return {shape_, mobile::detail::pack_key(key)};
  }
  /// @cond
  [[nodiscard]] mobile::ElementOfTemporaryKey<T, Key> operator[](
      Key&& key) const requires core::may_be_destroyed_twice<Key> {
    return {shape_, mobile::detail::pack_key(key)};
  }
  /// @endcond
  /// The rank that stores the key, and makes its elements.
  [[nodiscard]] Rank home(const Key& key) const {
    const std::string packed = mobile::detail::pack_key(key);
    return shape_.home_of_key(std::as_bytes(std::span<const char>(packed.data(), packed.size())));
  }

  /// Makes the key's element from T(key, arguments...) if there is such a constructor, else from
  /// T(arguments...), at the key's home. Awaitable: gives false, and changes nothing, if the key
  /// existed. Throws roam::RemoteError if the constructor threw.
  template <class... A>
  [[nodiscard]] am::Reply<bool> insert(const Key& key, A&&... arguments) const {
    core::require_named_arguments<A...>();
    auto [pending, to] = expect("insertion into a sparse collection");
    am::Reply<bool> reply(pending);
    insert_for(to, key, arguments...);
    return reply;
  }
  /// @cond
  template <class... A>
  [[nodiscard]] am::Reply<bool> insert(
      Key&& key, A&&... arguments) const requires core::may_be_destroyed_twice<Key> {
    core::require_named_arguments<Key>();
    return insert(std::as_const(key), std::forward<A>(arguments)...);
  }
  /// @endcond
  /// Inserts a key's element without an answer.
  template <class... A>
  void send_insert(const Key& key, A&&... arguments) const {
    insert_for({}, key, arguments...);
  }
  /// Ends the key's element after this rank's earlier calls to it (M8); the key may be inserted
  /// again, and then names a new object. Awaitable: gives false if the key did not exist. Once the
  /// reply has come, no rank mistakes the old object for the key's.
  [[nodiscard]] am::Reply<bool> erase(const Key& key) const {
    auto [pending, to] = expect("erasure from a sparse collection");
    am::Reply<bool> reply(pending);
    change(mobile::KeyOperation::Kind::erase, to, key, 0, {});
    return reply;
  }
  /// @cond
  [[nodiscard]] am::Reply<bool> erase(Key&& key) const requires core::may_be_destroyed_twice<Key> {
    core::require_named_arguments<Key>();
    return erase(std::as_const(key));
  }
  /// @endcond
  /// Erases a key's element without an answer.
  void send_erase(const Key& key) const {
    change(mobile::KeyOperation::Kind::erase, {}, key, 0, {});
  }
  /// Awaitable: gives true if the key exists, in order with this rank's insertions and erasures of
  /// it.
  [[nodiscard]] am::Reply<bool> contains(const Key& key) const {
    auto [pending, to] = expect("a look into a sparse collection");
    am::Reply<bool> reply(pending);
    if (const auto state = mobile::current_collections().find(shape_.base)) {
      state->keys().submit(mobile::detail::pack_key(key),
                           core::make_owned<mobile::KeyQuestion>(to));
    } else {
      mobile::current_collections().report_gone(to, shape_.base);
    }
    return reply;
  }
  /// @cond
  [[nodiscard]] am::Reply<bool> contains(
      Key&& key) const requires core::may_be_destroyed_twice<Key> {
    core::require_named_arguments<Key>();
    return contains(std::as_const(key));
  }
  /// @endcond

  /// The elements of those of the keys that exist.
  [[nodiscard]] Section<T> section(const std::vector<Key>& keys) const {
    mobile::SectionBytes which;
    which.kind = mobile::SectionBytes::Kind::keys;
    for (const Key& key : keys) which.keys.push_back(mobile::detail::pack_key(key));
    return {shape_.base, std::move(which)};
  }
  /// The elements for whose key bool Predicate(Key), a function of the key alone, is true.
  template <auto Predicate>
  [[nodiscard]] Section<T> section() const {
    mobile::SectionBytes which;
    which.kind = mobile::SectionBytes::Kind::predicate;
    which.predicate = mobile::detail::key_predicate<Predicate, Key>.id();
    return {shape_.base, std::move(which)};
  }

 private:
  [[nodiscard]] static auto expect(const char* label) {
    return mobile::current_space().messenger().expect_reply(label, ObjectId());
  }
  template <class... A>
  void insert_for(const am::ReplyTo& to, const Key& key, const A&... arguments) const {
    core::Packer packer(core::Buffer::allocate(64));
    core::pack_tuple_as(std::type_identity<std::tuple<std::decay_t<const A&>...>>{}, packer,
                        arguments...);
    const auto& maker = mobile::detail::keyed_element<T, Key, std::decay_t<const A&>...>;
    change(mobile::KeyOperation::Kind::insert, to, key, maker.id(), packer.take());
  }
  void change(mobile::KeyOperation::Kind kind, const am::ReplyTo& to, const Key& key,
              std::uint32_t make, core::Buffer arguments) const {
    mobile::Collections& collections = mobile::current_collections();
    const auto state = collections.find(shape_.base);
    if (state == nullptr) return collections.report_gone(to, shape_.base);
    std::string packed = mobile::detail::pack_key(key);
    static_cast<void>(state->keys().home_of(packed));  // a wrong map is the caller's error
    mobile::KeyRequestHeader header;
    header.kind = kind == mobile::KeyOperation::Kind::insert
                      ? mobile::KeyRequestHeader::Kind::insert
                      : mobile::KeyRequestHeader::Kind::erase;
    header.make = make;
    auto operation =
        core::make_owned<mobile::KeyChange>(kind, to, packed, header, std::move(arguments));
    state->keys().submit(std::move(packed), std::move(operation));
  }

  using mobile::CollectionHandle<T>::shape_;
};

}  // namespace roam
