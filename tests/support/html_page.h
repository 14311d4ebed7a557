// What tests read out of an HTML report: its figures, its elements and its text.
#pragma once

#include <cstddef>
#include <map>
#include <regex>
#include <string>
#include <vector>

namespace transformeter {

/// A <data> element: what it is about, its value in full precision and the text beside it.
struct PageFigure {
  std::string run;
  std::string case_id;
  std::string metric;
  std::string statistic;
  std::string part;
  std::string value;
  std::string text;
};

/// All of them, in order; each belongs to the run last named by a data-run attribute.
inline std::vector<PageFigure> page_figures(const std::string& html) {
  static const std::regex pattern(
      "data-run=\"([^\"]*)\"|<data value=\"([^\"]*)\" data-case=\"([^\"]*)\" data-metric=\"([^\"]*)\" "
      "data-statistic=\"([^\"]*)\" data-part=\"([^\"]*)\">([^<]*)</data>");
  std::vector<PageFigure> figures;
  std::string run;
  for (std::sregex_iterator match(html.begin(), html.end(), pattern), end; match != end; ++match) {
    const std::smatch& m = *match;
    if (m[1].matched) {
      run = m[1];
    } else {
      figures.push_back({run, m[3], m[4], m[5], m[6], m[2], m[7]});
    }
  }
  return figures;
}

inline std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

/// The page without its style sheet.
inline std::string without_style(const std::string& html) {
  const std::string end = "</style>";
  return html.substr(0, html.find("<style>")) + html.substr(html.find(end) + end.size());
}

/// The first element that is closed wrongly, or left open; empty when all tags are paired. `html` without_style.
inline std::string unpaired_tag(const std::string& html) {
  static const std::regex pattern("<(/?)([a-z][a-z0-9]*)([^<>]*)>");
  static const std::string kVoid = " meta br link img input hr col ";
  std::vector<std::string> open;
  for (std::sregex_iterator match(html.begin(), html.end(), pattern), end; match != end; ++match) {
    const std::string name = (*match)[2];
    const std::string rest = (*match)[3];
    if (kVoid.find(" " + name + " ") != std::string::npos || (!rest.empty() && rest.back() == '/')) continue;
    if ((*match)[1].length() == 0) {
      open.push_back(name);
    } else if (open.empty() || open.back() != name) {
      return "</" + name + "> closes <" + (open.empty() ? "" : open.back()) + ">";
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : "<" + open.back() + "> stays open";
}

/// The values of all id attributes with how often each occurs.
inline std::map<std::string, int> page_ids(const std::string& html) {
  static const std::regex pattern("[ \"]id=\"([^\"]*)\"");
  std::map<std::string, int> ids;
  for (std::sregex_iterator match(html.begin(), html.end(), pattern), end; match != end; ++match) ++ids[(*match)[1]];
  return ids;
}

}  // namespace transformeter
