// The sections of one run in the HTML report, each a function from the analysed run to HTML.
#pragma once

#include <string>
#include <vector>

#include "analysis/analyzed_run.h"
#include "report/figure.h"

namespace transformeter {

/// A figure and its SVG, which is empty where nothing could be drawn.
struct DrawnFigure {
  Figure figure;
  std::string svg;
};

/// A case whose samples are shown.
struct CaseFigures {
  const AnalyzedCase* one = nullptr;
  std::vector<DrawnFigure> figures;
};

/// A run with what was drawn of it. `id` begins the ids of its elements.
struct HtmlRun {
  const AnalyzedRun* run = nullptr;
  std::string id;
  std::vector<DrawnFigure> figures;
  std::vector<DrawnFigure> comparison_figures;
  std::vector<CaseFigures> cases;
  int heading = 2;  // level of the sections' headings
};

// One function per section, in the order of the page. Each is a whole <section>, or empty where it has nothing to say.
std::string answer_section(const HtmlRun& run);
std::string comparison_section(const HtmlRun& run);
std::string figure_section(const HtmlRun& run);
std::string case_section(const HtmlRun& run);
std::string sample_section(const HtmlRun& run);
std::string memory_section(const HtmlRun& run);
std::string verdict_section(const HtmlRun& run);
std::string environment_section(const HtmlRun& run);
std::string reproduce_section(const HtmlRun& run);

/// Name and title of each section that the run has, for links: {"answer", "Results"}.
struct SectionLink {
  const char* id;
  const char* title;
};
std::vector<SectionLink> section_links(const HtmlRun& run);

/// `body` as a <section> of the run under its title; empty without a body.
std::string html_section(const HtmlRun& run, const char* name, const char* title, const std::string& body);

/// Figures side by side where the page is wide; empty where none was drawn. `id` begins their ids.
std::string figures_html(const std::vector<DrawnFigure>& figures, const std::string& id, int level);

/// How many cases have which result, as chips.
std::string result_chips(const AnalyzedRun& run);

}  // namespace transformeter
