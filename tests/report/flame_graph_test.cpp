// A flame graph is one file that needs no other, and no name of a module can become markup.
#include "report/flame_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "report/flame_graph_script.h"
#include "support/made_profile.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(FlameGraph, HasAFrameForEachNodeAsWideAsItsTime) {
  const std::string svg = flame_graph(made_profile(), "distilbert-base b8");
  EXPECT_EQ(count(svg, "<g class=\"f\""), made_profile().nodes.size());
  EXPECT_THAT(svg, HasSubstr("data-l=\"0.000000\" data-w=\"1.000000\" data-n=\"forward pass\""));
  EXPECT_THAT(svg, HasSubstr("data-l=\"0.100000\" data-w=\"0.420000\" data-n=\"m.layer.0\""));
  EXPECT_THAT(svg, HasSubstr("data-l=\"0.100000\" data-w=\"0.300000\" data-n=\"lin\"")) << "in m.layer.0";
  EXPECT_THAT(svg, AllOf(HasSubstr("data-n=\"addmm\""), Not(HasSubstr("data-n=\"aten"))));
  EXPECT_THAT(svg, HasSubstr("m.layer.0: 42.0 ms (42.0 % of the forward pass), 2.00 ms in it alone"));
  EXPECT_THAT(svg, HasSubstr(">distilbert-base b8</text>"));
}

TEST(FlameGraph, ShowsTheEndOfAModulesNameWhereAllOfItHasNoRoom) {
  Profile profile = made_profile();
  for (ProfileNode& node : profile.nodes) {
    if (node.name.starts_with("m."))
      node.name.insert(1, "odel.with.a.name.that.has.no.room.anywhere.on.a.page.since.it.is.far.too.long");
  }
  EXPECT_THAT(flame_graph(profile, ""), AllOf(HasSubstr(">long.embeddings</text>"), HasSubstr(".long.layer.0</text>")));
}

TEST(FlameGraph, EscapesNamesAndTitle) {
  Profile profile = made_profile();
  profile.nodes[1].name = "<script>alert('1')</script>\" %s {} 100% &amp; ]]>";
  const std::string svg = flame_graph(profile, "<b>\"bold\" %d {}</b>");
  EXPECT_EQ(count(svg, "<script>"), 1U) << "its own";
  EXPECT_EQ(count(svg, "]]>"), 1U);
  EXPECT_THAT(svg, Not(HasSubstr("<b>")));
  EXPECT_THAT(svg, HasSubstr("&lt;script&gt;"));
  EXPECT_THAT(svg, HasSubstr("%s {} 100% &amp;amp;"));
}

TEST(FlameGraph, NeedsNothingElse) {
  const std::string svg = flame_graph(made_profile(), "title");
  EXPECT_EQ(count(svg, "http"), 1U) << "the name space of SVG";
  EXPECT_THAT(svg, Not(HasSubstr("href")));
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
}

TEST(FlameGraph, IsDrawnOfAPassWithoutTime) {
  Profile profile;
  profile.passes = 1;
  profile.nodes = {{.kind = ProfileNodeKind::kPass, .name = "forward pass"}};
  EXPECT_EQ(count(flame_graph(profile, ""), "</svg>"), 1U);
}

}  // namespace
}  // namespace transformeter
