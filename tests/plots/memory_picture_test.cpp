// Areas of a memory picture stand on each other and reach from the pass's beginning to its end.
#include "plots/memory_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "plots/picture_file.h"
#include "support/made_profile.h"

namespace transformeter {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<std::string> legend_of(const Picture& picture) {
  std::vector<std::string> names;
  for (const LegendEntry& entry : picture.legend) names.push_back(entry.label);
  return names;
}

TEST(MemoryPicture, StacksWhatThePassAllocatesOnWhatWasThere) {
  const Picture picture = memory_picture(made_profile_with_memory(), "m b2");
  EXPECT_EQ(picture.title, "Memory of tensors over one forward pass: m b2");
  EXPECT_EQ(legend_of(picture), (std::vector<std::string>{"there before the forward pass", "allocated in it"}));
  ASSERT_EQ(picture.panels.size(), 2U);
  const Plot& whole = picture.panels.front().figure.plot;
  ASSERT_EQ(whole.boxes.size(), 5U) << "at first nothing is allocated";
  EXPECT_EQ(whole.boxes[3].role, PlotRole::kContext);
  EXPECT_EQ(whole.boxes[3].y_to, 8 << 20);
  EXPECT_EQ(whole.boxes[4].y_from, 8 << 20);
  EXPECT_EQ(whole.boxes[4].y_to, 18 << 20);
  EXPECT_GE(whole.y.to, 18 << 20);
  const Plot& own = picture.panels.back().figure.plot;
  ASSERT_EQ(own.boxes.size(), 2U);
  EXPECT_EQ(own.boxes.front().x_from, 0.03);
  EXPECT_EQ(own.boxes.back().x_to, 0.1);
  EXPECT_EQ(own.boxes.back().y_to, 10 << 20);
  EXPECT_EQ(own.vertical, std::vector<double>{0.06});
  EXPECT_THAT(picture.notes.front(), HasSubstr("peak of 18.0 MiB"));
  EXPECT_THAT(picture.notes.back(), HasSubstr("8.00 MiB m.layer.*.lin, aten::linear; 2.00 MiB aten::cat."));
}

TEST(MemoryPicture, NamesStages) {
  Profile profile = made_step_profile();
  profile.memory =
      ProfileMemory{.peak_bytes = 30,
                    .peak_s = 0.01,
                    .earlier_bytes = 10,
                    .held = {},
                    .timeline = {{0, 30, 0}, {0.01, 30, 20}, {0.02, 20, 10}, {0.04, 10, 0}},
                    .stages = {{ProfileStage::kForward, 0, 0.015}, {ProfileStage::kBackward, 0.015, 0.04}}};
  const Picture picture = memory_picture(profile, "<script>");
  EXPECT_EQ(legend_of(picture), (std::vector<std::string>{"there before the training step", "forward", "backward"}));
  EXPECT_EQ(picture.notes.size(), 1U);
  const Plot& own = picture.panels.back().figure.plot;
  EXPECT_EQ(own.boxes.front().x_from, 0.01) << "what the step frees first is from before";
}

TEST(MemoryPicture, KeepsThePeakWhereManyPointsShareAPixel) {
  Profile profile = made_profile();
  ProfileMemory memory{.peak_bytes = 500, .peak_s = 0.05, .earlier_bytes = 100};
  for (int i = 0; i <= 900; ++i)
    memory.timeline.push_back({i * 1e-4, i == 500 ? 500.0 : 100.0 + i % 7, i == 500 ? 400.0 : i % 7});
  profile.memory = memory;
  const Plot plot = memory_picture(profile, "").panels.back().figure.plot;
  EXPECT_LE(plot.boxes.size(), 641U);
  EXPECT_TRUE(std::any_of(plot.boxes.begin(), plot.boxes.end(), [](const PlotBox& box) { return box.y_to == 400; }));
}

TEST(MemoryPicture, IsDrawnOfAPassThatAllocatesNothing) {
  Profile profile = made_profile();
  profile.memory = ProfileMemory{.peak_bytes = 0, .timeline = {{0, 0, 0}, {0.1, 0, 0}}};
  const std::string script = picture_script(memory_picture(profile, ""), PlotFormat::kSvg, "m.svg");
  EXPECT_THAT(script, Not(HasSubstr("range [0:0]"))) << "which gnuplot refuses";
}

}  // namespace
}  // namespace transformeter
