// Sections first, so that the links before them name those that have something to show.
#include "report/html_document.h"

#include <fmt/format.h>

#include <utility>

#include "base/version.h"
#include "report/html_blocks.h"
#include "report/html_style.h"
#include "report/html_template.h"
#include "report/html_text.h"
#include "report/print_style.h"

namespace transformeter {
namespace {

struct RenderedSections {
  std::string links;
  std::string html;
};

RenderedSections sections_html(const std::vector<Section>& sections, const std::string& prefix, int level,
                               Medium medium) {
  RenderedSections rendered;
  for (const Section& section : sections) {
    const std::string body = blocks_html(section.blocks, prefix, level + 1, medium);
    if (body.empty()) continue;
    if (section.title.empty()) {
      rendered.html += "<section>\n" + body + "</section>\n";
      continue;
    }
    const std::string id = escape_html(prefix + section.id);
    const std::string title = escape_html(section.title);
    rendered.links += fmt::format("<a href=\"#{}\">{}</a>", id, title);
    rendered.html += fmt::format("<section id=\"{}\">\n{}{}</section>\n", id, heading_html(level, title), body);
  }
  return rendered;
}

std::string navigation(const std::string& links) {
  return links.empty() ? "" : "<nav aria-label=\"Sections\">" + links + "</nav>\n";
}

std::string part_html(const Part& part, const std::string& closing_links, Medium medium) {
  const bool has_title = !part.title.empty();
  const RenderedSections sections = sections_html(part.sections, part.id + "-", has_title ? 3 : 2, medium);
  std::string text =
      fmt::format("<article class=\"run\" id=\"{}\" data-run=\"{}\">\n", escape_html(part.id), escape_html(part.run));
  if (has_title) text += heading_html(2, isolated(part.title));
  return text + blocks_html(part.lead, part.id + "-", 3, medium) + navigation(sections.links + closing_links) +
         sections.html + "</article>\n";
}

std::string footer() {
  const std::string_view commit = git_commit();
  return fmt::format("<footer><p>Written by transformeter {}{}.</p></footer>\n", program_version(),
                     commit.empty() ? "" : fmt::format(" ({})", escape_html(commit)));
}

}  // namespace

std::string html_document(const Document& document, Medium medium, std::string_view page) {
  const RenderedSections opening = sections_html(document.sections, "", 2, medium);
  const RenderedSections closing = sections_html(document.closing, "", 2, medium);
  std::string content =
      "<a class=\"skip\" href=\"#content\">Skip to content</a>\n<div class=\"page\">\n"
      "<header>\n<p class=\"brand\">transformeter report</p>\n" +
      heading_html(1, isolated(document.title)) + blocks_html(document.lead, "", 2, medium) +
      "</header>\n<main id=\"content\">\n";
  if (document.parts.empty()) content += navigation(opening.links + closing.links);
  content += opening.html;
  for (const Part& part : document.parts) content += part_html(part, closing.links, medium);
  content += closing.html + "</main>\n" + footer() + "</div>\n";
  return filled_html_template(page, {escape_html(document.title), html_style(medium), std::move(content)});
}

}  // namespace transformeter
