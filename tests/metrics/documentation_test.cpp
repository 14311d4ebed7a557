// docs/metrics.md defines every declared word.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "schema/metric_names.h"
#include "schema/verdict.h"
#include "support/source_tree.h"

namespace transformeter {
namespace {

std::string page() {
  std::ifstream file(source_directory() / "docs/metrics.md");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// From the heading to the next of the same depth.
std::string section(const std::string& text, const std::string& heading) {
  const std::size_t begin = text.find("\n## " + heading + "\n");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find("\n## ", begin + 1) - begin);
}

// A table row that begins with the word.
template <typename Terms>
void expect_rows(const std::string& heading, const Terms& terms) {
  const std::string text = section(page(), heading);
  ASSERT_FALSE(text.empty()) << "docs/metrics.md has no section '" << heading << "'";
  for (const auto& term : terms) {
    EXPECT_NE(text.find("\n| `" + std::string(term.name) + "` |"), std::string::npos)
        << "docs/metrics.md, section '" << heading << "', has no row for " << term.name;
  }
}

TEST(MetricsPage, DefinesEveryMetric) {
  expect_rows("Metrics", metric_terms());
}
TEST(MetricsPage, DefinesEverySeries) {
  expect_rows("Series", series_terms());
}
TEST(MetricsPage, DefinesEveryComparison) {
  expect_rows("Comparisons", comparison_terms());
}
TEST(MetricsPage, DefinesEveryReason) {
  expect_rows("Verdict reasons", verdict_reasons());
}
TEST(MetricsPage, DefinesEveryNote) {
  expect_rows("Notes", verdict_notes());
}

// Of what a rate counts, one: "sample/s".
TEST(MetricsPage, UnitsAreThoseOfTheProgram) {
  for (const auto& terms : {metric_terms(), series_terms(), comparison_terms()}) {
    for (const MetricTerm& term : terms) {
      EXPECT_NE(page().find(fmt::format("\n| `{}` | {} |", term.name, term.unit)), std::string::npos)
          << "docs/metrics.md has another unit for " << term.name << " than " << term.unit;
      EXPECT_EQ(term.unit.find("samples"), std::string_view::npos) << term.name;
      EXPECT_EQ(term.unit.find("tokens"), std::string_view::npos) << term.name;
      EXPECT_NE(term.unit, "1/s") << term.name << " does not say of what";
    }
  }
}

}  // namespace
}  // namespace transformeter
