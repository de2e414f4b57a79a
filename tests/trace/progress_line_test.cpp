// SPDX-License-Identifier: Apache-2.0
#include "roam/trace/detail/progress_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace roam::trace::progress_line_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class Output {
 public:
  Output() : stream_(std::tmpfile()) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() { std::fclose(stream_); }
  operator std::FILE*() const { return stream_; }
  std::string text() const {
    std::string all(static_cast<std::size_t>(std::ftell(stream_)), '\0');
    std::rewind(stream_);
    EXPECT_EQ(std::fread(all.data(), 1, all.size(), stream_), all.size());
    return all;
  }

 private:
  std::FILE* stream_;
};

const ProgressFigures figures{milliseconds(12'430), 3120, 85, 0.926, 7};
constexpr ProgressLine::Style terminal{.in_place = true, .columns = 80};

TEST(ProgressLine, says_everything) {
  EXPECT_EQ(to_string(figures),
            "[########### ] 12.4 s  3,120 handlers  85 pending  busy 93 %  7 migrations");
  EXPECT_EQ(to_string({seconds(3723), 1, 1'234'567, 7.0, 1}),
            "[            ] 1 h 2 min 3 s  1 handler  1,234,567 pending  busy 100 %  1 migration");
  EXPECT_EQ(to_string({seconds(600), 0, 0, std::nan(""), 0}),
            "[            ] 10 min 0 s  0 handlers  0 pending  busy 0 %  0 migrations");
}

TEST(ProgressLine, says_in_the_end_why_nothing_moved_though_ranks_were_short_of_work) {
  ProgressFigures idle = figures;
  idle.migrations = 2;
  idle.refused_requests = 1234;
  idle.refused_gain_seconds = 17.25e-6;
  idle.refused_cost_seconds = 0.061;
  const Output out;
  ProgressLine line(out, terminal);
  line.finish(idle);
  EXPECT_TRUE(
      out.text().ends_with("\nranks short of work were given nothing 1,234 times: moves would cost "
                           "61 ms and gain 17.2 us "
                           "at most\n"))
      << out.text();
  idle.migrations = idle.refused_requests;
  EXPECT_EQ(why_little_moved(idle), "");
}

TEST(ProgressLine, rewrites_a_terminals_line_at_most_five_times_a_second) {
  const Output out;
  ProgressLine line(out, terminal);
  int written = 0;
  for (Instant now{0}; now <= seconds(2); now += milliseconds(10)) {
    written += line.is_due(now) ? 1 : 0;
    line.show(now, figures);
  }
  line.finish(figures);
  EXPECT_EQ(written, 10);
  const std::string text = out.text();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\r'), 11);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_EQ(text.back(), '\n');
}

TEST(ProgressLine, a_shorter_line_covers_the_longer_one) {
  const Output out;
  ProgressLine line(out, terminal);
  line.finish(figures);
  const std::size_t length = to_string(figures).size();
  EXPECT_EQ(out.text().size(), length + 2);

  const Output second;
  ProgressLine shrinking(second, terminal);
  (void)shrinking.is_due(Instant(0));
  shrinking.show(seconds(1), figures);
  shrinking.finish({});
  const std::string text = second.text();
  EXPECT_EQ(text.size(), 2 * (length + 1) + 1);
  EXPECT_EQ(text.find('\n'), text.size() - 1);
}

TEST(ProgressLine, fits_the_terminal) {
  const Output out;
  ProgressLine line(out, {.in_place = true, .columns = 20});
  line.finish(figures);
  EXPECT_EQ(out.text(), "\r[########### ] 12.4\n");
}

TEST(ProgressLine, elsewhere_adds_a_line_every_ten_seconds) {
  const Output out;  // a file, so no terminal
  {
    ProgressLine line(out);
    for (Instant now{0}; now < seconds(35); now += milliseconds(100)) line.show(now, figures);
    line.finish(figures);
    line.finish(figures);
    line.show(seconds(100), figures);
  }
  const std::string text = out.text();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
  EXPECT_EQ(text.find('\r'), std::string::npos);
}

TEST(ProgressLine, an_unfinished_line_is_ended) {
  const Output out;
  {
    ProgressLine line(out, terminal);
    (void)line.is_due(Instant(0));
    line.show(seconds(1), figures);
  }
  EXPECT_EQ(out.text().back(), '\n');
  const Output untouched;
  { const ProgressLine line(untouched, terminal); }
  EXPECT_EQ(untouched.text(), "");
}

}  // namespace
}  // namespace roam::trace::progress_line_test
