// What a fine-tuning says of itself, on a clock of the test's.
#include "cli/finetune_progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>

namespace transformeter {
namespace {

using testing::HasSubstr;

std::string text_of(std::FILE* file) {
  std::rewind(file);
  std::string text(4096, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  return text;
}

Json step_event(std::int64_t step) {
  return {{"event", "step"}, {"step", step}, {"loss", 0.5}, {"examples", 8}, {"useful_tokens", 100}};
}

TEST(FinetuneProgress, TheRateLeavesOutWhatIsNoLearning) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), &std::fclose);
  FakeClock clock;
  FinetuneProgress progress(clock, file.get());
  const auto tell_after = [&](int seconds, const Json& event) {
    clock.advance(std::chrono::seconds(seconds));
    progress.tell(event);
  };
  tell_after(10, {{"event", "started"},
                  {"rows", 16},
                  {"steps", 2},
                  {"steps_per_epoch", 2},
                  {"classes", Json::array()},
                  {"effective", {{"model", {{"trained", true}, {"new_weights", Json::array()}}}}}});
  tell_after(1, {{"event", "alive"}});
  tell_after(1, step_event(1));
  tell_after(30, {{"event", "checkpoint"}, {"step", 1}, {"folder", "c"}});
  tell_after(2, step_event(2));
  progress.end();
  EXPECT_THAT(text_of(file.get()), HasSubstr("4.00 sample/s and 50.0 token/s"));
}

TEST(FinetuneProgress, WithoutAStepThereIsNoRate) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), &std::fclose);
  FakeClock clock;
  FinetuneProgress progress(clock, file.get());
  progress.end();
  EXPECT_EQ(text_of(file.get()), "");
}

}  // namespace
}  // namespace transformeter
