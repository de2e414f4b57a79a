// SPDX-License-Identifier: Apache-2.0
// roam::run with the arguments and the environment of a process.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <vector>

#include "roam/roam.hpp"

namespace arguments_test {

namespace {

/// An environment variable for the time of a test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { ::unsetenv(name_); }

 private:
  const char* name_;
};

/// Arguments in the form that main() gets them.
class Arguments {
 public:
  explicit Arguments(std::vector<std::string> texts) : texts_(std::move(texts)) {
    for (std::string& text : texts_) pointers_.push_back(text.data());
    count = static_cast<int>(pointers_.size());
    pointers_.push_back(nullptr);
  }
  [[nodiscard]] char** values() { return pointers_.data(); }
  [[nodiscard]] std::vector<std::string> now() const {
    std::vector<std::string> result;
    for (int i = 0; i < count; ++i) result.emplace_back(pointers_[static_cast<std::size_t>(i)]);
    EXPECT_EQ(pointers_[static_cast<std::size_t>(count)], nullptr);
    return result;
  }
  int count = 0;

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

int run_counting(Arguments& arguments, std::atomic<int>& ranks) {
  ranks = 0;
  return roam::run(arguments.count, arguments.values(), [&ranks](roam::Runtime&) -> roam::Task<> {
    ++ranks;
    co_return;
  });
}

const std::vector<std::string> three_ranks{"program", "--roam-ranks", "3", "--mine",
                                           "--roam-transport=in-process"};

TEST(Arguments, a_second_run_with_the_same_arguments_behaves_like_the_first) {
  Arguments arguments(three_ranks);
  std::atomic<int> ranks = 0;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(run_counting(arguments, ranks), 0);
    EXPECT_EQ(ranks, 3) << "run " << i;
    EXPECT_EQ(arguments.now(), three_ranks);
  }
}

TEST(Arguments, the_program_does_not_see_roams_options) {
  Arguments arguments(three_ranks);
  const int status =
      roam::run(arguments.count, arguments.values(), [&](roam::Runtime& rt) -> roam::Task<> {
        if (rt.rank() == 0) {
          EXPECT_EQ(arguments.now(), (std::vector<std::string>{"program", "--mine"}));
        }
        co_return;
      });
  EXPECT_EQ(status, 0);
}

TEST(Arguments, a_simulation_under_a_launcher_runs_in_the_first_process_alone) {
  const std::vector<std::string> simulated{"program", "--roam-simulate", "ranks=5,workers=1"};
  const Variable size("OMPI_COMM_WORLD_SIZE", "2");
  std::atomic<int> ranks = 0;
  {
    const Variable rank("OMPI_COMM_WORLD_RANK", "0");
    Arguments arguments(simulated);
    testing::internal::CaptureStderr();
    EXPECT_EQ(run_counting(arguments, ranks), 0);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "roam: --roam-simulate simulates all ranks in one process: the first of the 2 that "
              "were started does, the others end at once\n");
    EXPECT_EQ(ranks, 5);
  }
  {
    const Variable rank("OMPI_COMM_WORLD_RANK", "1");
    Arguments arguments(simulated);
    testing::internal::CaptureStderr();
    EXPECT_EQ(run_counting(arguments, ranks), 0);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(ranks, 0);
  }
  Arguments arguments(simulated);
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_counting(arguments, ranks), 2);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("start the program by itself"),
            std::string::npos);
}

TEST(Arguments, variables_of_an_installation_do_not_stop_a_program) {
  const Variable root("ROAM_ROOT", "/opt/roam");
  const Variable version("ROAM_VERSION", "1");
  Arguments arguments(three_ranks);
  std::atomic<int> ranks = 0;
  EXPECT_EQ(run_counting(arguments, ranks), 0);
  EXPECT_EQ(ranks, 3);
}

}  // namespace

}  // namespace arguments_test
