// SPDX-License-Identifier: Apache-2.0
#include "transport/ucx/pmix_bootstrap.hpp"

#include "roam/core/error.hpp"

#ifdef ROAM_HAS_PMIX

#include <pmix.h>

#include <atomic>
#include <cstdlib>

namespace roam::transport {

namespace {

void check_pmix(pmix_status_t status, const char* call) {
  if (status != PMIX_SUCCESS) throw Error(std::string(call) + ": " + PMIx_Error_string(status));
}

// This process as a client of the launcher's PMIx server, from the first use to the end of the
// process: a client that disconnects and comes back, while others wait for it at a fence, confuses
// the server. Like PMIx itself it belongs to the process, whatever the number of networks.
class PmixClient {
 public:
  static PmixClient& of_this_process() {
    static PmixClient client;
    return client;
  }
  PmixClient(const PmixClient&) = delete;
  PmixClient& operator=(const PmixClient&) = delete;

  [[nodiscard]] const pmix_proc_t& self() const { return self_; }
  [[nodiscard]] const pmix_proc_t& all() const { return all_; }
  [[nodiscard]] std::int32_t size() const { return size_; }
  // What was put under a key remains there: networks that all ranks open one after the other need a
  // key each.
  [[nodiscard]] std::string new_key() { return "roam.ucx." + std::to_string(keys_++); }

 private:
  PmixClient() {
    const pmix_status_t status = PMIx_Init(&self_, nullptr, 0);
    if (status != PMIX_SUCCESS) {
      throw Error(std::string("the launcher's PMIx server cannot be reached (PMIx_Init: ") +
                  PMIx_Error_string(status) +
                  "): start the program with mpirun of Open MPI, prterun or srun --mpi=pmix, or "
                  "without a launcher, with ROAM_UCX_RANK, ROAM_UCX_SIZE and ROAM_UCX_ROOT");
    }
    PMIX_PROC_LOAD(&all_, self_.nspace, PMIX_RANK_WILDCARD);
    pmix_value_t* value = nullptr;
    const pmix_status_t got = PMIx_Get(&all_, PMIX_JOB_SIZE, nullptr, 0, &value);
    if (got != PMIX_SUCCESS) {
      PMIx_Finalize(nullptr, 0);
      check_pmix(got, "PMIx_Get of the number of ranks");
    }
    size_ = static_cast<std::int32_t>(value->data.uint32);
    PMIX_VALUE_RELEASE(value);
  }
  ~PmixClient() { PMIx_Finalize(nullptr, 0); }

  pmix_proc_t self_{};
  pmix_proc_t all_{};
  std::int32_t size_ = 0;
  std::atomic<unsigned> keys_{0};
};

class PmixBootstrap final : public Bootstrap {
 public:
  Rank rank() const override { return static_cast<std::int32_t>(client_.self().rank); }
  std::int32_t size() const override { return client_.size(); }

  std::vector<std::string> allgather(const std::string& mine) override {
    const std::string key = client_.new_key();
    std::string bytes = mine;
    pmix_value_t value;
    PMIX_VALUE_CONSTRUCT(&value);
    value.type = PMIX_BYTE_OBJECT;
    value.data.bo.bytes = bytes.data();
    value.data.bo.size = bytes.size();
    check_pmix(PMIx_Put(PMIX_GLOBAL, key.c_str(), &value), "PMIx_Put");
    check_pmix(PMIx_Commit(), "PMIx_Commit");
    pmix_info_t collect;
    bool yes = true;
    PMIX_INFO_LOAD(&collect, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
    check_pmix(PMIx_Fence(&client_.all(), 1, &collect, 1), "PMIx_Fence");
    std::vector<std::string> texts;
    for (std::int32_t rank = 0; rank < size(); ++rank) texts.push_back(get(rank, key));
    return texts;
  }

  void abort(int status) override {
    PMIx_Abort(status, "Roam stops the job", nullptr, 0);
    std::_Exit(status);
  }

 private:
  std::string get(std::int32_t rank, const std::string& key) const {
    pmix_proc_t peer;
    PMIX_PROC_LOAD(&peer, client_.self().nspace, static_cast<pmix_rank_t>(rank));
    pmix_value_t* value = nullptr;
    check_pmix(PMIx_Get(&peer, key.c_str(), nullptr, 0, &value), "PMIx_Get");
    const bool is_text = value->type == PMIX_BYTE_OBJECT;
    std::string text =
        is_text ? std::string(value->data.bo.bytes, value->data.bo.size) : std::string();
    PMIX_VALUE_RELEASE(value);
    return text;
  }

  PmixClient& client_ = PmixClient::of_this_process();
};

}  // namespace

std::unique_ptr<Bootstrap> make_pmix_bootstrap() { return std::make_unique<PmixBootstrap>(); }

}  // namespace roam::transport

#else

namespace roam::transport {

std::unique_ptr<Bootstrap> make_pmix_bootstrap() {
  throw Error(
      "ucx: this build of Roam has no PMIx, by which a launcher tells its processes of each other: "
      "install libpmix-dev and configure again, or start the processes with ROAM_UCX_RANK, "
      "ROAM_UCX_SIZE and ROAM_UCX_ROOT");
}

}  // namespace roam::transport

#endif
