// SPDX-License-Identifier: Apache-2.0
#include "roam/flow/detail/reduction.hpp"

#include "roam/flow/core.hpp"

namespace roam::flow {

ReductionTask::ReductionTask(Scope& scope, const SourceLine& where, Exchange& exchange,
                             const ParcelName& name, const CollectionRecord& elements,
                             std::uint64_t contributions, Datum& datum, Effect effect)
    : TaskRecord(scope, "reduce", where),
      exchange_(exchange),
      name_(name),
      first_number_(name.number),
      rank_(elements.rank()),
      missing_(contributions + 1) {
  access_.datum = &datum;
  access_.effect = effect;
  set_accesses(&access_, 1);
  set_priority(Priority::high);  // other ranks may wait for it
  const std::int32_t ranks = elements.shape().ranks;
  const std::int32_t own = rank_.value();
  for (std::int32_t step = 1; step < ranks && (own & step) == 0; step *= 2) {
    if (own + step < ranks) below_.emplace_back(own + step);
  }
  if (own != 0) above_ = Rank(own & (own - 1));
  missing_ += below_.size();
}

ReductionTask::~ReductionTask() = default;

// Until this is submitted, no other thread can find all contributions there: the one extra count
// prevents it.
void ReductionTask::submit() {
  if (core().runs_at_once()) return core().submit(this);
  core().submit_expected(this);
  inlets_ = std::make_unique<Inlet[]>(below_.size() + 1);
  for (std::size_t i = 0; i < below_.size(); ++i) {
    inlets_[i].set(*this, false);
    expect(inlets_[i], 2 * name_.number, static_cast<std::uint64_t>(below_[i].value()));
  }
  if (above_ != no_rank) {
    inlets_[below_.size()].set(*this, true);
    expect(inlets_[below_.size()], 2 * name_.number + 1, 0);
  }
  one_is_there();
}

void ReductionTask::expect(Inlet& inlet, std::uint64_t number, std::uint64_t detail) {
  std::optional<Arrived> early =
      exchange_.expect({name_.flow, name_.collection, number, detail}, inlet);
  if (early) inlet.arrived(std::move(*early));
}

void ReductionTask::Inlet::arrived(Arrived&& arrived_parcel) {
  parcel = std::move(arrived_parcel);
  if (!is_result_) return task_->one_is_there();
  task_->send_down(parcel.has_failed, parcel.bytes.payload());
  task_->core().arrived(*task_);
}

std::uint64_t ReductionTask::tag() const {
  return core().runs_at_once() ? 0 : tag_of({name_.flow, name_.collection, first_number_, 0});
}

std::string ReductionTask::awaits_elsewhere() const {
  if (inlets_ == nullptr) return {};
  std::string ranks;
  for (std::size_t i = 0; i < below_.size(); ++i) {
    if (inlets_[i].parcel.bytes.buffer.size() == 0)
      ranks += (ranks.empty() ? "" : ", ") + std::to_string(below_[i].value());
  }
  const std::string datum = to_string(access_.instance->label()) + " at " + to_string(where());
  if (!ranks.empty()) return "contributions to " + datum + " of ranks " + ranks;
  if (above_ == no_rank || missing_.load(std::memory_order_relaxed) != 0) return {};
  return "the result of a reduction to " + datum + " from rank " + std::to_string(above_.value());
}

void ReductionTask::contributed() {
  if (!core().runs_at_once()) one_is_there();
}

void ReductionTask::one_is_there() {
  if (missing_.fetch_sub(1, std::memory_order_acq_rel) == 1) core().engine().push(this);
}

void ReductionTask::run(exec::Context& /*context*/) { all_are_there(); }

void ReductionTask::all_are_there() {
  combine();
  for (std::size_t i = 0; i < below_.size(); ++i) {
    core::Unpacker bytes(inlets_[i].parcel.bytes.payload());
    const auto element = core::unpack<std::uint64_t>(bytes);
    const auto words = core::unpack<std::string>(bytes);
    note_failure(element, words);
    read_parts(bytes);
  }
  core::Packer packer{core::Buffer()};
  if (above_ != no_rank) {
    core::pack(packer, failure_.element, failure_.words);
    write_parts(packer);
    // As soon as this is sent, the result may arrive and this object may be deleted.
    return exchange_.send(
        above_,
        {name_.flow, name_.collection, 2 * name_.number, static_cast<std::uint64_t>(rank_.value())},
        false, packer.buffer().bytes());
  }
  conclude();
  has_result_ = true;
  const bool has_failed = failure_.element != ~std::uint64_t{0};
  if (has_failed) {
    send_down(true, std::as_bytes(std::span(failure_.words)));
  } else if (!below_.empty()) {
    write_result(packer);
    send_down(false, packer.buffer().bytes());
  }
  core().arrived(*this);
}

void ReductionTask::send_down(bool has_failed, std::span<const std::byte> bytes) {
  for (const Rank rank : below_) {
    exchange_.send(rank, {name_.flow, name_.collection, 2 * name_.number + 1, 0}, has_failed,
                   bytes);
  }
}

void ReductionTask::call() {
  if (core().runs_at_once()) {
    combine();
    conclude();
    has_result_ = true;
  }
  if (!has_result_) {
    Arrived& parcel = inlets_[below_.size()].parcel;
    const std::span<const std::byte> bytes = parcel.bytes.payload();
    if (parcel.has_failed) {
      throw TaskFailed(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
                       nullptr);
    }
    core::Unpacker unpacker(bytes);
    read_result(unpacker);
  }
  if (failure_.element != ~std::uint64_t{0} && has_result_)
    throw TaskFailed(failure_.words, nullptr);
  deliver();
}

}  // namespace roam::flow
