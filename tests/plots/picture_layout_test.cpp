// Nothing leaves the page, and no two names meet.
#include "plots/picture_layout.h"

#include <gmock/gmock.h>

#include "plots/page_text.h"
#include "plots/picture_file.h"

namespace transformeter {
namespace {

using ::testing::HasSubstr;

Picture lines(int count, const std::string& name) {
  Picture picture;
  picture.title = std::string(200, 'M') + " and words";
  picture.notes = {std::string(300, 'w')};
  picture.names_lines = true;
  Panel& panel = picture.panels.emplace_back();
  panel.figure.plot.x = make_axis({"batch size", "", 1, 8, false, false});
  panel.figure.plot.y = make_axis({"latency", "s", 0, 1, false, true});
  for (int i = 0; i < count; ++i) {
    PlotCurve curve;
    curve.points = {{1, 0.5, {}, {}, PlotMark::kFilled}, {8, 0.5, {}, {}, PlotMark::kFilled}};
    panel.figure.plot.curves.push_back(curve);
    panel.figure.curves.push_back(name + std::to_string(i));
  }
  return picture;
}

int left_of(const PageText& text) {
  const int width = text_width(text.text, text.font);
  return text.place == TextPlace::kLeft    ? text.x
         : text.place == TextPlace::kRight ? text.x - width
                                           : text.x - width / 2;
}

void expect_inside(const PictureLayout& layout) {
  for (const PageText& text : layout.texts) {
    EXPECT_GE(left_of(text), 0) << text.text;
    EXPECT_LE(left_of(text) + text_width(text.text, text.font), layout.width) << text.text;
    EXPECT_GE(text.y - text.font / 2, 0) << text.text;
    EXPECT_LE(text.y + text.font / 2, layout.height) << text.text;
  }
}

TEST(PictureLayout, EveryTextLiesOnThePage) {
  expect_inside(lay_out(lines(3, "a name that is rather long, with many words in it ")));
  expect_inside(lay_out(lines(40, std::string(500, 'x'))));
  Picture panels = lines(2, "name");
  panels.names_lines = false;
  panels.columns = 3;
  for (int i = 0; i < 5; ++i) panels.panels.push_back(panels.panels.front());
  for (int i = 0; i < 30; ++i) panels.legend.push_back({PlotRole::kSeries1, false, "series " + std::to_string(i)});
  expect_inside(lay_out(panels));
}

TEST(PictureLayout, NamesOfLinesThatEndAtOnePlaceStandBelowEachOther) {
  const PictureLayout layout = lay_out(lines(30, "name "));
  std::vector<int> heights;
  for (const PageText& text : layout.texts) {
    if (text.text.starts_with("name ")) heights.push_back(text.y);
  }
  ASSERT_EQ(heights.size(), 30U);
  for (std::size_t i = 1; i < heights.size(); ++i) EXPECT_GE(heights[i] - heights[i - 1], kPanelFont);
}

TEST(PageText, LongNamesKeepTheirEnds) {
  const std::string text = text_within(std::string(200, 'x') + " bf16", 200, kPanelFont);
  EXPECT_THAT(text, ::testing::AllOf(::testing::StartsWith("xxx"), ::testing::EndsWith(" bf16"), HasSubstr("…")));
  EXPECT_LE(text_width(text, kPanelFont), 200);
  EXPECT_EQ(text_within("short", 200, kPanelFont), "short");
}

TEST(PictureScript, TextsOfUsersStandInQuotes) {
  Picture picture = lines(1, "it's {a}_b^c @d `touch x` \\ 5 %d ");
  const std::string script = picture_script(picture, PlotFormat::kPng, "picture.png");
  EXPECT_THAT(script, HasSubstr("'it''s {a}_b^c @d `touch x` \\ 5 %d 0' at screen"));
  EXPECT_THAT(script, HasSubstr("set multiplot"));
}

}  // namespace
}  // namespace transformeter
