// gnuplot's SVG made fit for a page; the input is what gnuplot 5.4 writes, shortened.
#include "report/svg.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "base/base64.h"
#include "report/plot_colours.h"
#include "report/plot_script.h"

namespace transformeter {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kSvg = R"svg(<?xml version="1.0" encoding="utf-8"  standalone="no"?>
<svg
 width="480" height="300"
 viewBox="0 0 480 300"
 xmlns="http://www.w3.org/2000/svg"
 xmlns:xlink="http://www.w3.org/1999/xlink"
>
<title>Gnuplot</title>
<desc>Produced by GNUPLOT 5.4 patchlevel 4 </desc>
<g id="gnuplot_canvas">
<rect x="0" y="0" width="480" height="300" fill="none"/>
<defs>
	<circle id='gpDot' r='0.5' stroke-width='0.5' stroke='currentColor'/>
	<use xlink:href='#gpPt5' id='gpPt6' fill='currentColor' stroke='none'/>
</defs>
<g fill="none" color="white" stroke="currentColor" stroke-width="1.00">
</g>
<polygon fill = 'rgb(254,   1,  12)' points = '96.00,232.73 163.02,232.73 '/>
<g transform="translate(60.45,236.96)" stroke="none" fill="rgb(254,1,11)" font-family="sans-serif"  text-anchor="end">
		<text>&lt;b> &amp;amp; "c"</text>
</g>
<script>alert(1)</script>
	<g id="gnuplot_plot_1" ><title>gnuplot_plot_1</title>
<g fill="none" color="black" stroke="currentColor" stroke-width="3.00">
	<path stroke='rgb(254,   1,   0)' stroke-dasharray='7.5,12.0'  d='M96.00,211.41 L431.11,40.83  '/></g>
	</g>
	<g id="gnuplot_plot_2" ><title>gnuplot_plot_2</title>
	<use xlink:href='#gpPt6' transform='translate(96.00,211.41) scale(3.41)' color='rgb(254,   1,   0)' onload='x'/>
	<use xlink:href='#gpPt8' transform='translate(96.00,211.41) scale(3.41)' color='rgb(254,   1,   0)' onload='x'/>
	</g>
</g>
</svg>
)svg";

Plot line_plot() {
  Plot plot;
  PlotCurve curve;
  curve.points = {{1, 1, {}, {}, PlotMark::kFilled}, {2, 2, {}, {}, PlotMark::kFilled}};
  plot.curves.push_back(curve);
  return plot;
}

std::string cleaned() {
  return clean_svg(kSvg, line_plot(), {"f1", "A <title>", "words", {"the <curve>"}});
}

TEST(CleanSvg, ColoursBecomeClassesWithTheLightColourAsFallback) {
  EXPECT_THAT(cleaned(),
              AllOf(HasSubstr("stroke=\"#0b62c4\""), HasSubstr("class=\"s0\""), HasSubstr("class=\"f11\""),
                    HasSubstr("class=\"f12\""), HasSubstr("fill=\"#0b62c4\" stroke=\"#0b62c4\" class=\"f0 s0\""),
                    Not(HasSubstr("rgb("))));
  EXPECT_THAT(cleaned(), AllOf(Not(HasSubstr("black")), Not(HasSubstr("currentColor"))));
}

TEST(CleanSvg, DotsOfOneColourAreOnePath) {
  EXPECT_THAT(cleaned(),
              HasSubstr("<path fill=\"none\" stroke-linecap=\"round\" stroke=\"#0b62c4\" stroke-width=\"6.82\" "
                        "class=\"s0\" d=\"M96.00,211.41h.01\"/><use"));
  std::string many = kSvg;
  const std::string dot =
      "<use xlink:href='#gpPt6' transform='translate(1,2) scale(3.41)' color='rgb(254,   1,   0)'/>";
  const std::string other = "<use xlink:href='#gpPt6' transform='translate(3,4) scale(1)' color='rgb(254,   1,   0)'/>";
  const std::string hostile =
      "<use xlink:href='#gpPt6' transform='translate(&quot;) scale(1)' color='rgb(254,   1,   0)'/>";
  many.insert(many.find("</svg>"),
              dot + dot + other + "<rect/>" + other + hostile + "<use xlink:href='#gpPt6'/>" + dot);
  const std::string svg = clean_svg(many, line_plot(), {"f1", "", "", {}});
  EXPECT_THAT(svg, AllOf(HasSubstr("d=\"M1,2h.01M1,2h.01\"/>"),
                         HasSubstr("stroke-width=\"2.00\" class=\"s0\" d=\"M3,4h.01\"/>"), HasSubstr("<rect/>"),
                         Not(HasSubstr("M\"")), HasSubstr("d=\"M1,2h.01\"/></svg>")));
}

TEST(CleanSvg, HasViewBoxTitleAndDescriptionAndNoSize) {
  EXPECT_THAT(cleaned(),
              AllOf(HasSubstr("viewBox=\"0 0 480 300\""), HasSubstr("<title id=\"f1-title\">A &lt;title&gt;"),
                    HasSubstr("<desc id=\"f1-desc\">words</desc>"), HasSubstr("role=\"img\""),
                    Not(HasSubstr("<svg width")), Not(HasSubstr("Gnuplot"))));
}

TEST(CleanSvg, AsAnImageHasAFont) {
  EXPECT_EQ(
      image_source("<svg class=\"plot\"/>"),
      "data:image/svg+xml;base64," + base64("<svg font-family=\"'DejaVu Sans',Verdana,sans-serif\" class=\"plot\"/>"));
  EXPECT_EQ(image_source("<p>"), "");
}

TEST(CleanSvg, TextsAndNamesOfCurvesAreEscapedOnce) {
  EXPECT_THAT(cleaned(), HasSubstr("<text>&lt;b&gt; &amp;amp; &quot;c&quot;</text>"));
  EXPECT_THAT(cleaned(), HasSubstr("<title>the &lt;curve&gt;</title>"));
}

TEST(CleanSvg, KeepsKnownElementsAndAttributesAlone) {
  EXPECT_THAT(cleaned(), AllOf(Not(HasSubstr("script")), Not(HasSubstr("onload")), Not(HasSubstr("xlink"))));
  EXPECT_THAT(cleaned(), AllOf(HasSubstr("id=\"f1-Pt8\""), HasSubstr("href=\"#f1-Pt8\""), Not(HasSubstr("Pt5"))));
}

TEST(CleanSvg, WhatIsNoWholeDocumentIsRefused) {
  EXPECT_EQ(clean_svg("", Plot{}, {}), "");
  EXPECT_EQ(clean_svg(std::string_view(kSvg).substr(0, 900), Plot{}, {}), "");
}

TEST(PlotColours, ARoleSurvivesGnuplot) {
  EXPECT_EQ(role_code(PlotRole::kRule), "#fe010d");
  EXPECT_EQ(role_of_rgb("rgb(254,   1,  13)"), PlotRole::kRule);
  EXPECT_EQ(role_of_rgb("rgb(254,1,14)"), std::nullopt);
  EXPECT_EQ(role_of_rgb("rgb(0, 0, 0)"), std::nullopt);
  EXPECT_EQ(role_of_rgb("none"), std::nullopt);
}

// WCAG 2.1 relative luminance.
double luminance(std::string_view colour) {
  double parts[3];
  for (int i = 0; i < 3; ++i) {
    const double value =
        std::stoi(std::string(colour.substr(1 + 2 * static_cast<std::size_t>(i), 2)), nullptr, 16) / 255.0;
    parts[i] = value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  }
  return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
}

double contrast(std::string_view a, std::string_view b) {
  const double brighter = std::max(luminance(a), luminance(b));
  return (brighter + 0.05) / (std::min(luminance(a), luminance(b)) + 0.05);
}

TEST(PlotColours, StandOutOnLightAndDarkPages) {
  for (std::size_t i = 0; i < kPlotColours.size(); ++i) {
    const auto role = static_cast<PlotRole>(i);
    if (role == PlotRole::kGrid || role == PlotRole::kBand) continue;  // meant to stay behind
    const double least = role == PlotRole::kText ? 4.5 : 3;
    EXPECT_GE(contrast(kPlotColours[i].light, "#ffffff"), least) << i;
    EXPECT_GE(contrast(kPlotColours[i].dark, "#171b21"), least) << i;
  }
}

}  // namespace
}  // namespace transformeter
